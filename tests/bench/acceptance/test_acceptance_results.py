"""Medians, ratios and marks, of records that are made up."""
import dataclasses

import pytest

from tests.bench.acceptance import acceptance_results as results
from tests.bench.acceptance.acceptance_scenario import parse
from tests.bench.acceptance.acceptance_table import mark_line, text
from tests.bench.selectors import OURS

SCENARIO = parse("slow.toml", "slow", {
    "title": "one slow path", "number": 1, "clock": "virtual", "transport": "test disk",
    "paths": [{"delay_us": 10000, "service_us": 1000}, {"delay_us": 40000, "service_us": 1000}],
    "jobs": [{"rw": "randread", "depths": [1, 16]}]})
SCENARIOS = {"slow": SCENARIO}


def record(selector, iops, p99_us=9000.0, depth=16, scenario="slow", **others):
    return {"scenario": scenario, "job": "randread 4k", "depth": depth, "selector": selector,
            "transport": "test disk", "kernel": "6.12", "commit": "0123456", "repetition": 0, "iops": iops, "mib_s": iops / 256,
            "mean_us": 5000.0, "p50_us": 4000.0, "p99_us": p99_us, "p999_us": 2 * p99_us,
            "shares": [0.75, 0.25], "cpu": 0.1, **others}


def cell(*records):
    found, = results.cells(records, SCENARIOS)
    return found


def test_a_figure_is_the_median_and_shows_its_spread():
    found = cell(*(record(OURS, iops, shares=[share, 1 - share])
                   for iops, share in ((900, 0.5), (1000, 0.9), (3000, 0.8)))).by_selector[OURS]
    assert found.median["iops"] == 1000 and found.repetitions == 3
    assert (found.low["iops"], found.high["iops"]) == (900, 3000)
    assert found.shares == pytest.approx([0.8, 0.2])


def test_what_is_no_longer_in_a_scenario_is_left_out():
    assert results.cells([record(OURS, 1, depth=2), record(OURS, 1, scenario="gone"),
                          {"scenario": "slow", "selector": OURS, "trace": {}}], SCENARIOS) == []


def test_ratios_are_to_the_best_of_all_others():
    found = cell(record("round-robin", 100, p99_us=5000), record("queue-length", 300, p99_us=8000),
                 record("historical-service-time", 400, p99_us=9000), record(OURS, 600, p99_us=4000))
    assert found.ratio() == 1.5
    assert found.p99_ratio() == 0.8


def test_without_peers_there_is_no_ratio():
    assert cell(record(OURS, 600)).ratio() is None
    assert cell(record("round-robin", 600)).p99_ratio() is None


def test_optimum_of_the_test_disks():
    """1000 IOPS of the near path hold 11 I/Os; the other 5 take 41 ms each."""
    assert cell(record(OURS, 1)).optimum() == pytest.approx(1000 + 5 / 0.041)
    assert cell(record(OURS, 1, depth=1)).optimum() == pytest.approx(1 / 0.011)


def test_optimum_of_a_path_with_a_tail():
    """Of 100 I/Os, 99 take 11 ms and one 61."""
    tail = {"delay_us": 10000, "service_us": 1000, "tail_every": 100, "tail_us": 50000}
    scenario = dataclasses.replace(SCENARIO, paths=[tail, {"delay_us": 40000}])
    found, = results.cells([record(OURS, 1, depth=1)], {"slow": scenario})
    assert found.optimum() == pytest.approx(1 / 0.0115)


@pytest.mark.parametrize("job, iops", [
    ({"rw": "randread"}, 2000), ({"rw": "randwrite"}, 500), ({"rw": "randrw"}, 1 / 0.00125),
    ({"rw": "randrw", "options": {"rwmixread": 75}}, 1 / 0.000875),
    ({"rw": "randrw", "options": {"rwmixread": 75, "rwmixwrite": 50}}, 1 / 0.00125)])
def test_optimum_of_paths_for_reads_and_for_writes(job, iops):
    """Reads take 0.5 ms on the first path, writes 2 ms on the second one."""
    scenario = parse("w.toml", "w", {"title": "t", "jobs": [{"label": "randread 4k", "depths": [1], **job}],
                                     "paths": [{"delay_us": 500, "write_delay_us": 5000},
                                               {"delay_us": 2000, "write_delay_us": -1}]})
    found, = results.cells([record(OURS, 1, depth=1, scenario="w")], {"w": scenario})
    assert found.optimum() == pytest.approx(iops)


def test_no_optimum_is_told_of_flushes():
    job = dataclasses.replace(SCENARIO.jobs[0], rw="randwrite", label="randread 4k", options={"fsync": 2})
    assert results.Cell(dataclasses.replace(SCENARIO, jobs=[job]), job, 16, {}).optimum() is None


def test_optimum_of_a_network_is_told_by_one_io_at_a_time():
    network = parse("n.toml", "n", {"title": "t", "number": 1, "clock": "virtual", "transport": "iscsi",
                                    "paths": [{}, {"delay_ms": 30}],
                                    "jobs": [{"rw": "randread", "depths": [1, 16]}]})
    alone, deep = results.cells([record(OURS, 190, depth=1, scenario="n", p50_us=5000),
                                 record("round-robin", 50, depth=1, scenario="n", p50_us=35000),
                                 record(OURS, 3000, scenario="n")], {"n": network})
    assert (alone.optimum(), deep.optimum()) == (200, 3200)


@pytest.mark.parametrize("text_size, expected", [("512", 512), ("4k", 4096), ("1M", 1 << 20)])
def test_sizes(text_size, expected):
    assert results.size(text_size) == expected


def test_published_ratio_or_nearly_the_optimum():
    """At depth 16 the optimum is 1122 IOPS: 1.52 of 600 is possible, 3.3 of 400 is not."""
    found = cell(record("queue-length", 600), record("round-robin", 400), record(OURS, 1080))
    by_text = {mark.text.split(": times ")[1].split("'")[0]: mark
               for mark in results.published_marks([found])}
    assert by_text["queue-length"].wanted == 1.52 and by_text["queue-length"].met
    assert by_text["round-robin"].wanted == pytest.approx(0.95 * 1121.95 / 400, abs=0.001)
    assert by_text["round-robin"].met
    missed = results.published_marks([cell(record("queue-length", 600), record(OURS, 900))])
    assert [mark.met for mark in missed] == [False]


def test_overall_marks_and_the_last_line():
    found = results.cells([record("round-robin", 100), record(OURS, 200, p99_us=9900),
                           record("round-robin", 100, depth=1), record(OURS, 98, depth=1)], SCENARIOS)
    assert results.verdict(found) == "acceptance: gmean=1.400 worst=0.980 worst_p99=1.100"
    assert [mark.met for mark in results.overall_marks(found)] == [True, True, False]


def test_a_missed_mark_is_told_in_red():
    missed, met = (results.Mark("throughput", 0.5, 1.0, met) for met in (False, True))
    assert mark_line(missed, red=True) == "\033[31mMISSED  throughput: 0.500 (mark: 1.000)\033[0m"
    assert mark_line(missed, red=False).startswith("MISSED")
    assert "\033" not in mark_line(met, red=True)


def test_the_text_has_each_selector_and_what_kind_of_figures_these_are():
    shown = text(results.Evaluation([record("round-robin", 100), record(OURS, 200)], SCENARIOS), red=False)
    assert "1. one slow path (exact: virtual time, test disk)" in shown
    assert "round-robin                  100       100-100" in shown
    assert f"{OURS}: 2.000 of the best peer's throughput, 1.000 of the lowest p99" in shown


def test_tasks_are_medians_by_selector_and_way():
    copying = parse("c.toml", "c", {"title": "copies", "number": 11, "clock": "virtual", "transport": "iscsi",
                                    "paths": [{}, {}], "task": "copy"})
    records = [{"scenario": "c", "selector": selector, "way": "sg_xcopy", "seconds": seconds,
                "mib_s": 8 / seconds, "carried_mib": [0.1, 7.9], "kernel": "6.12", "commit": "0123456", "repetition": 0}
               for selector, seconds in ((OURS, 4), ("round-robin", 8), (OURS, 2), (OURS, 1))]
    found = results.Evaluation(records, {"c": copying})
    assert list(found.task(copying)) == [("round-robin", "sg_xcopy"), (OURS, "sg_xcopy")]
    assert found.task(copying)[OURS, "sg_xcopy"]["seconds"] == 2
    assert found.verdict == ""
    assert text(found, red=False).splitlines()[-1].split() == [OURS, "sg_xcopy", "2.00", "4.0", "0.1", "+", "7.9"]
