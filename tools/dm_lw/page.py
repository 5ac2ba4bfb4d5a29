"""Pages of HTML, each a file that needs no other, by jinja2's templates in templates/."""
import os
import time

from .errors import LwError

# Colours of paths, in their order.
COLOURS = ("#2f6aa8", "#e0a030", "#5a9e5a", "#8e6bb0", "#b05a5a", "#58a5a5", "#9e9e9e", "#c98bb0")


def colour(index):
    return COLOURS[index % len(COLOURS)]


def templates():
    """jinja2; all else that dm-lw does works without, and begins sooner."""
    try:
        import jinja2
    except ImportError:
        raise LwError("a report in HTML needs Python's jinja2 (Debian: python3-jinja2)")
    return jinja2


def render(template, **values):
    """The template engine escapes text from outside."""
    jinja2 = templates()
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(os.path.join(os.path.dirname(__file__), "templates")),
        autoescape=True,
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.get_template(template).render(values).strip() + "\n"


def moment(seconds):
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))
