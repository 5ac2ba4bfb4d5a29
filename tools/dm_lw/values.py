"""The table of values that dm-lw shows of a path.

Each place that shows values has them from here: columns and their help, keys in JSON, metrics, the man page,
completion ("make tables"), and the files that are read in sysfs. JSON has each value under its key, in the
unit of the module; only text is rounded.
"""
from dataclasses import dataclass
from typing import Callable, Optional, Tuple

from .states import CLASSES, DISK, FAILED, NOT_USED, SOURCES, STATES
from .sysfs import by_number
from .units import (BYTES, BYTES_PER_SECOND, PARTS_OF_128, PARTS_OF_1000, PER_SECOND, PERCENT, PERCENT_WITH_PLACES,
                    PLAIN, SINCE, US, Unit)

# How a file in sysfs has a value; a COUNT only grows.
WORD, NUMBER, COUNT, DECIMAL = FILES = ("word", "number", "count", "decimal")
GAUGE, COUNTER = "gauge", "counter"


@dataclass(frozen=True)
class Metric:
    """For Prometheus; without DEFAULT, only with --prometheus-all."""
    name: str
    help: str
    default: bool = False
    convert: Optional[Callable] = None          # otherwise the unit's
    label: Optional[str] = None                 # one more, and
    word: Optional[str] = None                  # its value

    @property
    def kind(self):
        return COUNTER if self.name.endswith("_total") else GAUGE


@dataclass(frozen=True)
class Value:
    key: str                                    # in JSON, and the file in sysfs, if there is one
    file: Optional[str] = None                  # how that has it: one of FILES
    unit: Unit = PLAIN
    column: Optional[str] = None                # the column's name, for -o
    header: Optional[str] = None                # if it is not the name
    help: str = ""                              # explains the column; the man page has words in bold
    metrics: Tuple[Metric, ...] = ()
    words: Tuple[str, ...] = ()                 # all that a WORD can be
    zero_is_unknown: bool = False
    rate_of: Tuple[str, ...] = ()               # the counts whose sum it tells by the second
    text: bool = False                          # to the left
    width: int = 0                              # at least
    order: Optional[Callable] = None            # sorts by this instead of the value


def worst_first(state):
    return -STATES.index(state)


def by_size(name):
    return list(CLASSES).index(name)


def is_not_used(state):
    return int(state in NOT_USED)


def is_failed(state):
    return int(state == FAILED)


def ignored(reason):
    return Value("ignored_" + reason, COUNT, metrics=(
        Metric("path_ignored_total", "Completions that tell no latency, by reason.", label="reason", word=reason),))


def name_of(key, column, help, header=None, width=0):
    return Value(key, column=column, header=header, help=help, text=True, width=width, order=by_number)


def percentile(key, column, help):
    return Value(key, unit=US, column=column, header=column + "-ms", help=help, width=8)


VALUES = (
    name_of("map", "map", "alias of the map", width=8),
    name_of("dm", "dm", "dm-N of the map"),
    Value("wwid", column="wwid", help="WWID of the map", text=True),
    Value("selector", column="selector",
          help="path selector of the map; only root is told of others than latency-weighted",
          text=True),
    name_of("path", "path", "the path's block device"),
    name_of("device", "device", "number of that device", "dev"),
    name_of("hctl", "hctl", "SCSI address of the path: host, channel, target, LUN"),
    name_of("target_port", "port", "the storage's port that the path leads to"),
    name_of("host_port", "hba", "the port of this host that the path begins at"),
    Value("prio", column="prio", help="priority that multipathd gives the path; for root"),
    Value("checker", column="checker",
          help="the last result of multipathd's checker, such as ready or ghost; for root",
          text=True),
    Value("paths", column="paths", help="with --by: how many paths the map or port has"),
    Value("slow", column="slow", help="with --by: how many of these are slow or stalled"),
    Value("failed", column="failed", help="with --by: how many of these have failed"),
    Value("state", WORD, words=STATES, column="state", text=True, width=7, order=worst_first,
          help="new (not measured yet), active, slow (at least twice the best path's latency: it gets probes, and"
               " I/O that the others cannot carry), stalled (gets a rare single I/O until one completes), ramping (reinstated, no probe has"
               " completed yet) or failed",
          metrics=(Metric("path_slow", "1 if the path is slow or stalled, and gets next to no I/O.", True, is_not_used),
                   Metric("path_failed", "1 if dm has failed the path.", True, is_failed))),
    Value("state_since", DECIMAL, SINCE, column="since", width=8, zero_is_unknown=True,
          help="since when the path is in that state; for a slow path, when it became slow",
          metrics=(Metric("path_state_since_timestamp_seconds", "When the state last changed.", True),)),
    Value("known_since", DECIMAL, SINCE),
    Value("latency_source", WORD, words=(*SOURCES, DISK), column="source", text=True,
          help="latency source: none, timestamps, or counts (Little's law alone, I/Os in flight divided by those done a"
               " second, since requests have no time stamps); disk with other selectors"),
    Value("weight", NUMBER, PARTS_OF_128, column="weight", help="share of the traffic that the latencies imply, of 128",
          metrics=(Metric("path_weight_ratio", "Part of the traffic that the latencies imply."),)),
    Value("share", DECIMAL, PERCENT_WITH_PLACES, metrics=(
        Metric("path_share_ratio", "Part of the map's I/Os that went to the path in the last seconds.", True),)),
    Value("share_percent", None, PERCENT_WITH_PLACES, column="share", header="share%", width=6,
          help="per cent of the map's I/Os that were sent there: in the interval, in the first report in the last"
               " seconds"),
    Value("starts", COUNT, metrics=(Metric("path_started_total", "I/Os sent."),)),
    Value("ends", COUNT, metrics=(Metric("path_ended_total", "I/Os that ended, done or not."),)),
    Value("done", COUNT, metrics=(Metric("path_done_total", "I/Os done.", True),)),
    Value("ios_per_s", None, PER_SECOND, column="ios", header="io/s",
          help="I/Os done a second", width=8, rate_of=("done",)),
    Value("writes", COUNT, metrics=(
        Metric("path_counted_writes_total", "Writes with a time stamp, while by_operation is 1."),)),
    Value("unknown_ops", COUNT, metrics=(
        Metric("path_unknown_operations_total", "I/Os that by_operation could not tell apart."),)),
    Value("read_bytes", metrics=(Metric("path_read_bytes_total", "Bytes that the path's disk read.", True),)),
    Value("write_bytes", metrics=(Metric("path_written_bytes_total", "Bytes that the path's disk wrote.", True),)),
    Value("read_bytes_per_s", None, BYTES_PER_SECOND, column="read", header="rMB/s", width=8,
          help="10^6 bytes read a second, as the path's disk counts them; not in the first report"),
    Value("write_bytes_per_s", None, BYTES_PER_SECOND, column="write", header="wMB/s", width=8,
          help="10^6 bytes written a second, as the path's disk counts them; not in the first report"),
    Value("bytes_per_s", None, BYTES_PER_SECOND, column="bytes", header="MB/s", width=7,
          help="with --by: 10^6 bytes a second, read and written"),
    Value("disk_reads_per_s", None, PER_SECOND, column="r/s", width=7,
          help="reads a second, as the path's disk counts them; not in the first report"),
    Value("disk_writes_per_s", None, PER_SECOND, column="w/s", width=7,
          help="writes a second, as the path's disk counts them; not in the first report"),
    Value("read_latency_us", None, US, column="r_await", header="r_await", width=7,
          help="in ms, the mean time that these reads took"),
    Value("write_latency_us", None, US, column="w_await", header="w_await", width=7,
          help="in ms, the mean time that these writes took"),
    Value("io_bytes", None, BYTES, column="size", header="size-KiB",
          help="in KiB, the mean size of these reads and writes"),
    Value("class", column="class", help="size class of I/Os; with --classes", text=True, order=by_size),
    Value("done_per_s", None, PER_SECOND, column="done", header="done/s",
          help="measured I/Os a second of the size class; with --classes"),
    Value("latency_us", NUMBER, US, column="latency", header="lat-ms", width=8, zero_is_unknown=True,
          help="in ms, latency of data, all sizes together; for a stalled path, the time without a completion",
          metrics=(Metric("path_latency_seconds", "Latency of data, all sizes together.", True),)),
    Value("base_latency_us", NUMBER, US, column="base", header="base-ms", width=8, zero_is_unknown=True,
          help="in ms, latency without queueing on the path; paths are compared by this and outlier together",
          metrics=(Metric("path_base_latency_seconds", "Latency of data without queueing on the path.", True),)),
    percentile("p50_us", "p50", "in ms, half of the I/Os with data took no longer: in the interval, in the first report"
                                " of all that was counted; for root, and where the map's tunable histogram is 1"),
    percentile("p90_us", "p90", "in ms, 90 of 100 took no longer"),
    percentile("p99_us", "p99", "in ms, 99 of 100 took no longer"),
    percentile("p999_us", "p99.9", "in ms, 999 of 1000 took no longer"),
    Value("noise_percent", NUMBER, PERCENT, column="noise", header="noise%",
          help="per cent by which the latency varies from window to window",
          metrics=(Metric("path_noise_ratio", "Mean deviation of the latency, as a part of it."),)),
    Value("outlier_latency_us", NUMBER, US, column="outlier", header="outl-ms", width=8,
          help="in ms, the mean latency that rare slow I/Os add",
          metrics=(Metric("path_outlier_latency_seconds", "What outliers add to the latency in the mean.", True),)),
    Value("outliers", COUNT, column="outliers",
          help="I/Os that took eight times the base or more, or in a queue eight times the latency, ever",
          metrics=(Metric("path_outliers_total", "I/Os that took eight times as long as on an idle path."),)),
    Value("inflight", NUMBER, column="inflight", help="I/Os in flight",
          metrics=(Metric("path_in_flight", "I/Os in flight.", True),)),
    Value("knee", NUMBER, column="knee", zero_is_unknown=True,
          help="I/Os in flight that make the path queue; one that carries data counts for more, by its blockcost",
          metrics=(Metric("path_knee_ios", "I/Os in flight that make the path queue."),)),
    Value("block_cost", NUMBER, PARTS_OF_1000, column="blockcost", header="4k-cost",
          help="cost that each 4 KiB add to an I/O on this path, in 1/1000 of the cost of an I/O without data",
          metrics=(Metric("path_block_cost_ratio", "What 4 KiB add to the cost of an I/O."),)),
    Value("probes", COUNT, metrics=(Metric("path_probes_total", "I/Os sent as probes."),)),
    Value("probes_per_s", None, PER_SECOND, column="probes", header="probes/s",
          help="probes sent a second", rate_of=("probes",)),
    Value("full", COUNT, metrics=(Metric("path_full_total", "Times that the path was found full."),)),
    Value("full_per_s", None, PER_SECOND, column="full", header="full/s",
          help="times a second that the path was found full",
          rate_of=("full",)),
    ignored("failed"),
    ignored("stale"),
    ignored("unissued"),
    Value("ignored_per_s", None, PER_SECOND, column="ignored", header="ignored/s",
          help="completions a second that tell no latency",
          rate_of=("ignored_failed", "ignored_stale", "ignored_unissued")),
    Value("failures", COUNT, column="failures", help="times that the path failed, ever",
          metrics=(Metric("path_failures_total", "Times that dm failed the path.", True),)),
    Value("prefer", NUMBER, column="prefer", help="1 if the path's latency counts as half",
          metrics=(Metric("path_preferred", "1 if the path's latency counts as half."),)),
)

# Files in the directories of a path: a size class, an operation.
CLASS_VALUES = (
    Value("latency_us", NUMBER, US, zero_is_unknown=True,
          metrics=(Metric("class_latency_seconds", "Latency by size class."),)),
    Value("done", COUNT, metrics=(Metric("class_done_total", "Measured I/Os."),)),
    Value("inflight", NUMBER, metrics=(Metric("class_in_flight", "I/Os in flight by size class."),)),
)
OPERATION_VALUES = (
    Value("base_latency_us", NUMBER, US, zero_is_unknown=True,
          metrics=(Metric("path_operation_base_latency_seconds", "Base latency by operation."),)),
    Value("done", COUNT, metrics=(Metric("path_operation_done_total", "I/Os done, by operation."),)),
)
# Files of a path in sysfs that no command shows.
NOT_SHOWN = ("block_latency_ns",)


def keys(*kinds):
    """Keys of the values that sysfs has in these kinds of files."""
    return tuple(value.key for value in VALUES if value.file in kinds)
