"""Scenario files: those that are there, and what is said of bad ones."""
import pytest

from tests.acceptance.plan import GuestPlan, Scenario
from tests.acceptance.scenario import ScenarioError, load, load_all, parse
from tests.bench.selectors import DEBIANS, HISTORICAL_SERVICE_TIME, OURS

ALL = load_all()
GOOD = {"title": "t", "number": 1, "clock": "virtual", "transport": "test disk",
        "paths": [{"delay_us": 1000}, {"delay_us": 2000, "tags": 8}],
        "jobs": [{"rw": "randread", "depths": [1, 8]}]}
CHANGE = {"at": 0.5, "path": 1, "set": {"hang": 1}}
ONE_DEPTH = [{"rw": "randread", "depths": [8]}]


def test_six_are_quick_and_exact():
    quick = [scenario for scenario in ALL.values() if scenario.quick]
    assert len(quick) == 6
    assert all(scenario.exact for scenario in quick)


@pytest.mark.parametrize("name", ALL)
def test_all_compare_us_with_the_kernels_own(name):
    assert {OURS, *DEBIANS, HISTORICAL_SERVICE_TIME} <= set(ALL[name].selectors)


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
    ({"number": 13}, "number: 13 is none of 1, 2"),
    ({"clock": "wall"}, "clock: 'wall' is none of virtual, real"),
    ({"transport": "fc"}, "transport: 'fc' is none of"),
    ({"paths": [{}]}, "paths: 2 to 16 tables"),
    ({"paths": [{}, {"delay_ms": 1}]}, "paths[1]: unknown key 'delay_ms'"),
    ({"paths": [{}, {"delay_us": -1}]}, "paths[1]: delay_us = -1 is not a number from 0 on"),
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
    ({"changes": [{**CHANGE, "path": 2}], "jobs": ONE_DEPTH}, "changes[0]: path: 2 is none of 0, 1"),
    ({"changes": [{**CHANGE, "at": 9}], "jobs": ONE_DEPTH}, "a change after the end of the job"),
])
def test_what_is_wrong_is_told_with_its_place(changed, told):
    with pytest.raises(ScenarioError) as error:
        parse("x.toml", "x", {**GOOD, **changed})
    assert str(error.value).startswith("x.toml: ") and told in str(error.value)


def test_what_is_no_toml_is_told(tmp_path):
    (tmp_path / "broken.toml").write_text("title =\n")
    with pytest.raises(ScenarioError, match="broken.toml: .*line 1"):
        load(tmp_path / "broken.toml")


def test_what_only_some_scenarios_need_is_for_their_guests_only():
    packages = {name: scenario.packages() for name, scenario in ALL.items()}
    assert packages["net-stress"] == ["iperf3"] and packages["cpu-stress"] == ["stress-ng"]
    assert not packages["one-path-slow"]


def test_a_plan_survives_its_way_to_the_guest():
    scenario = parse("x.toml", "x", {**GOOD, "jobs": ONE_DEPTH, "changes": [CHANGE]})
    plan = GuestPlan.of(scenario, [OURS, "round-robin"], repetitions=2)
    back = GuestPlan.from_json(plan.to_json())
    assert back == plan
    assert isinstance(back.the_scenario(), Scenario) and back.the_scenario() == scenario
    assert list(back.order()) == [(0, OURS), (0, "round-robin"), (1, "round-robin"), (1, OURS)]
