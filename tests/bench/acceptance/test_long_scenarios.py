"""Long runs: their files, how often they run, what their guests do, and what counts."""
import contextlib
import json
from types import SimpleNamespace

import pytest

from tests.bench.acceptance import long_run
from tests.bench.acceptance.__main__ import OUT, chosen, directory, parse
from tests.bench.acceptance.acceptance_in_guest import run_long
from tests.bench.acceptance.acceptance_plan import LEAST_REPETITIONS, GuestPlan, Job
from tests.bench.acceptance.acceptance_scenario import ScenarioError, load_all, load_files, load_long
from tests.bench.acceptance.acceptance_scenario import parse as parse_scenario
from tests.bench.acceptance.acceptance_worst import LongRuns
from tests.bench.acceptance.test_acceptance_report import acceptance
from tests.bench.acceptance.test_acceptance_results import record
from tests.bench.acceptance.test_own_files import README, own
from tests.bench.selectors import HISTORICAL_SERVICE_TIME, OURS
from tests.lib import fio_series

ALL = load_long()
JOB = {"rw": "randread", "depths": [16], "warm": 4, "seconds": 2}
GOOD = {"title": "t", "judged": "worst", "repeat": 8, "paths": [{"delay_us": 1000}, {"delay_us": 2000}], "jobs": [JOB]}
CHANGE = {"at": 5.5, "path": 1, "set": {"delay_us": 9}}
KNOWN = {"long": parse_scenario("long.toml", "long", GOOD), "other": parse_scenario("other.toml", "other", GOOD)}


def of_file(**more):
    return parse_scenario("x.toml", "x", {**GOOD, **more})


@pytest.mark.parametrize("name", ALL)
def test_the_last_20_s_of_a_minute_and_the_worst_of_eight(name):
    scenario = ALL[name]
    (job, _), = scenario.cells()
    assert scenario.long and scenario.exact and scenario.repeat == 8
    assert job.seconds == 20 and scenario.seconds() == 60
    assert {OURS, "queue-length", "service-time", HISTORICAL_SERVICE_TIME} == set(scenario.selectors)
    assert f"| `{name}` |" in README


def test_they_are_no_part_of_the_others():
    assert len(ALL) == 6 and not set(ALL) & set(load_all())
    known = {**load_all(), **ALL}

    def names(*words):
        return {each.name for each in chosen(parse(words, list(known)), known)}

    assert names() == set(load_all()) and names("--long") == set(ALL)
    assert names("--scenario", "long-equal-mix") == {"long-equal-mix"}
    assert not names("--quick") & set(ALL)
    assert directory(parse(["--long"], [])) == OUT / "long"


def test_a_file_may_be_of_a_long_run(tmp_path):
    path = own(tmp_path / "mine.toml")
    path.write_text('judged = "worst"\n' + path.read_text())
    assert [each.name for each in chosen(parse(["--file", str(path)], []), load_files([path]))] == ["mine"]


@pytest.mark.parametrize("changed, told", [
    ({"judged": "best"}, "judged: 'best' is none of median, worst"),
    ({"judged": 3}, "judged = 3 is of the wrong type; text is wanted"),
    ({"repeat": 0}, "repeat = 0 is not a whole number from 1 to 100"),
    ({"repeat": 0.5}, "repeat = 0.5 is of the wrong type"),
    ({"jobs": [{**JOB, "depths": [1, 8]}]}, "judged = 'worst': one job at one depth is wanted, and no task"),
    ({"jobs": [], "task": "defragment"}, "judged = 'worst': one job at one depth is wanted, and no task"),
    ({"judged": "median", "beside": [{"rw": "read", "depth": 1}]}, "beside is for judged = 'worst'"),
    ({"beside": [{"rw": "read"}]}, "beside[0]: 'depth' is missing"),
    ({"beside": [{"rw": "read", "depth": 0}]}, "beside[0]: depths are a rising list of numbers from 1"),
    ({"beside": [{"rw": "read", "depth": 1, "warm": 3}]}, "beside[0]: unknown key 'warm'; known are rw, bs,"),
    ({"beside": 3}, "beside is a list of tables, not 3"),
    ({"changes": [{**CHANGE, "at": 6}]}, "a change after the end of the job"),
    ({"changes": [{**CHANGE, "every": 0}]}, "changes[0]: every = 0 is not a number from 0.01 to 600"),
    ({"changes": [{**CHANGE, "every": "1 s"}]}, "changes[0]: every = '1 s' is of the wrong type; a number is wanted"),
    ({"changes": [{**CHANGE, "set": {"hang": 1}, "every": 0.1}]}, "paths[1]: hang = 1 to the end"),
    ({"paths": [{}, {"tail_next": -1}]}, "paths[1]: tail_next = -1 is not a whole number from 0 to 1000000"),
])
def test_what_is_wrong_is_told_with_its_place(changed, told):
    with pytest.raises(ScenarioError) as error:
        of_file(**changed)
    assert str(error.value).startswith("x.toml: ") and told in str(error.value)
    assert "\n" not in str(error.value)


def test_a_change_is_made_again_until_the_end():
    scenario = of_file(changes=[{**CHANGE, "at": 4.5, "every": 0.5}, CHANGE])
    assert [change.at for change in scenario.changes] == [4.5, 5, 5.5, 5.5]


def test_jobs_beside_go_on_to_the_end_unless_told_otherwise():
    scenario = of_file(beside=[{"rw": "randwrite", "depth": 16}, {"rw": "read", "depth": 80, "seconds": 3}])
    assert [(job.depths, job.seconds) for job in scenario.beside] == [([16], 6), ([80], 3)]


def test_we_run_more_often_than_the_peers():
    plan = GuestPlan.of(KNOWN["long"], ["queue-length", OURS])
    assert plan.runs == len(list(plan.order())) == 8 + LEAST_REPETITIONS
    assert {repetition for repetition, name in plan.order() if name == "queue-length"} == {0, 1, 2}
    assert GuestPlan.of(KNOWN["long"], ["queue-length", OURS], 5).runs == 10
    back = GuestPlan.from_json(GuestPlan.of(of_file(beside=[{"rw": "read", "depth": 1}]), [OURS]).to_json())
    assert back.the_scenario().beside == [Job(rw="read", depths=[1], seconds=6)]


def test_the_guest_changes_paths_looks_twice_and_counts_what_is_between(monkeypatch):
    """Time and fio are not there; what would be done in which order is."""
    done, words = [], []

    def act(events, _):
        for at, do in sorted(events, key=lambda event: event[0]):
            done.append(at)
            do()

    def run_together(device, job, beside, **options):
        words.extend([options, job.words_beside(), *(each.words_beside() for each in beside)])
        return {"iops": 750, "ios": 1500}

    ios = iter([[100, 10], [400, 110]])
    monkeypatch.setattr(long_run, "act", act)
    monkeypatch.setattr(long_run, "taken", lambda bed: [0, 0])
    monkeypatch.setattr(long_run, "wait_until", lambda *_, **__: None)
    monkeypatch.setattr(long_run, "before_others", contextlib.nullcontext)
    monkeypatch.setattr(fio_series, "run_together", run_together)
    monkeypatch.setattr(fio_series, "look", lambda paths: SimpleNamespace(ios=next(ios), seconds=0, idle=0))
    bed = SimpleNamespace(paths=[], change=lambda path, table: done.append((path, table)))
    scenario = of_file(changes=[{**CHANGE, "at": 1}], beside=[{"rw": "randwrite", "depth": 16}])
    (job, depth, figures), = run_long(bed, "/dev/map", scenario, repetition=3)
    assert done == [1, (1, {"delay_us": 9}), 4, 6 - long_run.MARGIN]
    assert figures["iops"] == 750 and figures["shares"] == [0.75, 0.25]
    options, of_job, of_beside = words
    assert options == {"randseed": 3001}
    assert {"--runtime=2000ms", "--ramp_time=4000ms", "--iodepth=16"} <= set(of_job)
    assert {"--runtime=6000ms", "--iodepth=16", "--rw=randwrite"} <= set(of_beside)
    assert not any("ramp_time" in word or "stonewall" in word for word in of_beside)


def runs(name, selector, iops, p99_us):
    return [record(selector, each, scenario=name, p99_us=tail, repetition=number)
            for number, (each, tail) in enumerate(zip(iops, p99_us))]


RECORDS = [*runs("long", "queue-length", [900, 1100], [8000, 10000]),
           *runs("long", OURS, [1300, 500, 1300], [9000, 9000, 18000]),
           *runs("other", "queue-length", [100], [10000]), *runs("other", OURS, [97, 98], [10000, 10000])]


def test_our_worst_run_counts_against_the_mean_of_the_best_peer():
    found = LongRuns(RECORDS, KNOWN)
    assert [(each.ratio(), each.p99_ratio()) for each in found.cells] == [(0.5, 2.0), (0.97, 1.0)]
    assert [mark.met for mark in found.marks] == [False, True]
    assert found.verdict == "long: worst=0.500 (long) worst_p99=2.000"
    lines = found.text(red=False).splitlines()
    assert "latency-weighted             3         500       1033      18.00     12.00     10  75.0 25.0" in lines
    assert "long: randread 4k, depth 16; 2 s after 4 s" in lines
    assert "MISSED  long: its worst run against the mean of the best peer's: 0.500 (mark: 0.950)" in lines


def test_without_peers_there_is_no_verdict():
    found = LongRuns(runs("long", OURS, [1], [1]), KNOWN)
    assert found.verdict == "" and not found.marks and OURS in found.text(red=False)


def test_the_table_can_be_made_again_and_is_apart_from_medians(tmp_path):
    records = [{**each, "job": "4k to 1M"} for each in [*runs("long-equal-mix", "queue-length", [100], [1000]),
                                                        *runs("long-equal-mix", OURS, [99, 96], [1000, 1000])]]
    (tmp_path / "results.json").write_text(json.dumps(records))
    done = acceptance("--report-only", tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "long: worst=0.960 (long-equal-mix) worst_p99=1.000"
    assert not (tmp_path / "report.html").exists()
    records += [record("round-robin", 100, scenario="equal-2"), record(OURS, 101, scenario="equal-2")]
    (tmp_path / "results.json").write_text(json.dumps(records))
    done = acceptance("--report-only", tmp_path)
    assert done.stdout.splitlines()[-2:] == ["long: worst=0.960 (long-equal-mix) worst_p99=1.000",
                                             "acceptance: gmean=1.010 worst=1.010 worst_p99=1.000"]
    assert "long-equal-mix" not in (tmp_path / "report.html").read_text()
