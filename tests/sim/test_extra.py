"""Lists that are run only if they are asked for: what the engine does for them, and how they are counted."""
# promise steering/seeds

import json

import pytest

from tests.bench.selectors import OURS

from . import compare, engine, extra, lists, luck, recover
from .scenarios import KB, closed


@pytest.fixture(scope="session")
def program():
    return engine.build()


def run(program, scenario, **more):
    return engine.run(program, dict(scenario, selector="round-robin", **more))


def test_phases_of_a_load(program):
    """1 ms for each I/O: two and eight at once, one for half of the time, and writes alone, which take 2 ms."""
    phases = [dict(ms=2000, depth=2), dict(ms=1000, depth=8), dict(ms=1000, period_ms=20, pause_ms=10),
              dict(depth=4, writes=1)]
    paths = [dict(delay_us=1000, write_delay_us=2000)]
    scenario = dict(closed(paths, 1, 1, 1), load=dict(type="closed", phases=phases))
    parts = run(program, scenario, warmup_ms=1000, runtime_ms=4000, part_ms=1000)["parts"]
    assert [part["iops"] for part in parts] == pytest.approx([2000, 8000, 500, 2000], rel=0.02)
    assert parts[3]["p99_us"] == pytest.approx(2000, rel=0.01)


def test_sizes_of_a_phase(program):
    """At 100 MB/s."""
    phases = [dict(ms=1000), dict(sizes=[[100 * KB, 1]])]
    scenario = dict(closed([dict(mbps=100)], 1, 1, 2, sizes=[[10 * KB, 1]]), load=dict(type="closed", phases=phases))
    parts = run(program, scenario, warmup_ms=0, runtime_ms=2000, part_ms=1000)["parts"]
    assert [part["iops"] for part in parts] == pytest.approx([1e8 / 10240, 1e8 / 102400], rel=0.02)


@pytest.mark.parametrize("hangs", [False, True])
def test_lost_ios_come_back_late(program, hangs):
    """Three of four I/Os, for 1.5 s; whether the path hangs for a moment or not."""
    changes = [dict(at_ms=1990, path=0, hang=True), dict(at_ms=2000, path=0, hang=False)] if hangs else []
    scenario = closed([dict(delay_us=1000, lost=3, lost_at_ms=2000, lost_ms=1500)], 1, 1, 4, changes=changes)
    parts = run(program, scenario, warmup_ms=0, runtime_ms=5000, part_ms=1000)["parts"]
    assert [part["iops"] for part in parts] == pytest.approx([4000, 4000, 1000, 2500, 4000], rel=0.02)


@pytest.mark.parametrize("load, complaint", [
    (dict(type="poisson", iops=9, phases=[{}]), "phases are of a closed loop"),
    (dict(type="closed", phases=[{}, {}]), "each phase but the last has ms"),
    (dict(type="closed", phases=[dict(pause_ms=5)]), "pauses are shorter than period_ms"),
    (dict(type="closed", phases=[dict(size=5)]), 'unknown field "size"'),
])
def test_bad_phases(program, load, complaint):
    with pytest.raises(engine.EngineFailed, match=complaint):
        run(program, dict(closed([dict(delay_us=100)], 1, 1, 1), load=load))


def told(iops, p99_us, **more):
    return dict(iops=iops, p99_us=p99_us, **more)


def test_worst_part_counts():
    """In the first part the first peer is the better one, in the second the other one."""
    parts = {"round-robin": [told(100, 10), told(50, 10)], "queue-length": [told(50, 10), told(200, 10)],
             OURS: [told(110, 5), told(100, 30)]}
    runs = {name: dict(told(1, 1), parts=found) for name, found in parts.items()}
    assert compare.against_peers(runs) == (0.5, 3)


RUNS = {"round-robin": told(100, 10, jobs=[dict(name="reads", **told(50, 5)), dict(name="writes", **told(200, 20))]),
        OURS: told(80, 10, jobs=[dict(name="reads", **told(100, 5)), dict(name="writes", **told(64, 20))])}


def test_one_job_of_a_row_alone():
    alone = extra.job_alone({"both": [RUNS], "other": [{OURS: told(1, 1)}]}, "reads")
    assert list(alone) == ["both"]
    assert extra.summary(alone) == {"gmean": pytest.approx(2), "worst": 2, "worst_p99": 1, "misses": 0}


def test_runs_below_a_part_of_the_best_peer():
    assert extra.below({"both": [RUNS, {**RUNS, OURS: told(99, 10)}]}, 0.95) == (1, 2)


def test_rows_behind_and_their_worst_run():
    near = {**RUNS, OURS: told(99, 10)}
    assert extra.least({"both": [near, RUNS], "far": [{**RUNS, OURS: told(50, 10)}], "good": [near]}) == {
        "far": 0.5, "both": 0.8}


def test_nothing_done_is_not_the_end():
    runs = {**RUNS, OURS: told(0, 10)}
    assert extra.summary({"none": [runs]})["gmean"] == pytest.approx(extra.LEAST)
    assert "miss 1/1" in extra.table({"none": [runs]})


def test_rows_have_names_of_their_own():
    names = [*lists.KNOWN, *(name for rows in lists.EXTRA_ROWS.values() for name in rows)]
    assert len(names) == len(set(names))


def test_list_of_rows(program, monkeypatch, tmp_path, capsys):
    row = closed([dict(delay_us=1000)] * 2, 1, 1, 2, runtime_ms=200)
    monkeypatch.setattr(lists, "members", lambda *_: {"one": row})
    extra.run(program, lists.LATE, None, (), tmp_path)
    *_, row, last = capsys.readouterr().out.splitlines()
    assert row.split()[0] == "one" and last.startswith("long: gmean=") and last.endswith(" below_0.95=0/1")
    assert json.loads((tmp_path / "long" / "summary.json").read_text())["long"]["misses"] == 0


def test_list_whose_reads_count_alone_too(program, monkeypatch, tmp_path, capsys):
    row = dict(lists.EXTRA_ROWS[lists.ASIDE]["A-writes"], warmup_ms=100, runtime_ms=200)
    monkeypatch.setattr(lists, "members", lambda *_: {"one": row})
    extra.run(program, lists.ASIDE, [1, 2], (), tmp_path)
    *_, both, alone = capsys.readouterr().out.splitlines()
    assert both.startswith("beside: ") and alone.startswith("beside-reads: ")


@pytest.mark.parametrize("name", [name for rows in lists.EXTRA_ROWS.values() for name in list(rows)[-1:]])
def test_scenarios_are_found_by_name(name):
    assert lists.by_name(name)["paths"]


def test_luck_counts_the_worst_tenth():
    even, bad = [1.0] * 30, [0.5, 0.6, 0.7] + [1.0] * 27
    assert luck.tenth(bad) == 0.7
    figures = luck.summary({"even": even, "bad": bad})
    assert luck.summary_line(figures) == "luck: tenths=0.837 worst_tenth=0.700 (bad) below_0.9=5.0% worst=0.500 (bad)"


def test_luck_is_against_the_best_mean():
    runs = [{"round-robin": told(100, 1), "queue-length": told(50, 1)},
            {"round-robin": told(10, 1), "queue-length": told(70, 1)}]
    assert luck.best_mean(runs) == (60, "queue-length")


def test_luck_has_rows_and_lines(program, monkeypatch):
    assert len(luck.rows()) == 60
    row = closed([dict(delay_us=1000)] * 2, 1, 1, 2, warmup_ms=100, runtime_ms=200)
    monkeypatch.setattr(luck, "rows", lambda: {"one": row})
    text, figures = luck.run(program, [1, 2], (), extra.PEERS)
    assert text.splitlines()[1].split()[0] == "one" and figures["rows"] == {"one": pytest.approx([1, 1], abs=0.05)}


SCRAMBLED = closed([dict(delay_us=200, service_us=20), dict(delay_us=5000, service_us=20)], 4, 4, 4, warmup_ms=500,
                   runtime_ms=1000, part_ms=100)


def test_what_was_learned_can_become_chance(program):
    """From a time on, by the seed, and only of the module."""
    usual, other, same, third = (
        engine.run(program, dict(SCRAMBLED, selector=OURS, seed=seed, scramble_at_ms=at_ms))["parts"]
        for seed, at_ms in ((1, 0), (1, 1000), (1, 1000), (2, 1000)))
    assert usual[:5] == other[:5] and usual[5:] != other[5:]
    assert other == same != third
    assert run(program, SCRAMBLED, scramble_at_ms=1000) == run(program, SCRAMBLED)


def parts_of(*iops, p99_us=1):
    return [told(one, p99_us) for one in iops]


USUAL = parts_of(*[100, 104, 96, 100] * 5)


@pytest.mark.parametrize("parts, seconds", [
    (USUAL, 0),
    (parts_of(*[50] * 6, *[100] * 14), 3),
    (parts_of(*[50] * 6, *[96] * 14), 3),               # within the error
    (parts_of(*[100] * 10, *[50] * 10), None),          # as usual, but it does not stay so
    (parts_of(*[94] * 20), None),
    (parts_of(*[150] * 20), 0),
    (parts_of(*[100] * 20, p99_us=1.1), None),
    (parts_of(*[100] * 4, p99_us=3) + parts_of(*[100] * 16), 2),
])
def test_time_until_it_is_as_usual(parts, seconds):
    assert recover.back_s(parts, *recover.bounds(USUAL, [USUAL])) == seconds


def test_what_runs_vary_by_is_usual():
    """Nine others have less than this one."""
    others = [parts_of(*[90] * 20)] * 9
    assert recover.bounds(USUAL, [USUAL, *others])[0] == 90
    assert recover.bounds(USUAL, [USUAL] * 99 + others[:1])[0] == pytest.approx(95)


def test_recoveries_are_counted():
    figures = recover.summary({"one": {1: 0.0, 2: 5.0}, "other": {1: 7.5, 2: None}})
    assert recover.summary_line(figures) == "recover: back_in_5s=50.0% worst=never never=1/4"
    assert recover.line("other", {1: 7.5, 2: None}).endswith("worst never s  later than 5 s: 2/2  never: seeds 2")


def test_wrong_price_of_length_is_found_out(program):
    """It decides which lengths a path gets. Of eight I/Os over equal paths, and of a log beside large reads."""
    rows = {name: row for name, row in recover.rows().items() if name in ("M-few8", "J-log")}
    found = [one for by_seed in recover.times(program, rows, range(1, 21), ()).values() for one in by_seed.values()]
    assert sum(one is not None and one <= recover.SOON_S for one in found) >= 38, found


def test_recovery_of_rows(program, monkeypatch):
    assert len(recover.rows()) == 20
    monkeypatch.setattr(recover, "rows", lambda: {"one": dict(SCRAMBLED, warmup_ms=recover.AT_MS, runtime_ms=4000)})
    text, figures = recover.run(program, [1], (), extra.PEERS)
    assert text.startswith("one  ") and figures["of"] == 1
