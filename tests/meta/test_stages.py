"""The table of where a run's time went."""
import json

import pytest

from tests.lib import stages
from tests.vm import progress, testrun


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.setattr(stages, "journal", lambda: tmp_path / "stages.jsonl")
    monkeypatch.setattr(stages, "CHECKOUT", tmp_path)
    monkeypatch.setattr(stages, "TIMES", tmp_path / "times.json")
    monkeypatch.delenv(stages.STARTED, raising=False)
    return tmp_path


def test_an_earlier_run_is_forgotten(monkeypatch):
    stages.note("tree", "sid", 100, 50)
    stages.note("tree", "trixie", 2000, 50)
    monkeypatch.setenv(stages.STARTED, "1990")
    assert stages.begin() == 1990
    assert [(each["kind"], each["name"]) for each in stages.noted()] == [
        ("tree", "trixie"), ("setup", "packages and trees")]


def test_a_stage_that_fails_is_noted_as_well():
    stages.begin()
    with pytest.raises(ValueError), stages.stage("guest", "sid virtual") as more:
        more["tests"] = 7
        raise ValueError
    assert [(each["name"], each["tests"]) for each in stages.noted()] == [("sid virtual", 7)]


def test_the_price_of_each_test_is_in_the_file(files):
    start = stages.begin()
    stages.note("guest", "sid virtual", start, 60, tests=1, prices={"sid-virtual-test_a.py::test_x": 9.5})
    lines = stages.finish(start, {"tests/sim/test_sim.py::test_y": 1.25, "tests/sim/test_edges.py::test_z": 2,
                                  "tests/vm/test_guests.py::test_guest[sid]": 50})
    assert lines[-1].startswith("time: ") and lines[-1].endswith(" s")
    assert any(line.split() == ["tests", "3", "2", "tests/sim"] for line in lines)
    assert any(line.startswith("wait") and line.endswith("tests/vm") for line in lines)
    told = json.loads((files / "times.json").read_text())
    assert told["tests"] == {"sid-virtual-test_a.py::test_x": 9.5, "tests/sim/test_sim.py::test_y": 1.25,
                             "tests/sim/test_edges.py::test_z": 2}


def test_a_command_that_says_nothing_hangs(files, monkeypatch):
    monkeypatch.setattr(progress, "SILENCE", 0.2)
    with pytest.raises(progress.CommandFailed, match="silent for 0.2 s"):
        progress.run_logged(["sleep", "600"], files / "log", "it")


def test_price_of_a_test_is_the_time_since_the_one_before(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(testrun.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(testrun, "say", lambda text: None)
    lines = testrun.LinePrefix("sid", "virtual")
    for seconds, text in ((30, "collected 2 items"), (2, "tests/guest/select/test_a.py::test_x[rq] PASSED [ 50%]"), (1, "a note"),
                          (4, "tests/guest/select/test_a.py::test_y SKIPPED (no) [100%]"), (9, "1 passed")):
        now[0] += seconds
        lines.feed(text.encode() + b"\n")
    assert lines.prices == {"sid-virtual tests/guest/select/test_a.py::test_x[rq]": 2,
                            "sid-virtual tests/guest/select/test_a.py::test_y": 5}
