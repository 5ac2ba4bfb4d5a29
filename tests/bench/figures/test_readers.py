"""From results that are made up to what is kept of them, and to the blocks that show it."""
import json

import pytest

from tests.bench.acceptance.acceptance_scenario import load_all
from tests.bench.acceptance.test_acceptance_results import record
from tests.bench.cost.cost_plan import BESIDE, BY_OPERATION, UNSTAMPED
from tests.bench.cost.test_cost_results import COUNTS, counted, natively, rated
from tests.bench.demo.demo_plan import ALONE, ONE, Plan
from tests.bench.demo.demo_results import evaluate
from tests.bench.exact.test_exact_reaction import STEP, leaves_for, trace_of
from tests.bench.exact.test_exact_results import record as exact_record
from tests.bench.figures import store
from tests.bench.figures import struct_sizes as sizes
from tests.bench.figures.blocks import BLOCKS
from tests.bench.figures.readers import read_acceptance as acceptance
from tests.bench.figures.readers import read_cost as cost
from tests.bench.figures.readers import read_demo as demo
from tests.bench.figures.readers import read_exact as exact
from tests.bench.figures.readers import read_memory as memory
from tests.bench.figures.readers import read_scale as scale
from tests.bench.figures.readers import read_sim as sim
from tests.bench.figures.readers.read_common import rounded
from tests.bench.figures.steps_done import LOG
from tests.bench.scale.scale_plan import FEW, MARKED
from tests.bench.scale.test_scale_results import deep
from tests.bench.scale.test_scale_results import record as scale_record
from tests.bench.selectors import OURS

STAT = """   5 s  dm-lw stat 1 3
map                                dm    path  state
36001405aaaaaaaaaaaaaaaaaaaaaaaaa  dm-0  sda   new

map                                dm    path  state
36001405aaaaaaaaaaaaaaaaaaaaaaaaa  dm-0  sda   probing
36001405aaaaaaaaaaaaaaaaaaaaaaaaa  dm-0  sdb   active
"""


def figures(**steps):
    return store.document({name.replace("_", "-"): {"commit": "abc1234", "date": "2026-11-23", "results": results}
                           for name, results in steps.items()})


def write(directory, name, value):
    (directory / name).write_text(json.dumps(value))


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_without_figures_says_so(name):
    assert BLOCKS[name](figures()) == "*Not measured yet.*"


def test_numbers_are_as_exact_as_anybody_wants():
    assert rounded({"a": [1234.56789, (0.000123456789, 3)], "b": None}) == {
        "a": [1234.57, [0.000123457, 3]], "b": None}


def demo_run(configuration, iops):
    return {"repetition": 0, "configuration": configuration, "workload": "randread", "iops": iops, "mib_s": iops / 256,
            "mean_ms": 5.0, "p50_ms": 5.0, "p99_ms": 9.0, "p99.9_ms": 20.0, "slow_share": 0.125, "cpu_busy": 0.2}


def test_demo(tmp_path):
    runs = [demo_run(name, iops) for name, iops in ((ONE, 200), (ALONE, 1500), ("queue-length", 900), (OURS, 1480))]
    write(tmp_path, "results.json", evaluate(Plan(workloads=["randread"]), runs))
    (tmp_path / LOG).write_text(STAT)
    found = figures(demo=demo.read(tmp_path))
    shown = BLOCKS["demo"](found)
    assert "latency-weighted     1480  1480-1480" in shown and "one at a time  " not in shown
    assert "met     randread   times queue-length's throughput: 1.64 (mark: 1.50)" in shown
    assert BLOCKS["demo-stat"](found).splitlines()[3:6] == [
        "map      dm    path  state", "3600140  dm-0  sda   probing", "3600140  dm-0  sdb   active"]


def test_acceptance(tmp_path):
    runs = (("round-robin", 600, 50000), ("historical-service-time", 1600, 9000), (OURS, 1580, 10000))
    write(tmp_path, "results.json", [record(selector, iops, scenario="one-path-slow", p99_us=p99_us)
                                     for selector, iops, p99_us in runs])
    assert "one-path-slow" in load_all()
    found = figures(acceptance_one_path_slow=acceptance.read(tmp_path))
    assert ("| `one-path-slow` | randread 4k, depth 16 | 600 / 50.0 | 1600 / 9.0 | 1580 / 10.0 | 1597 | 0.988 | 1.111 |"
            in BLOCKS["acceptance-local"](found))
    assert "| `one-path-slow` | randread 4k, depth 16 | 0.988 | **1.111** |" in BLOCKS["acceptance-missed"](found)
    assert "times round-robin's throughput" in BLOCKS["acceptance-marks"](found)
    assert store.figure(found, "summary / quick / worst") == 0.9875
    assert "the highest is 1.111 | 0.000 | 0.90 | **missed** |" in BLOCKS["overview"](found)


def test_long_runs(tmp_path):
    runs = [("queue-length", 900, 8000), ("queue-length", 1100, 10000), (OURS, 1300, 9000), (OURS, 500, 18000)]
    write(tmp_path, "results.json", [record(selector, iops, scenario="long-equal-mix", p99_us=p99_us, job="4k to 1M")
                                     for selector, iops, p99_us in runs])
    found = figures(long_equal_mix=acceptance.read_long(tmp_path))
    shown = BLOCKS["acceptance-long"](found)
    assert "| a minute each | queue-length, mean | latency-weighted, worst | x | x p99 |" in shown
    assert "| `long-equal-mix` | 1000 / 9.0 | 500 / 18.0 | 0.500 | 2.000 |" in shown
    assert found["summary"]["local"] is None        # no part of the others


def test_a_change_before_any_io_has_no_reaction(tmp_path):
    trace = {"t": [2.0, 2.5, 3.0], "taken": [[0, 0], [1, 1], [2, 2]]}      # the path changes after 2 s
    write(tmp_path, "results.json", [record(OURS, 100, scenario="step"), {
        "scenario": "step", "selector": OURS, "kernel": "6.12", "commit": "abc1234", "repetition": 0, "trace": trace}])
    assert acceptance.read(tmp_path)["changes"] == {}


def test_exact(tmp_path):
    write(tmp_path, "results.json", [exact_record("round-robin", 1000), exact_record(OURS, 1500)])
    write(tmp_path, "trace-step.json", {OURS: trace_of(STEP, leaves_for(STEP, 0.1)),
                                        "round-robin": trace_of(STEP, lambda _: 0.5)})
    found = figures(exact_capped=exact.cases(tmp_path), exact_trace_step=exact.trace(tmp_path))
    assert "| capped | 8 | 1000 / 9.0 / 25.0 | 1500 / 9.0 / 25.0 | 1.500 |" in BLOCKS["exact"](found)
    assert f"| `step` | {OURS} | 200 | 80 | 5000 | 5000 |" in BLOCKS["exact-reaction"](found)
    assert "| `step` | round-robin | never | 0 |" in BLOCKS["exact-reaction"](found)


def test_cost(tmp_path):
    write(tmp_path, "results.json", {"records": COUNTS + [
        counted(BY_OPERATION, [1800]), counted(BESIDE, [1500]),
        counted(OURS, [2000], disk="lw_testdisk"), counted(UNSTAMPED, [1900], disk="lw_testdisk")] + [
        rated(selector, 100, number) for number in range(3)
        for selector in ("round-robin", "queue-length", "service-time", OURS)]})
    found = figures(cost_instructions=cost.instructions(tmp_path), cost_iops=cost.rates(tmp_path))
    assert "| request-based | 2 | 1000 | +0 | +50 | +49 |" in BLOCKS["cost-instructions"](found)
    assert "| request-based | 2 | 2000 | 1900 | 100 |" in BLOCKS["cost-accounting"](found)
    assert "| request-based | 2 | 1800 | 1049 | 751 | 1500 | 1000 | 500 |" in BLOCKS["cost-by-operation"](found)
    assert BLOCKS["cost-iops"](found).endswith("| 100 (0) | 100 (0) | 100 (0) | 100 (0) | 1.000 (0.000) |")


def test_cost_natively(tmp_path):
    write(tmp_path, "results.json", {"records": [natively("service-time", 20), natively(OURS, 60)]})
    found = figures(cost_native=cost.native(tmp_path))
    assert BLOCKS["cost-native"](found).endswith("| 1 | 2 | 20.0 (2.0) | 60.0 (2.0) |")
    assert ("| natively, 1 CPU, 2 paths, ns of an I/O against service-time's | 3.000 | <= 1.000 | **missed** |"
            in BLOCKS["overview"](found))


def test_scale(tmp_path):
    write(tmp_path, "results.json", {"records": [
        scale_record(MARKED, wanted_maps=1000, maps=500, busy=500, windows=25_000, window_ns=25_000_000),
        deep(FEW, 64_000)]})
    found = figures(scale=scale.read(tmp_path))
    assert "| 8 | 1 | 8 | 500 of 1000 | 500 |  | 100 | 1.0 | 5.00 | 0.0 | 2.0 |" in BLOCKS["scale"](found)
    assert "| 60 | 100 | 1.0 | 0.01 | 0.0 | 2.0 |" in BLOCKS["scale"](found)
    assert "per cent of one CPU | 5.0 | <= 30.0 | met |" in BLOCKS["overview"](found)


def test_memory(tmp_path):
    (tmp_path / LOG).write_text("lw: trixie   4 s: 1000 maps of two paths: 24.9 KiB each, above 9.0 of round-robin\n"
                                "lw: trixie   9 s: 100 maps of two paths: 36.1 KiB each, above 9.0 of round-robin\n"
                                "lw: trixie  12 s: 32 paths in a map: 19.8 KiB each, above round-robin's\n")
    found = figures(memory_trixie=memory.of_maps(tmp_path))
    assert BLOCKS["memory"](found).endswith("| 6.12 | 36.1 (100 maps), 24.9 (1,000 maps) | 19.8 (32 paths) |")
    (tmp_path / LOG).write_text("nothing")
    with pytest.raises(ValueError):
        memory.of_maps(tmp_path)


def test_sizes_of_a_structure():
    assert sizes.parse("struct s {\n\tstruct lw_cell cell[9] __attribute__((__aligned__(8))); /* 8 216 */\n"
                       "\tu64 other[9][28]; /*   624  2016 */\n\n\t/* size: 224, cachelines: 4 */\n};") == {
        "total": 224, "cell": 216, "other": 2016}


def test_a_block_tells_which_commit_each_step_is_of():
    found = figures(sim_pauses={"list": {"gmean": 1.01, "worst": 0.97, "worst_p99": 1.2, "misses": 1}},
                    sim={"list": {"gmean": 1.02, "worst": 0.93, "worst_p99": 1.5, "misses": 11}, "random": None})
    found["steps"]["sim"].update(commit="1234abc")
    assert BLOCKS["sim-lists"](found).splitlines()[0] == (
        "*Measured at 1234abc, 2026-11-23: sim; abc1234, 2026-11-23: sim-pauses.*")


def test_lists_of_minutes(tmp_path):
    """What is kept of them is less than they wrote: no rows of one number for each seed."""
    of = {"long": {"long": {"gmean": 1.02, "worst": 0.9, "worst_p99": 2.5, "misses": 3, "behind": [2, 40],
                            "least": {"K-array": 0.9, "V-late": 0.94}}},
          "luck": {"gmean_of_tenths": 0.98, "worst_tenth": 0.85, "worst_tenth_of": "J-log", "below": 0.027,
                   "worst": 0.6, "worst_of": "V-step", "rows": {"J-log": [0.9]}},
          "recover": {"soon": 0.985, "worst_s": None, "never": 1, "of": 200, "rows": {}}}
    for name, summary in of.items():
        (tmp_path / name).mkdir()
        write(tmp_path / name, "summary.json", summary)
    shown = BLOCKS["sim-minutes"](figures(**{f"sim_{name}": sim.extra(name)(tmp_path) for name in of}))
    assert "| 1.020 | 0.900 | 2.50 | 2 of 40 |" in shown and "`K-array` 0.90, `V-late` 0.94." in shown
    assert "2.7 % of the runs are below 0.9" in shown and "`J-log`" in shown
    assert "98.5 % of 200 runs" in shown and "1 never were" in shown
    assert "rows" not in sim.extra("luck")(tmp_path)
