"""Lists that are run only if they are asked for: what the engine does for them, and how they are counted."""
import json

import pytest

from tests.bench.selectors import OURS

from . import compare, engine, extra, lists, luck
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
    assert row.split()[0] == "one" and last.startswith("long: gmean=")
    assert json.loads((tmp_path / "long" / "summary.json").read_text())["long"]["misses"] == 0


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
