"""Policies in the simulator: as one more selector, on the module's own code."""
# promise output/policy-examples

import re

import pytest

from . import engine, policy_library
from .__main__ import parse, run
from .lists import by_name
from .simulate import simulate

EXAMPLES = engine.ROOT / "contrib" / "policies"
TWO_PATHS = {"paths": [{"delay_us": 100}, {"delay_us": 100}], "warmup_ms": 200, "runtime_ms": 500}


@pytest.fixture(scope="module")
def program():
    return engine.build()


@pytest.fixture(scope="module")
def policy(program, tmp_path_factory):
    """Runs scenarios with an example; {name: result}"""
    def choose(name, scenarios, *words):
        built = policy_library.build(EXAMPLES / f"{name}.c", words, tmp_path_factory.mktemp(name))
        found = simulate(program, scenarios, [engine.POLICY], 1, [(engine.POLICY, built)])
        return {row: by_selector[engine.POLICY] for row, by_selector in found.items()}
    return choose


def test_queue_depth_is_the_simulators_own(program, policy):
    """But for the module's probes, which no policy decides."""
    rows = {name: by_name(name) for name in ("S2-16", "S4-5", "S8x")}
    peers = simulate(program, rows, ["nvme-queue-depth"], 1)
    for name, found in policy("nvme-queue-depth", rows).items():
        peer = peers[name]["nvme-queue-depth"]
        assert found["iops"] == pytest.approx(peer["iops"], rel=0.01), name
        assert [part / sum(found["starts"]) for part in found["starts"]] == pytest.approx(
            [part / sum(peer["starts"]) for part in peer["starts"]], abs=0.01), name


def test_each_map_has_a_policy_of_its_own(policy):
    """Which takes turns on each map by itself: of one between two maps, each would always get the same path."""
    row = {**TWO_PATHS, "maps": 2, "jobs": [{"cpu": 0, "depth": 1}]}
    first, second = policy("round-robin", {"turns": row})["turns"]["starts"]
    assert first == pytest.approx(second, rel=0.05)


def test_cgroup_is_the_job(policy):
    """Of bio-based maps; the second job's path is the first one."""
    row = {**TWO_PATHS, "bio": True, "cpus": 2,
           "jobs": [{"cpu": 0, "depth": 1, "name": "a"}, {"cpu": 1, "depth": 3, "name": "b"}]}
    words = "path=1", "cgroup=2"
    first, second = policy("cgroup", {"jobs": row}, *words)["jobs"]["starts"]
    assert first > 2 * second
    assert 0 not in (first, second)


def test_time_is_the_simulators(policy):
    """Without it, the weights of the latency policy would never follow."""
    row = {"paths": [{"delay_us": 100}, {"delay_us": 100}], "warmup_ms": 0, "runtime_ms": 2000,
           "jobs": [{"cpu": 0, "depth": 4}], "changes": [{"at_ms": 500, "path": 0, "delay_us": 900}]}
    starts = policy("nvme-latency", {"later": row}, "window_ms=50")["later"]["starts"]
    assert starts[1] > 2 * starts[0]


@pytest.mark.parametrize("where, told", [
    ("nowhere", "policy nowhere: FILE:NAME is wanted"), ("nowhere.so:x", "policy nowhere.so: it cannot be read"),
    ("/dev/null:x", "policy /dev/null: ")])
def test_no_policy(program, where, told):
    with pytest.raises(engine.EngineFailed, match=told):
        simulate(program, {"x": {**TWO_PATHS, "jobs": [{"cpu": 0, "depth": 1}]}}, [engine.POLICY], 1, [(engine.POLICY, where)])


def test_command_compares_it(tmp_path, capsys):
    """It has a column, and is nobody's peer."""
    arguments = ["--scenario", "S4-5", "--seed", "1", "--out", str(tmp_path), "--policy"]
    assert run(parse([*arguments, str(EXAMPLES / "rotate.c"), "rotate_kib=64"])) == 0
    out = capsys.readouterr().out
    assert re.search(r"^ .* simple +lw policy \|", out, re.M)
    assert re.search(r"^policy  +0\.\d+", out, re.M)


def test_tutorial_is_a_policy(program, tmp_path):
    """What the page has one write is compiled, and chooses."""
    source = tmp_path / "mine.c"
    source.write_text(re.search(r"```c\n(.*?)```", (engine.ROOT / "docs/policies.md").read_text(), re.S).group(1))
    built = policy_library.build(source, ["large_kib=128"], tmp_path)
    row = {**TWO_PATHS, "jobs": [{"cpu": 0, "depth": 4}]}
    found = simulate(program, {"x": row}, [engine.POLICY], 1, [(engine.POLICY, built)])["x"][engine.POLICY]
    assert min(found["starts"]) > 0.45 * sum(found["starts"])
