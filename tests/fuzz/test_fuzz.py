"""The fuzzers in `make check`: a fixed amount of work from fixed seeds, so that what fails once fails again.

`python3 -m tests.fuzz` goes on for as long as one wants.
"""
# promise numbers/overflow
# promise tests/planted-in-module: The fuzzers find each bug that is planted in a copy of the module

import pytest

from tests.lib import definitions

from . import programs

RUNS = 60000                    # of options_fuzz: some 4 s
STREAMS = 120

# Broken on purpose. Where no function is redefined: a text of a source, and its replacement.
PLANTED = definitions.sections((programs.HERE / "planted.c").read_text(), "planted")
TEXTS = {"refused_report_is_lost": [("\t*r = found;\n", "")]}
FINDS_OPTIONS = {"limit_not_checked"}


@pytest.fixture(scope="session")
def built():
    return programs.build()


def test_options(built, tmp_path):
    done = programs.fuzz_options(built, tmp_path, "-runs=%d" % RUNS, "-seed=1")
    assert done.returncode == 0, done.stdout


def test_streams(built):
    done = programs.run_streams(built, first=1, count=STREAMS)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", [*PLANTED, *TEXTS])
def test_planted_bug_is_found(name, tmp_path):
    source = definitions.copied(programs.SOURCE, tmp_path / "src", PLANTED.get(name, ""), *TEXTS.get(name, []))
    program = "options_fuzz" if name in FINDS_OPTIONS else "events"
    built = programs.build(tmp_path / "build", program, SRC=source)
    if program == "events":
        done = programs.run_streams(built, first=1, count=STREAMS)
        assert "events: seed " in done.stdout
    else:
        done = programs.fuzz_options(built, tmp_path, "-runs=%d" % RUNS, "-seed=1")
    assert done.returncode not in (0, 2), done.stdout
