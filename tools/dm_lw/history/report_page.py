"""The page of dm-lw report, by the template report.html.j2."""
from ..page import colour, moment, render
from . import chart, episodes
from .timeline import History, span

TEMPLATE = "report.html.j2"


def page(replay):
    history = History(replay)
    maps = sorted(history.maps.values(), key=lambda each: each.name)
    events, left_out = episodes.screen(episodes.episodes(history.events, history.last))
    length = history.last - history.first
    return render(TEMPLATE, history=history, ports=history.ports(), events=events, left_out=left_out,
                  maps=[shown(each, history) for each in maps], chart=chart, moment=moment, length=span(length),
                  point=span(length / chart.POINTS) if history.samples > chart.POINTS else None)


def shown(each, history):
    """A map, with what the module reported of it; what was before the first sample has no place."""
    events = [event for event in history.events if event.reported and event.map == each.name
              and history.first <= event.time <= history.last]
    names = ", ".join(name for name in (each.dm, each.wwid) if name and name != each.name)
    return {"name": each.name, "names": names,
            "paths": [(path, colour(index), chart.dash(index)) for index, path in enumerate(each.paths.values())],
            "charts": chart.charts(each, history.first, history.last, events)}
