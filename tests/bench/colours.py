"""How each selector looks in all pictures."""
from .selectors import ALONE, COMPILED, DEBIANS, NATIVES, OURS, SIMPLE, SIMULATED

OPTIMUM = "#2e7d32"
COLOURS = {
    ALONE: "#8fae8f", OURS: "#c62828", SIMPLE: "#e0a030",
    **dict(zip(DEBIANS, ["#9e9e9e", "#90b4d8", "#2f6aa8"])),
    **dict(zip(COMPILED, ["#7b5ea7", "#4f8a8b"])),
    **dict(zip(NATIVES, ["#c8b08a", "#a5854f", "#7d5f2c"])),
    **dict(zip(SIMULATED, ["#7d5f2c", "#c8b08a"])),
}
# queue-length and service-time are often one line
DASHES = {"service-time": (0, (4, 3))}


def line(name):
    """Of a curve, for matplotlib."""
    return {"color": COLOURS[name], "linestyle": DASHES.get(name, "-"), "label": name}
