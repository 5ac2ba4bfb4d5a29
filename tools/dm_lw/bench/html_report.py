"""A document of dm-lw bench as one HTML file that needs no other, by the template bench.html.j2."""
import time

from ..columns import UNKNOWN
from ..live_tables import SELECTOR
from ..page import COLOURS, render
from .comparison import counted_runs, flat, verdicts

TEMPLATE = "bench.html.j2"
WIDTH, HEIGHT = 180, 16                 # size of a bar in pixels
OURS, OTHERS = "#c62828", "#5b8fc4"


def page(document):
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(document["time"]))
    return render(TEMPLATE, **dict(document, when=when, sections=list(sections(document)),
                                   runs=counted_runs(document["repeat"]), unknown=UNKNOWN, width=WIDTH, height=HEIGHT, colours=COLOURS))


def sections(document):
    """A table for each job that ran."""
    for name, what in document["jobs"].items():
        rows = [shown(row, document) for row in document["results"] if row["scenario"] == name]
        if rows:
            most = {figure: max(row["spread"][figure][1] for row in rows)
                    for figure in ("iops", "p99_us")}
            yield {"name": name, "what": what, "rows": rows, "most": most,
                   "verdicts": list(verdicts(rows, document["own_selector"]))}


def shown(row, document):
    return dict(flat(row, document), cpu_percent=row["cpu"] and 100 * row["cpu"],
                colour=OURS if row["selector"].startswith(SELECTOR) else OTHERS)
