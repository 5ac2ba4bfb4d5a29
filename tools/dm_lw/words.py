"""A map and its paths in plain words, for dm-lw show."""
from .columns import clock_time
from .maps import (ACTIVE, CLASSES, COUNTS, FAILED, NEW, OPERATIONS, RAMPING, SLOW, STALLED, STATES,
                   TOLD_APART)

# A queue that makes the latency less than so many times the base is not worth a word.
WORTH_A_WORD = 1.5
# Time of outliers that is less than this part of the base is not worth a word.
OUTLIERS_WORTH_A_WORD = 0.1
# Per cent of the I/Os of a map: a path that is not used gets more where the map does next to nothing, or as
# long as it was used.
MOSTLY_PROBES = 10
HALF_PREFERRED = "preferred: its latency counts as half"


def duration(microseconds):
    """Two digits that matter: 85 us, 1.2 ms, 31 ms, 2.5 s."""
    for size, unit in ((1, "us"), (1e3, "ms"), (1e6, "s")):
        value = microseconds / size
        if value < 9.95:
            return "%.2g %s" % (value, unit) if size > 1 else "%d us" % value
        if value < 999.5 or unit == "s":
            return "%d %s" % (round(value), unit)


def times(count):
    return {1: "once", 2: "twice"}.get(count, "%d times" % count)


def often(rate):
    """How often something is done: "5 times a second"."""
    if rate is None or rate == 0:
        return None
    if rate < 0.95:
        return "every %d s" % round(1 / rate)
    return "%s a second" % times(round(rate))


def percent(share):
    if share is None:
        return "an unknown part"
    if 0 < share < 0.1:
        return "less than 0.1 %"
    return "%.3g %%" % round(share, 1)


def path_sentence(row, others=(), place="", rule=None):
    """Like "sdc: SLOW since 12:03:11: 31 ms, the others 1.5 ms; gets 0.4 % of I/O"; the others' latencies in us."""
    parts = [state_part(row, others), traffic_part(row, rule)]
    if row["latency_source"] == COUNTS and row["state"] != FAILED:
        parts.append("measured by counting alone, as its requests have no time stamps")
    if row["prefer"]:
        parts.append(HALF_PREFERRED)
    name = "%s (%s)" % (row["path"], place) if place else row["path"]
    return "%s: %s" % (name, "; ".join(part for part in parts if part))


def state_part(row, others):
    since = " since %s" % clock_time(row["state_since"], "%Y-%m-%d %H:%M:%S") if row[
        "state_since"] else ""
    state = row["state"]
    if state == FAILED:
        return "FAILED%s, waits to be reinstated" % since
    if state == NEW or not row["latency_us"]:
        return "not measured yet" + (", back" + since if state == RAMPING else "")
    if state == STALLED:
        return "STALLED%s: nothing done for %s" % (since, duration(row["latency_us"]))
    latency = latency_words(row)
    if state == RAMPING:
        return "back%s, and not measured since; %s before it failed" % (since, latency)
    if state == SLOW:
        return "SLOW%s: %s%s" % (since, latency, compared(others))
    return latency


def compared(others):
    """With the paths that are used."""
    if not others:
        return ""
    least, most = duration(min(others)), duration(max(others))
    return ", the other%s %s" % ("s" if len(others) > 1 else "",
                                 least if least == most else "%s to %s" % (least, most))


def latency_words(row):
    """With the part that the path's own load does not explain, if it queues, and the time of outliers."""
    base, outliers = row["base_latency_us"], row.get("outlier_latency_us")
    more = []
    if base and row["latency_us"] >= WORTH_A_WORD * base:
        more.append("%s without queueing" % duration(base))
    if base and outliers and outliers >= OUTLIERS_WORTH_A_WORD * base:
        more.append("rare slow I/Os add %s" % duration(outliers))
    text = duration(row["latency_us"])
    return "%s (%s)" % (text, ", ".join(more)) if more else text


def traffic_part(row, rule=None):
    """The selector's reaction; none if a rule chooses, because the map is only observed."""
    if row["state"] == FAILED:
        return "failed %s so far" % times(row["failures"]) if row["failures"] else None
    flight = ", %d in flight" % row["inflight"] if row["inflight"] else ""
    if row["state"] == STALLED:
        return "gets a rare single I/O until one is done" + flight
    if not rule and row["state"] != ACTIVE and (row["share_percent"] or 0) > MOSTLY_PROBES:
        return ", ".join(filter(None, ("gets probes only", often(row["probes_per_s"]))))
    text = "gets %s of I/O" % percent(row["share_percent"])
    if row["state"] != ACTIVE and not rule:
        return text
    if row["ios_per_s"]:
        text += ", %d a second" % max(1, round(row["ios_per_s"]))
    return text + flight


def class_lines(row):
    """For which sizes of I/O, those that were measured."""
    for name, values in row["classes"].items():
        if not values["done"]:
            continue
        yield part_line(CLASSES[name], values["latency_us"], values)


def operation_lines(row):
    """Latency without a queue by operation, where the module tells reads from writes."""
    known = {name: values for name, values in row["operations"].items() if values["done"]}
    for name, values in known.items() if any(name in known for name in TOLD_APART) else ():
        yield part_line(OPERATIONS[name] + ", unqueued", values["base_latency_us"], values)


def part_line(words, latency_us, values):
    latency = duration(latency_us) if latency_us else "unknown"
    return "%-18s%-9s%s" % (words, latency, ios(values["done_per_s"]))


def ios(rate):
    return "%.1f I/Os a second" % rate if rate else "none now"


def knee_line(row):
    if not row["knee"] or row["state"] != ACTIVE:
        return None
    of_4k = 1 + (row["block_cost"] or 0) / 1000
    return "queues with more than about %d I/Os of 4 KiB in flight" % max(
        1, round(row["knee"] / of_4k))


def trouble_line(row):
    """Counts that an administrator should know about, if there are any."""
    parts = [what % times(row[key]) for key, what in (
        ("failures", "failed %s"),
        ("full", "found full %s"),
        ("ignored_unissued", "its driver was too busy %s"),
    ) if row.get(key)]
    return "so far: " + ", ".join(parts) if parts and row["state"] != FAILED else None


def map_lines(found, rows, places, rule=None):
    """The whole map; of each path, the place that it has. `rule` is what chooses if the map is only observed."""
    names = ", ".join(name for name in (found.dm, found.wwid) if name and name != found.name)
    yield "%s (%s): %s" % (found.name, names, summary(rows)) if names else "%s: %s" % (
        found.name, summary(rows))
    if rule:
        yield "observes only: I/O goes by %s, as choose=%s says" % (rule, rule)
    for row in rows:
        yield ""
        others = [each["latency_us"] for each in rows
                  if each is not row and each["state"] == ACTIVE and each["latency_us"]]
        yield path_sentence(row, others, places[row["path"]], rule)
        for line in (*class_lines(row), *operation_lines(row), knee_line(row), trouble_line(row)):
            if line:
                yield "    " + line


def summary(rows):
    """How many paths, and how many of them are in trouble."""
    counts = ["%d %s" % (sum(row["state"] == state for row in rows), state)
              for state in (ACTIVE, *STATES[2:-1], NEW, FAILED)
              if any(row["state"] == state for row in rows)]
    return "%d path%s%s" % (len(rows), "" if len(rows) == 1 else "s",
                            " (%s)" % ", ".join(counts) if counts else "")
