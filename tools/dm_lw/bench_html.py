"""A document of dm-lw bench as one HTML file that needs no other."""
import time
from html import escape

from .bench_table import flat
from .columns import UNKNOWN
from .live_tables import SELECTOR

WIDTH, HEIGHT = 180, 16                 # of a bar, in pixels
OURS, OTHERS = "#c62828", "#5b8fc4"
PATHS = ("#2f6aa8", "#e0a030", "#5a9e5a", "#8e6bb0", "#b05a5a", "#58a5a5", "#9e9e9e", "#c98bb0")

PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>%(title)s</title>
<style>
body { font: 14px sans-serif; margin: 2em; color: #222; }
table { border-collapse: collapse; margin-bottom: 2em; }
th, td { padding: 3px 10px; text-align: right; border-bottom: 1px solid #ddd; }
th:first-child, td:first-child, td.bar, th.bar { text-align: left; }
svg { vertical-align: middle; margin-right: 6px; }
p.cut { color: #c62828; font-weight: bold; }
code { background: #f4f4f4; }
</style>
<h1>%(title)s</h1>
%(body)s
</html>
"""

ABOUT = """<p>%(when)s, kernel %(kernel)s, %(transport)s, paths %(paths)s. Medians of %(repeat)d
runs of %(runtime_s)g s each, the selectors in turn; thin lines are the least and the most. * the
map's own selector, to which the ratios are.</p>
<p>The table that was found: <code>%(table)s</code></p>
"""

HEADER = ("selector", "IOPS", "MiB/s", "mean &micro;s", "p50", "p99", "p99.9", "&times; IOPS",
          "&times; p99", "CPU %", "I/Os by path")
BARS = (1, 5, 10)                       # columns that begin at the left


def page(document):
    title = "Path selectors on %s" % document["map"]
    body = about(document) + legend(document["paths"]) + "".join(
        section(document, name, what) for name, what in document["jobs"].items())
    return PAGE % {"title": escape(title), "body": body}


def about(document):
    cut = "" if document["complete"] else "<p class=cut>Cut short: some runs are missing.</p>\n"
    return cut + ABOUT % {
        "when": time.strftime("%Y-%m-%d %H:%M", time.localtime(document["time"])),
        "kernel": escape(document["kernel"]), "transport": escape(document["transport"]),
        "paths": escape(", ".join(document["paths"])), "repeat": document["repeat"],
        "runtime_s": document["runtime_s"], "table": escape(document["table"])}


def legend(paths):
    return "<p>%s</p>\n" % "\n".join(
        "<svg width=12 height=12><rect width=12 height=12 fill=\"%s\"/></svg>%s"
        % (colour(index), escape(name)) for index, name in enumerate(paths))


def section(document, name, what):
    rows = [flat(row, document) for row in document["results"] if row["scenario"] == name]
    if not rows:
        return ""
    most = {figure: max(row["spread"][figure][1] for row in rows) for figure in ("iops", "p99_us")}
    header = "".join("<th%s>%s" % (bar_class(index), text) for index, text in enumerate(HEADER))
    return "<h2>%s: %s</h2>\n<table>\n<tr>%s\n%s</table>\n" % (
        escape(name), escape(what), header, "".join(line(row, most) for row in rows))


def line(row, most):
    cells = (escape(row["selector"]), bar(row, "iops", most) + number(row["iops"], "%.0f"),
             number(row["mib_s"], "%.1f"), number(row["mean_us"], "%.0f"),
             number(row["p50_us"], "%.0f"),
             bar(row, "p99_us", most) + number(row["p99_us"], "%.0f"),
             number(row["p999_us"], "%.0f"), number(row["iops_ratio"], "%.2f"),
             number(row["p99_ratio"], "%.2f"),
             number(row["cpu"] and 100 * row["cpu"], "%.0f"), stack(row["shares"]))
    return "<tr>%s\n" % "".join("<td%s>%s" % (bar_class(index), cell)
                                for index, cell in enumerate(cells))


def bar_class(index):
    return " class=bar" if index in BARS else ""


def number(value, form):
    return UNKNOWN if value is None else form % value


def bar(row, figure, most):
    """A bar as long as the figure, with a thin line from the least to the most."""
    scale = WIDTH / most[figure] if most[figure] else 0
    least, largest = row["spread"][figure]
    return ("<svg width=%d height=%d><rect width=\"%.1f\" height=%d fill=\"%s\"/>"
            "<line x1=\"%.1f\" x2=\"%.1f\" y1=%d y2=%d stroke=\"#222\"/></svg>" % (
                WIDTH, HEIGHT, row[figure] * scale, HEIGHT,
                OURS if row["selector"].startswith(SELECTOR) else OTHERS,
                least * scale, largest * scale, HEIGHT // 2, HEIGHT // 2))


def stack(shares):
    """The paths' shares, one beside the other."""
    if not shares:
        return UNKNOWN
    parts, left = [], 0.0
    for index, share in enumerate(shares):
        parts.append("<rect x=\"%.1f\" width=\"%.1f\" height=%d fill=\"%s\"/>"
                     % (left, share * WIDTH, HEIGHT, colour(index)))
        left += share * WIDTH
    return "<svg width=%d height=%d>%s</svg>%s" % (
        WIDTH, HEIGHT, "".join(parts), " ".join("%.1f" % (100 * share) for share in shares))


def colour(index):
    return PATHS[index % len(PATHS)]
