"""Metrics in Prometheus' text format, for node_exporter's textfile collector.

Names, labels and units follow Prometheus' conventions: base units, _total for
values that only grow, and a label instead of a part of a name.
"""
import sys
from dataclasses import dataclass
from typing import Callable, Optional

from . import output
from .maps import FAILED, MADE_BY_MULTIPATH, NOT_USED, PATH_KEYS, SOURCES, STATES, NoModule
from .policies import attached

PREFIX = "dm_lw_"


def as_it_is(value):
    return value


def seconds(microseconds):
    return microseconds / 1e6


def of_128(weight):
    return weight / 128


def of_100(share):
    return share / 100


def of_1000(cost):
    return cost / 1000


def is_not_used(state):
    return int(state in NOT_USED)


def is_failed(state):
    return int(state == FAILED)


@dataclass(frozen=True)
class Metric:
    name: str
    kind: str                                   # counter or gauge
    help: str
    key: str                                    # in a path's values
    convert: Callable = as_it_is
    label: Optional[str] = None                 # one more, and
    word: Optional[str] = None                  # its value


# Metrics of each path for alerts and dashboards; the others are for --prometheus-all.
PATH_METRICS = (
    Metric("path_latency_seconds", "gauge", "Latency of data, all sizes together.",
           "latency_us", seconds),
    Metric("path_base_latency_seconds", "gauge", "Latency of data without queueing on the path.",
           "base_latency_us", seconds),
    Metric("path_outlier_latency_seconds", "gauge", "What outliers add to the latency in the mean.",
           "outlier_latency_us", seconds),
    Metric("path_share_ratio", "gauge", "Part of the map's I/Os that went to the path in the last seconds.",
           "share", of_100),
    Metric("path_slow", "gauge", "1 if the path is slow or stalled, and gets next to no I/O.", "state", is_not_used),
    Metric("path_failed", "gauge", "1 if dm has failed the path.", "state", is_failed),
    Metric("path_in_flight", "gauge", "I/Os in flight.", "inflight"),
    Metric("path_state_since_timestamp_seconds", "gauge", "When the state last changed.",
           "state_since"),
    Metric("path_done_total", "counter", "I/Os done.", "done"),
    Metric("path_failures_total", "counter", "Times that dm failed the path.", "failures"),
    Metric("path_read_bytes_total", "counter", "Bytes that the path's disk read.", "read_bytes"),
    Metric("path_written_bytes_total", "counter", "Bytes that the path's disk wrote.",
           "write_bytes"),
)
KEYS = tuple(key for key in PATH_KEYS if key in {metric.key for metric in PATH_METRICS})

MORE_PATH_METRICS = (
    Metric("path_noise_ratio", "gauge", "Mean deviation of the latency, as a part of it.",
           "noise_percent", of_100),
    Metric("path_weight_ratio", "gauge", "Part of the traffic that the latencies imply.",
           "weight", of_128),
    Metric("path_knee_ios", "gauge", "I/Os in flight that make the path queue.", "knee"),
    Metric("path_block_cost_ratio", "gauge", "What 4 KiB add to the cost of an I/O.",
           "block_cost", of_1000),
    Metric("path_preferred", "gauge", "1 if the path's latency counts as half.", "prefer"),
    Metric("path_started_total", "counter", "I/Os sent.", "starts"),
    Metric("path_ended_total", "counter", "I/Os that ended, done or not.", "ends"),
    Metric("path_probes_total", "counter", "I/Os sent as probes.", "probes"),
    Metric("path_full_total", "counter", "Times that the path was found full.", "full"),
    Metric("path_counted_writes_total", "counter", "Writes with a time stamp, while by_operation is 1.", "writes"),
    Metric("path_unknown_operations_total", "counter", "I/Os that by_operation could not tell apart.", "unknown_ops"),
    Metric("path_outliers_total", "counter", "I/Os that took eight times as long as on an idle path.",
           "outliers"),
    Metric("path_ignored_total", "counter", "Completions that tell no latency, by reason.",
           "ignored_failed", label="reason", word="failed"),
    Metric("path_ignored_total", "counter", "Completions that tell no latency, by reason.",
           "ignored_stale", label="reason", word="stale"),
    Metric("path_ignored_total", "counter", "Completions that tell no latency, by reason.",
           "ignored_unissued", label="reason", word="unissued"),
)

CLASS_METRICS = (
    Metric("class_latency_seconds", "gauge", "Latency by size class.", "latency_us", seconds),
    Metric("class_done_total", "counter", "Measured I/Os.", "done"),
    Metric("class_in_flight", "gauge", "I/Os in flight by size class.", "inflight"),
)

OPERATION_METRICS = (
    Metric("path_operation_base_latency_seconds", "gauge", "Base latency by operation.", "base_latency_us", seconds),
    Metric("path_operation_done_total", "counter", "I/Os done, by operation.", "done"),
)


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
