"""The fuzzers in `make check`: a fixed amount of work from fixed seeds, so that what fails once fails again.

`python3 -m tests.fuzz` goes on for as long as one wants.
"""
# promise numbers/overflow
# promise tests/planted-in-module: The fuzzers find each bug that is planted in a copy of the module

import shutil

import pytest

from . import programs

RUNS = 60000                    # of options_fuzz: some 4 s
STREAMS = 120

# What is broken on purpose: a text of a source, its replacement, and who has to see it.
PLANTED = {
    "limit_not_checked": (
        "options.c", "*value >= o->min && *value <= o->max", "*value >= o->min", "options_fuzz"),
    "cost_overflows": (
        "model/math.h", "(LW_ONE + lw_overload(x, p->max_penalty)) +\n", "((u64)LW_ONE * LW_ONE * 4096) +\n", "events"),
    "path_starves": (
        "model/math.h", "clamp_t(u64, ms, min_ms, max_ms)", "clamp_t(u64, ms, min_ms, 10 * max_ms)",
        "events"),
    "path_rests_for_ever": ("model/backoff.h", "return now_ns < f->back_ns;", "return f->back_ns;", "events"),
    "clock_of_traffic_stands": (
        "model/estimate.h", "n->active_ns += min_t(u64, elapsed, 2 * window_ns)", "n->active_ns |= 1", "events"),
    "window_stops": ("window.c", "if (active)\n", "if (active && now_ns % 64)\n", "events"),
    "only_path_stalls": (
        "select.c", "if (best.index < 0)\n\t\treturn NULL;\n\ti = best.index;",
        "if (best.index < 0 || sel->member[best.index].use == LW_STALLED)\n\t\treturn NULL;\n\ti = best.index;", "events"),
    "reinstatement_is_lost": (
        "eligibility.c", "smp_store_release(&m->use, rests ? LW_BACKOFF : LW_AVOID)",
        "if (!rests)\n\t\tsmp_store_release(&m->use, LW_AVOID)", "events"),
    "work_stays_in_flight": (
        "io.c", "u64 flight = lw_flight(lw_blocks(nr_bytes)), found;",
        "u64 flight = 2 * lw_flight(lw_blocks(nr_bytes)), found;", "events"),
    "sums_fade_below_nothing": ("model/means.h", "(m->sum[i] * part) >> 8", "(m->sum[i] * part) >> 7", "events"),
    "suspicion_lasts": (
        "model/suspect.h", "active_ns - s->since_ns < LW_SUSPECT_NS)", "active_ns - s->since_ns < 2 * LW_SUSPECT_NS)",
        "events"),
    "second_end_counts": (
        "io.c", "if (lw_flight_left(left) < 0)", "if (false)", "events"),
    "report_is_forgotten": ("admin/report.c", "\tif (change)\n\t\tlw_report_made(r);", "", "events"),
    "refused_report_is_lost": ("admin/report.c", "\t*r = found;\n", "", "events"),
    "share_is_missing": (
        "status.c", "for (i = 0; i < sel->nr; i++)\n\t\tsum +=",
        "for (i = 1; i < sel->nr; i++)\n\t\tsum +=", "events"),
}


@pytest.fixture(scope="session")
def built():
    return programs.build()


def test_options(built, tmp_path):
    done = programs.fuzz_options(built, tmp_path, "-runs=%d" % RUNS, "-seed=1")
    assert done.returncode == 0, done.stdout


def test_streams(built):
    done = programs.run_streams(built, first=1, count=STREAMS)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", PLANTED)
def test_planted_bug_is_found(name, tmp_path):
    file, text, broken, program = PLANTED[name]
    source = tmp_path / "src"
    shutil.copytree(programs.SOURCE, source)
    content = (source / file).read_text()
    assert content.count(text) == 1
    (source / file).write_text(content.replace(text, broken))
    built = programs.build(tmp_path / "build", program, SRC=source)
    if program == "events":
        done = programs.run_streams(built, first=1, count=STREAMS)
        assert "events: seed " in done.stdout
    else:
        done = programs.fuzz_options(built, tmp_path, "-runs=%d" % RUNS, "-seed=1")
    assert done.returncode not in (0, 2), done.stdout
