"""The page of dm-lw report: one HTML file that needs no other."""
import time
from html import escape

from .chart import chart
from .history import History, span
from .svg import colour, element

PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>%(title)s</title>
<style>
body { font: 14px sans-serif; margin: 2em; color: #222; }
table { border-collapse: collapse; }
th, td { padding: 2px 10px; text-align: left; border-bottom: 1px solid #ddd; }
svg text { font: 11px sans-serif; }
svg text.title { font-weight: bold; }
</style>
<h1>%(title)s</h1>
<p>%(about)s</p>
%(body)s
</html>
"""


def page(replay):
    history = History(replay)
    about = "%s to %s (%s), %d sample%s." % (
        moment(history.first), moment(history.last), span(history.last - history.first),
        history.samples, "" if history.samples == 1 else "s")
    if not history.maps:
        about += " No map used latency-weighted."
    body = "\n".join([*(section(each, history) for each in sorted(
        history.maps.values(), key=lambda each: each.name)), table(history.events)])
    return PAGE % {"title": "Paths of latency-weighted maps", "about": escape(about), "body": body}


def moment(seconds):
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))
    except (OverflowError, OSError, ValueError):
        return "?"


def section(each, history):
    """A map: its paths' colours, and its charts."""
    names = ", ".join(name for name in (each.dm, each.wwid) if name and name != each.name)
    legend = "\n".join(
        element("svg", element("rect", width=12, height=12, fill=colour(index)), width=12, height=12)
        + " " + escape(name) for index, name in enumerate(each.paths))
    events = [event for event in history.events if event.map in ("", each.name)]
    return "<h2>%s (%s)</h2>\n<p>%s</p>\n%s" % (
        escape(each.name), escape(names), legend,
        chart(each, history.first, history.last, events))


def table(events):
    if not events:
        return "<p>No path changed its state.</p>"
    lines = ["<tr><td>%s<td>%s<td>%s<td>%s" % (moment(event.time), escape(event.map),
                                              escape(event.path), escape(event.text))
             for event in events]
    return "<h2>Events</h2>\n<table>\n<tr><th>time<th>map<th>path<th>event\n%s\n</table>" % (
        "\n".join(lines))
