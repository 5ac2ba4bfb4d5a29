"""matplotlib without a display, and what all pictures do alike. Takes a second to import."""
import logging

import matplotlib

matplotlib.use("Agg")
# Where it takes more than five seconds to list the fonts, once, it would say so on stderr.
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)

from matplotlib import pyplot  # noqa: E402  (after the choice above)


def plain(*all_axes):
    """Without the frame's upper and right side."""
    for axes in all_axes:
        axes.spines[["top", "right"]].set_visible(False)


def save(figure, path):
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
