"""A document of dm-lw bench as one HTML file that needs no other, by the template bench.html.j2."""
import os
import time

from .bench_table import flat
from .columns import UNKNOWN
from .errors import LwError
from .live_tables import SELECTOR

TEMPLATE = "bench.html.j2"
WIDTH, HEIGHT = 180, 16                 # of a bar, in pixels
OURS, OTHERS = "#c62828", "#5b8fc4"
PATHS = ("#2f6aa8", "#e0a030", "#5a9e5a", "#8e6bb0", "#b05a5a", "#58a5a5", "#9e9e9e", "#c98bb0")


def templates():
    """jinja2; all else that dm-lw does works without, and begins sooner."""
    try:
        import jinja2
    except ImportError:
        raise LwError("a report in HTML needs Python's jinja2 (Debian: python3-jinja2)")
    return jinja2


def page(document):
    """What comes from outside is escaped by the template engine."""
    jinja2 = templates()
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(os.path.dirname(__file__)), autoescape=True,
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(document["time"]))
    return environment.get_template(TEMPLATE).render(
        document, when=when, sections=list(sections(document)), unknown=UNKNOWN, width=WIDTH,
        height=HEIGHT, colours=PATHS).strip() + "\n"


def sections(document):
    """A table for each job that ran."""
    for name, what in document["jobs"].items():
        rows = [shown(row, document) for row in document["results"] if row["scenario"] == name]
        if rows:
            most = {figure: max(row["spread"][figure][1] for row in rows)
                    for figure in ("iops", "p99_us")}
            yield {"name": name, "what": what, "rows": rows, "most": most}


def shown(row, document):
    return dict(flat(row, document), cpu_percent=row["cpu"] and 100 * row["cpu"],
                colour=OURS if row["selector"].startswith(SELECTOR) else OTHERS)
