"""The page in the kernel's documentation: docs/latency-weighted.rst without what the series leaves out."""
from . import sources
from .edits import NotFound, cut, replaced, without_paragraph

PAGE = sources.TOP / "docs/latency-weighted.rst"

SOURCE = "	Little's law alone, that is I/Os in flight divided by I/Os done a second"
STAMPS = """\
.
	Bio-based maps have time stamps; in others requests have them where something
	asks for them, such as writeback throttling on the path (``queue/wbt_lat_usec``)"""
FROM_SYSFS = """\
A key that is not named has the map's value in sysfs, and for a new
map the value of the module parameter of that name. If only one
"""
FROM_PARAMETER = """\
A key that is not named has the value of the module parameter of that name when the
table is loaded. If only one
"""

CHANGES = [
    *((cut, rf"^``{option}``.*\n(?: +.*\n)*") for option in sources.LEFT_OUT),
    (replaced, FROM_SYSFS, FROM_PARAMETER),
    (cut, r"^Observing\n=+\n(?:.*\n)*?(?=\w.*\n=+\n)"),
    (cut, r"^Reports\n=+\n(?:.*\n)*?(?=\w.*\n=+\n)"),
    (without_paragraph, "All keys but ``prefer`` can be read and written while"),
    (replaced, SOURCE, SOURCE + STAMPS),
    (without_paragraph, "sysfs and debugfs have more values"),
    (without_paragraph, "The same without a reload::"),
    (cut, r"^\t# dm-lw set test window_ms=50\n\t# dm-lw .*\n\n"),
]


def text() -> str:
    """All of it."""
    result = PAGE.read_text()
    try:
        for change, *arguments in CHANGES:
            result = change(result, *arguments)
    except NotFound as error:
        raise NotFound(f"docs/{PAGE.name} is not as upstream/page.py knows it: {error}") from None
    return result
