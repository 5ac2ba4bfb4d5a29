"""Records of runs: what is put together, compared and shown."""
import json

import pytest

from tests.bench.exact import __main__ as command
from tests.bench.exact import exact_results as results
from tests.bench.exact import exact_runs
from tests.bench.exact.exact_plan import CasePlan, TracePlan
from tests.bench.records import read_records
from tests.bench.selectors import OURS
from tests.vm.progress import exit_status

CASE, DEPTH = "capped", 8


def record(selector, iops, case=CASE, depth=DEPTH, **others):
    return {"case": case, "depth": depth, "selector": selector, "iops": iops, "mean_us": 1500.0,
            "p50_us": 1000.0, "p99_us": 9000.0, "shares": [0.75, 0.25], "cpu_busy": 0.1, **others}


def test_new_records_replace_old_ones_in_the_tables_order():
    old = [record(OURS, 1), record("round-robin", 2), record(OURS, 3, case="1/10 ms"),
           record(OURS, 4, case="no such case"), record(OURS, 5, depth=7)]
    merged = results.merged(old, [record("round-robin", 20), record("service-time", 30)])
    assert [(each["case"], each["selector"], each["iops"]) for each in merged] == [
        ("1/10 ms", OURS, 3), (CASE, "round-robin", 20), (CASE, "service-time", 30), (CASE, OURS, 1)]


def test_figures_of_before_are_replaced_whole(tmp_path):
    """They stay as they were until the new ones are complete: here by another name."""
    file, kept = tmp_path / "results.json", tmp_path / "kept.json"
    exact_runs.keep_figures([record(OURS, 1)], file)
    kept.hardlink_to(file)
    exact_runs.keep_figures([record("round-robin", 2)], file)
    assert [len(json.loads(each.read_text())) for each in (kept, file)] == [1, 2]


def test_records_are_of_the_commit_when_it_began(monkeypatch):
    commits = ["when it began"]
    for name, value in (("layer", lambda *_, **__: commits.append("later")), ("commit", lambda: commits[-1]),
                        ("run_guest", lambda plan, *_: [record(OURS, 1)])):
        monkeypatch.setattr(f"tests.bench.run_guest.{name}", value)
    plan = CasePlan(selectors=[OURS], case=CASE, depths=[DEPTH], runtime=1)
    assert command.measured([plan], 1) == ([{**record(OURS, 1), "commit": "when it began"}], [])


def test_ratio_is_to_the_best_peer_of_the_row():
    records = [record("queue-length", 100), record("service-time", 200), record(OURS, 190),
               record("queue-length", 50, depth=64), record(OURS, 100, depth=64),
               record(OURS, 9, depth=4), record("round-robin", 9, depth=16)]
    assert results.ratios(records) == {(CASE, 8): 0.95, (CASE, 64): 2.0}
    assert results.verdict(records) == "exact: gmean=1.378 worst=0.950"


def test_rows_with_by_operation_are_summed_up_apart():
    apart = [record("queue-length", 100, case="reads near, writes far", depth=4),
             record(OURS, 164, case="reads near, writes far", depth=4)]
    assert results.verdict(apart) == "exact: by_operation_gmean=1.640 by_operation_worst=1.640"
    assert (results.verdict([record("queue-length", 200), record(OURS, 190), *apart])
            == "exact: gmean=0.950 worst=0.950 by_operation_gmean=1.640 by_operation_worst=1.640")


def test_report_shows_each_run_and_names_what_missed_the_mark():
    text = results.report([record("queue-length", 1000), record(OURS, 979)])
    lines = text.splitlines()
    assert lines[1].split() == ["capped", "8", "queue-length", "1000", "1.50", "1.00", "9.00", "10",
                                "75.0", "25.0"]
    assert lines[-1] == "below 0.98 of the best peer: capped, depth 8: 0.979"
    assert "below" not in results.report([record("queue-length", 1000), record(OURS, 980)])


def test_records_are_read_line_by_line(tmp_path):
    file = tmp_path / "results.jsonl"
    file.write_text("".join(json.dumps(record(OURS, iops)) + "\n" for iops in (1, 2)))
    assert [each["iops"] for each in read_records(file)] == [1, 2]


@pytest.mark.parametrize("plan", [
    CasePlan(selectors=[OURS], case=CASE, depths=[4, 8], runtime=3),
    TracePlan(selectors=[OURS], scenario="step")])
def test_plan_survives_its_file(plan):
    assert type(plan).from_json(plan.to_json()) == plan


@pytest.fixture
def run(monkeypatch):
    """The command with these options, and with guests that only record; (status, whether they ran)."""
    ran = []
    monkeypatch.setattr(command, "measured", lambda *_: ran.append(1) or ([record(OURS, 200)], []))

    def run_with(*options):
        parsed = command.parse([str(option) for option in options])
        return exit_status(lambda: command.run(parsed), (ValueError,)), bool(ran)
    return run_with


@pytest.mark.parametrize("content, told", [
    (None, "is not a regular file"), ('[{"case": ', "is not JSON"), ("{}", "is not a list of records"),
    ('[{"case": "capped"}]', "record 0 has no 'depth'")])
def test_a_file_that_cannot_be_added_to_is_told_before_any_guest_runs(run, said, tmp_path, content, told):
    path = tmp_path / "results.json"
    if content is None:
        path.mkdir()
    else:
        path.write_text(content)
    assert run("--json", path) == (1, False)
    errors = said.readouterr().err.splitlines()
    assert len(errors) == 1 and str(path) in errors[0] and told in errors[0]
    assert content is None or path.read_text() == content


def test_figures_are_added_to_those_of_the_file(run, tmp_path):
    path = tmp_path / "new" / "results.json"
    path.parent.mkdir()
    path.write_text(json.dumps([record("round-robin", 100)]))
    assert run("--json", path) == (0, True)
    assert [each["iops"] for each in json.loads(path.read_text())] == [100, 200]


def test_the_table_is_shown_although_nothing_can_be_kept(run, said, monkeypatch, tmp_path):
    def fail(*_):
        raise OSError("No space left on device")
    monkeypatch.setattr(command.bench, "keep_figures", fail)
    assert run("--json", tmp_path / "results.json") == (1, True)
    assert OURS in said.readouterr().out
