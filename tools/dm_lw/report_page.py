"""The page of dm-lw report, by the template report.html.j2."""
from . import chart
from .history import History, span
from .page import moment, render

TEMPLATE = "report.html.j2"


def page(replay):
    history = History(replay)
    maps = sorted(history.maps.values(), key=lambda each: each.name)
    return render(TEMPLATE, history=history, maps=[shown(each, history) for each in maps],
                  chart=chart, moment=moment, length=span(history.last - history.first))


def shown(each, history):
    """A map, with the events that are about it, or about all; those before the first sample have no place."""
    events = [event for event in history.events if event.map in ("", each.name)
              and history.first <= event.time <= history.last]
    names = ", ".join(name for name in (each.dm, each.wwid) if name and name != each.name)
    return {"name": each.name, "names": names,
            "charts": chart.charts(each, history.first, history.last, events)}
