"""The native program, for moments: that it runs."""
import subprocess

import pytest

from tests.bench.cost import native


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    return native.build(tmp_path_factory.mktemp("native"))


@pytest.mark.parametrize("threads", native.thread_counts())
def test_each_selector_is_measured(program, threads):
    records = native.measure(program, threads, paths=3, rounds=3, microseconds=100)
    assert [record["selector"] for record in records] == native.NATIVE_SELECTORS
    assert all(record["low"] <= record["ns"] <= record["high"] for record in records)


def test_nonsense_is_refused(program):
    done = subprocess.run([str(program), "1", "65", "3", "100"], text=True, stderr=subprocess.PIPE)
    assert done.returncode == 2 and "paths" in done.stderr
