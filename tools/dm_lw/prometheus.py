"""Metrics in Prometheus' text format, for node_exporter's textfile collector.

Names, labels and units follow Prometheus' conventions: base units, _total for
values that only grow, and a label instead of a part of a name.
"""
import sys
from dataclasses import dataclass
from typing import Callable, Optional

from . import output
from .maps import MADE_BY_MULTIPATH, PATH_KEYS, SOURCES, STATES, NoModule
from .policies import attached
from .values import CLASS_VALUES, OPERATION_VALUES, VALUES

PREFIX = "dm_lw_"


@dataclass(frozen=True)
class Metric:
    name: str
    kind: str                                   # counter or gauge
    help: str
    key: str                                    # in a path's values
    convert: Callable
    label: Optional[str] = None                 # one more, and
    word: Optional[str] = None                  # its value


def metrics_of(values, default=False):
    """Metrics that are always written, or all others."""
    return tuple(Metric(metric.name, metric.kind, metric.help, value.key, metric.convert or value.unit.convert,
                        metric.label, metric.word)
                 for value in values for metric in value.metrics if metric.default == default)


# Metrics of each path for alerts and dashboards; the others are for --prometheus-all.
PATH_METRICS = metrics_of(VALUES, default=True)
KEYS = tuple(key for key in PATH_KEYS if key in {metric.key for metric in PATH_METRICS})
MORE_PATH_METRICS = metrics_of(VALUES)
CLASS_METRICS = metrics_of(CLASS_VALUES)
OPERATION_METRICS = metrics_of(OPERATION_VALUES)


class Page:
    """Samples by metric: samples of one metric have to stand together."""

    def __init__(self):
        self.metrics = {}

    def add(self, name, kind, text, value, **labels):
        head = "# HELP %s%s %s\n# TYPE %s%s %s" % (PREFIX, name, text, PREFIX, name, kind)
        words = ",".join('%s="%s"' % (label, escaped(word)) for label, word in labels.items())
        sample = "%s%s%s %s" % (PREFIX, name, "{%s}" % words if words else "", number(value))
        self.metrics.setdefault(name, [head]).append(sample)

    def text(self):
        return "".join("\n".join(lines) + "\n" for lines in self.metrics.values())


def escaped(word):
    return word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def number(value):
    return "%d" % value if value == int(value) else repr(value)


def page(maps, everything=False, policies=()):
    """Values of all maps; None for maps means that there is no module. `policies` are by dm-N.

    The labels device, path, sysfs_name and uuid are as in node_exporter's collector dmmultipath.
    """
    result = Page()
    result.add("module_loaded", "gauge", "1 if the module is loaded.", int(maps is not None))
    for found in maps or ():
        result.add("map_info", "gauge", "Other names of a map.", 1, device=found.name,
                   sysfs_name=found.dm, uuid=MADE_BY_MULTIPATH + found.wwid if found.wwid else "")
        if found.dm in policies:
            add_policy(result, found, policies[found.dm])
        for path in found.paths:
            labels = {"device": found.name, "path": path.name}
            add_values(result, PATH_METRICS, path.values, labels)
            if everything:
                add_more(result, path, labels)
    return result.text()


def add_policy(result, found, policy):
    result.add("policy_info", "gauge", "The BPF program that chooses paths.", 1, device=found.name,
               program=policy.name, id=str(policy.id))
    for name, count in policy.counts.items():
        result.add("policy_choices_total", "counter", "I/Os by what became of the policy's choice.", count,
                   device=found.name, result=name)
    if policy.mean_ns:
        result.add("policy_choice_seconds", "gauge", "Mean time of a choice.", policy.mean_ns / 1e9, device=found.name)


def add_more(result, path, labels):
    add_word(result, "state", "1 for the state of the path.", STATES, path, labels)
    add_word(result, "latency_source", "1 for what measures the path.", SOURCES, path, labels)
    add_values(result, MORE_PATH_METRICS, path.values, labels)
    for name, values in path.classes.items():
        if values["done"]:
            add_values(result, CLASS_METRICS, values, dict(labels, **{"class": name}))
    for name, values in path.operations.items():
        if values["done"]:
            add_values(result, OPERATION_METRICS, values, dict(labels, operation=name))


def add_word(result, key, text, words, path, labels):
    """A word as a set of zeros and a one, since values are numbers."""
    if path.values[key] is None:
        return
    for word in words:
        result.add("path_" + key, "gauge", text, int(path.values[key] == word),
                   **dict(labels, **{key: word}))


def add_values(result, metrics, values, labels):
    for metric in metrics:
        if values.get(metric.key) is None:
            continue
        more = {metric.label: metric.word} if metric.label else {}
        result.add(metric.name, metric.kind, metric.help, metric.convert(values[metric.key]),
                   **dict(labels, **more))


class Reporter:
    """Writes the metrics to a file, or to stdout."""

    def __init__(self, look, file, everything):
        self.inner_look = look
        self.file = file
        self.everything = everything

    def look(self):
        """Without the module, no old figures may stay behind; it is an error nevertheless."""
        try:
            return self.inner_look()
        except NoModule:
            self.write(page(None))
            raise

    def __call__(self, now, _before):
        policies = {found.dm: attached.read(self.inner_look.sysfs, found) for found in now.maps}
        self.write(page(now.maps, self.everything, {dm: policy for dm, policy in policies.items() if policy}))

    def write(self, text):
        if self.file == output.STDOUT:
            sys.stdout.flush()
            sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))    # in any locale
            sys.stdout.flush()
        else:
            output.replace(self.file, text)
