"""Scenario files: those that are there, and what is said of bad ones."""
import dataclasses
import datetime
import math

import pytest

from tests.bench.acceptance.__main__ import with_arguments
from tests.bench.acceptance.acceptance_plan import GuestPlan, Job, Scenario
from tests.bench.acceptance.acceptance_results import Cell
from tests.bench.acceptance.acceptance_scenario import (MIX, PATH_KEYS, ScenarioError, known_keys, load,
                                                        load_all, parse)
from tests.bench.selectors import DEBIANS, HISTORICAL_SERVICE_TIME, OURS
from tests.lib.options import OPTIONS

ALL = load_all()
GOOD = {"title": "t", "number": 1, "clock": "virtual", "transport": "test disk",
        "paths": [{"delay_us": 1000}, {"delay_us": 2000, "tags": 8}],
        "jobs": [{"rw": "randread", "depths": [1, 8]}]}
CHANGE = {"at": 0.5, "path": 1, "set": {"delay_us": 9}}
ONE_DEPTH = [{"rw": "randread", "depths": [8]}]


def test_eight_are_quick_and_exact_but_for_noise():
    quick = [scenario for scenario in ALL.values() if scenario.quick]
    assert len(quick) == 8
    assert {scenario.name for scenario in quick if not scenario.exact} == {"iscsi-noise", "mixed-sizes-noise"}


def test_each_has_a_number_of_the_list():
    assert {scenario.number for scenario in ALL.values()} == set(range(1, 14))


@pytest.mark.parametrize("name", ALL)
def test_all_compare_us_with_the_kernels_own(name):
    assert {OURS, *DEBIANS, HISTORICAL_SERVICE_TIME} <= set(ALL[name].selectors)


@pytest.mark.parametrize("name", [name for name in ALL if ALL[name].arguments])
def test_each_with_arguments_can_be_measured_without(name):
    changed = with_arguments({name: ALL[name]}, {key: 0 for key in ALL[name].arguments})
    assert set(changed[name].arguments.values()) == {0}
    assert dataclasses.replace(changed[name], arguments=ALL[name].arguments) == ALL[name]


def test_least_that_a_file_has():
    scenario = parse("x.toml", "x", {key: GOOD[key] for key in ("title", "paths", "jobs")})
    assert scenario.exact and scenario.heading == "t"
    assert parse("x.toml", "x", GOOD).heading == "1. t"


@pytest.mark.parametrize("name", [name for name in ALL if ALL[name].changes])
def test_paths_end_as_they_began(name):
    """So that what is seen after the last change is a recovery."""
    scenario = ALL[name]
    at_end = [dict(path) for path in scenario.paths]
    for change in scenario.changes:
        at_end[change.path].update(change.set)
    assert at_end == [{key: begin.get(key, 0) for key in end}
                      for begin, end in zip(scenario.paths, at_end)]


@pytest.mark.parametrize("changed, told", [
    ({"titel": "t"}, "unknown key 'titel'"),
    ({"title": 3}, "title = 3 is of the wrong type"),
    ({"number": 14}, "number = 14 is not a whole number from 1 to 13"),
    ({"clock": "wall"}, "clock: 'wall' is none of virtual, real"),
    ({"transport": "fc"}, "transport: 'fc' is none of"),
    ({"paths": [{}]}, "paths: 2 to 16 tables"),
    ({"paths": [{}, {"delay_ms": 1}]}, "paths[1]: unknown key 'delay_ms'"),
    ({"paths": [{}, {"delay_us": -1}]}, "paths[1]: delay_us = -1 is not a whole number from 0 to 60000000"),
    ({"paths": [{}, {"write_delay_us": -2}]}, "write_delay_us = -2 is not a whole number from -1 to 60000000"),
    ({"paths": [{}, {"write_service_us": 0.5}]}, "write_service_us = 0.5 is not a whole number from -1 to 60000000"),
    ({"paths": [{}, {"write_mbps": True}]}, "write_mbps = True is not a whole number from -1 to 1000000"),
    ({"transport": "null_blk", "paths": [{}, {"write_delay_us": 1}]}, "paths[1]: unknown key 'write_delay_us'"),
    ({"arguments": 1}, "arguments = 1 is of the wrong type; a table is wanted"),
    ({"arguments": {"by_op": 1}}, "arguments: unknown key 'by_op'; known are ewma_shift, "),
    ({"arguments": {"by_operation": 2}}, "arguments: by_operation = 2 is not a whole number from 0 to 1"),
    ({"arguments": {"by_operation": "1"}}, "arguments: by_operation = '1' is not a whole number from 0 to 1"),
    ({"arguments": {"by_operation": True}}, "arguments: by_operation = True is not a whole number"),
    ({"jobs": []}, "jobs or a task is wanted"),
    ({"task": "copy"}, "jobs or a task is wanted"),
    ({"jobs": [], "task": "clean"}, "task: 'clean' is none of copy, defragment"),
    ({"jobs": [], "task": "copy"}, "copy for iscsi"),
    ({"jobs": [{"rw": "randread"}]}, "jobs[0]: 'depths' is missing"),
    ({"jobs": [{"rw": "randread", "depths": [8, 1]}]}, "jobs[0]: depths are a rising list"),
    ({"jobs": [{"rw": "trim", "depths": [1]}]}, "jobs[0]: rw: 'trim' is none of"),
    ({"jobs": 2 * ONE_DEPTH}, "two jobs are called the same"),
    ({"selectors": ["fastest"]}, "selectors: 'fastest' is none of"),
    ({"selectors": ["native-numa"]}, "native-numa is for nvme-tcp"),
    ({"selectors": ["io-affinity"]}, "io-affinity wants a CPU for each path"),
    ({"transport": "null_blk", "paths": [{"delay_us": 5, "hang": 1}, {}]}, "paths[0]: unknown key 'hang'"),
    ({"transport": "null_blk", "paths": [{}, {}], "jobs": ONE_DEPTH,
      "changes": [{"at": 0.5, "path": 1, "set": {"delay_us": 1}}]}, "no task, no changes"),
    ({"groups": [1, 2]}, "groups: sizes that make up the 2 paths"),
    ({"stress_ng": "--cpu '1"}, "stress_ng: \"--cpu '1\": No closing quotation"),
    ({"flood": [0]}, "flood is for paths with a network"),
    ({"changes": [CHANGE]}, "with changes, one job"),
    ({"changes": [{**CHANGE, "path": 2}], "jobs": ONE_DEPTH}, "changes[0]: path = 2 is not a whole number from 0"),
    ({"changes": [{**CHANGE, "at": 9}], "jobs": ONE_DEPTH}, "a change after the end of the job"),
    ({"changes": [{**CHANGE, "at": -1}], "jobs": ONE_DEPTH}, "changes[0]: at = -1 is not a number from 0 to 600"),
    ({"changes": [{**CHANGE, "path": True}], "jobs": ONE_DEPTH},
     "changes[0]: path = True is of the wrong type; a whole number is wanted"),
    ({"changes": [{**CHANGE, "set": 3}], "jobs": ONE_DEPTH}, "changes[0]: set = 3 is of the wrong type; a table"),
    ({"changes": [{**CHANGE, "set": {"hang": 1}}], "jobs": ONE_DEPTH}, "paths[1]: hang = 1 to the end"),
    ({"title": True}, "title = True is of the wrong type; text is wanted"),
    ({"quick": 1}, "quick = 1 is of the wrong type; true or false is wanted"),
    ({"paths": 3}, "paths: 2 to 16 tables are wanted, not 3"),
    ({"paths": [{}, 5]}, "paths[1]: a table is wanted, not 5"),
    ({"paths": [{}, {"delay_us": 0.5}]}, "delay_us = 0.5 is not a whole number from 0 to 60000000"),
    ({"paths": [{}, {"delay_us": float("nan")}]}, "delay_us = nan is not a whole number"),
    ({"paths": [{}, {"tags": 0}]}, "tags = 0 is not a whole number from 1 to 1024"),
    ({"transport": "iscsi", "paths": [{}, {"loss_percent": float("nan")}]}, "loss_percent = nan is not a number"),
    ({"transport": "iscsi", "paths": [{}, {"loss_percent": 100}]}, "loss_percent = 100 is not a number from 0 to 50"),
    ({"transport": "iscsi", "paths": [{}, {"delay_ms": 1, "jitter_ms": 2}]},
     "paths[1]: jitter_ms = 2 is not a number from 0 to the path's delay_ms, which is 1"),
    ({"transport": "iscsi", "paths": [{}, {"distribution": "lognormal"}]},
     "paths[1]: distribution: 'lognormal' is none of uniform, normal, pareto, paretonormal"),
    ({"jobs": 5}, "jobs is a list of tables, not 5"),
    ({"jobs": [5]}, "jobs[0]: a table is wanted, not 5"),
    ({"jobs": [{"rw": "read", "depths": [True]}]}, "jobs[0]: depths are a rising list"),
    ({"jobs": [{"rw": "read", "depths": ["8"]}]}, "numbers from 1 to 1024, not ['8']"),
    ({"jobs": [{"rw": "read", "depths": 8}]}, "depths = 8 is of the wrong type; a list is wanted"),
    ({"jobs": [{"rw": "read", "depths": [8], "seconds": 0}]}, "jobs[0]: seconds = 0 is not a number from 0.1 to 600"),
    ({"jobs": [{"rw": "read", "depths": [8], "bs": "4q"}]}, "jobs[0]: bs = '4q' is no size; whole sectors"),
    ({"jobs": [{"rw": "read", "depths": [8], "bs": "1000"}]}, "bs = '1000' is no size"),
    ({"jobs": [{"rw": "read", "depths": [8], "bssplit": "4k/60:1M/30"}]}, "bssplit = '4k/60:1M/30' is no size"),
    ({"jobs": [{"rw": "read", "depths": [8], "bssplit": "4k"}]}, "bssplit = '4k' is no size"),
    ({"jobs": [{"rw": "read", "depths": [8], "bsrange": "64k-4k"}]}, "bsrange = '64k-4k' is no size"),
    ({"jobs": [{"rw": "read", "depths": [8], "bsrange": "4k"}]}, "bsrange = '4k' is no size"),
    ({"jobs": [{"rw": "read", "depths": [8], "bs": "4k", "bsrange": "4k-8k"}]}, "bs and bsrange: one of them"),
    ({"jobs": [{"rw": "read", "depths": [1024], "bs": "1M"}]}, "the guest has memory for a depth of 512"),
    ({"jobs": [{"rw": "read", "depths": [8], "options": {"runtime": "1h"}}]},
     "options: runtime = '1h': the suite itself gives fio its runtime"),
    ({"jobs": [{"rw": "randrw", "depths": [8], "options": {"rwmixread": "70"}}]},
     "jobs[0]: options: rwmixread = '70' is not a whole number from 0 to 100"),
    ({"jobs": [{"rw": "read", "depths": [8], "options": {"rate_iops": [5]}}]}, "rate_iops = [5] is neither text nor"),
    ({"jobs": [{"rw": "read", "depths": [8], "label": "warm-up"}]}, "label = 'warm-up': labels"),
    ({"jobs": [{**ONE_DEPTH[0], "label": "4k/a"}, {**ONE_DEPTH[0], "label": "4k-a"}]}, "two jobs are called the same"),
    ({"selectors": "round-robin"}, "selectors = 'round-robin' is of the wrong type; a list is wanted"),
    ({"selectors": [1]}, "selectors: 1 is none of"),
    ({"selectors": []}, "selectors = []: at least one"),
    ({"selectors": 2 * [OURS]}, "selectors: 'latency-weighted' is there twice"),
    ({"groups": 2}, "groups = 2 is of the wrong type; a list is wanted"),
    ({"groups": ["a", "b"]}, "groups: sizes that make up the 2 paths, not ['a', 'b']"),
    ({"transport": "iscsi", "paths": [{}, {}], "flood": [2]}, "flood = 2 is not a whole number from 0 to 1"),
    ({"transport": "iscsi", "paths": [{}, {}], "flood": [1, 1]}, "flood = [1, 1]: a path is there twice"),
    ({"background": ["cpuio"]}, "background[0]: a table of fio's options is wanted, not 'cpuio'"),
    ({"disk_us": -1}, "disk_us = -1 is not a whole number from 0 to 60000000"),
    ({"jobs": [], "task": "defragment", "task_mib": 65}, "task_mib = 65 is not a whole number from 1 to 64"),
    ({"title": ["a" * 1000]}, "title = ['aaaa"),
])
def test_what_is_wrong_is_told_with_its_place(changed, told):
    with pytest.raises(ScenarioError) as error:
        parse("x.toml", "x", {**GOOD, **changed})
    assert str(error.value).startswith("x.toml: ") and told in str(error.value)
    assert "\n" not in str(error.value) and len(str(error.value)) < 400


ODD = [True, -1, 0, 0.5, 10**30, float("nan"), float("inf"), "", "x", "4k/", "-", [], [[]], [0], ["x"], [{}], {},
       {"x": [1]}, datetime.date(2026, 11, 24)]


def refused_or_right(table):
    """Anything but a ScenarioError would be a traceback, at once or in the report."""
    try:
        scenario = parse("x.toml", "x", table)
    except ScenarioError as error:
        assert "\n" not in str(error)
        return
    for job, depth in scenario.cells():
        assert Cell(scenario, job, depth, {}, alone_us=100.0).optimum() != math.inf


@pytest.mark.parametrize("transport", PATH_KEYS)
@pytest.mark.parametrize("value", ODD, ids=repr)
def test_no_value_of_any_key_is_a_traceback(transport, value):
    good = {**GOOD, "transport": transport, "paths": [{}, {}], "jobs": ONE_DEPTH}
    for key in known_keys():
        refused_or_right({**good, key: value})
    for key in PATH_KEYS[transport]:
        refused_or_right({**good, "paths": [{}, {key: value}]})
        refused_or_right({**good, "changes": [{**CHANGE, "set": {key: value}}]})
    for key in Job.__dataclass_fields__:
        refused_or_right({**good, "jobs": [{**ONE_DEPTH[0], key: value}]})
    for key in MIX:
        refused_or_right({**good, "jobs": [{"rw": "randrw", "depths": [8], "options": {key: value}}]})
    for key in OPTIONS:
        refused_or_right({**good, "arguments": {key: value}})
    for key in [*CHANGE, "every"]:
        refused_or_right({**good, "changes": [{**CHANGE, key: value}]})
    for key in [*Job.__dataclass_fields__, "depth"]:
        refused_or_right({**good, "judged": "worst", "beside": [{"rw": "read", "depth": 1, key: value}]})


def test_what_is_no_toml_is_told(tmp_path):
    (tmp_path / "broken.toml").write_text("title =\n")
    with pytest.raises(ScenarioError, match="broken.toml: .*line 1"):
        load(tmp_path / "broken.toml")


def test_what_only_some_scenarios_need_is_for_their_guests_only():
    packages = {name: scenario.packages() for name, scenario in ALL.items()}
    assert packages["net-stress"] == ["iperf3"] and packages["cpu-stress"] == ["stress-ng"]
    assert not packages["one-path-slow"]


def test_a_plan_survives_its_way_to_the_guest():
    scenario = parse("x.toml", "x", {**GOOD, "jobs": ONE_DEPTH, "changes": [CHANGE], "arguments": {"by_operation": 1}})
    plan = GuestPlan.of(scenario, [OURS, "round-robin"], repetitions=2)
    back = GuestPlan.from_json(plan.to_json())
    assert back == plan
    assert isinstance(back.the_scenario(), Scenario) and back.the_scenario() == scenario
    assert list(back.order()) == [(0, OURS), (0, "round-robin"), (1, "round-robin"), (1, OURS)]
