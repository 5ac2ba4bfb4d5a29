"""Elements of SVG as text, and the paths' colours."""
from html import escape

PATHS = ("#2f6aa8", "#e0a030", "#5a9e5a", "#8e6bb0", "#b05a5a", "#58a5a5", "#9e9e9e", "#c98bb0")


def colour(index):
    return PATHS[index % len(PATHS)]


def element(name, *content, **attributes):
    """<name a="b">content</name>; content is markup, attributes are text or numbers."""
    words = "".join(' %s="%s"' % (key.rstrip("_").replace("_", "-"), escape(number(value)))
                    for key, value in attributes.items() if value is not None)
    inner = "".join(content)
    return "<%s%s>%s</%s>" % (name, words, inner, name) if inner else "<%s%s/>" % (name, words)


def number(value):
    """A tenth of a pixel is enough."""
    if isinstance(value, float):
        return "%.1f" % value if value % 1 else "%d" % value
    return str(value)


def label(text, x, y, **attributes):
    return element("text", escape(text), x=x, y=y, **attributes)
