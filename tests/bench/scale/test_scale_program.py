"""The native program, with few maps: counts and bytes, which do not depend on how fast the host is."""
# promise memory/idle-maps: Only maps with I/O have windows, and all memory is given back | by: 200 maps of 8 paths
#   on 16 CPUs | check: simulated | full: `guests-*`
# promise memory/bytes-of-a-path: A path takes at most 260 bytes of a CPU, if its I/Os are of one size | check:
#   simulated | full: `guests-*`

import subprocess

import pytest

from tests.bench.scale import scale_program as program
from tests.bench.scale import scale_results as results
from tests.bench.scale.scale_plan import CORNERS, Row

FAST = dict(batches=0, warm=3, windows=5)
MEGABYTES = 200


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    return program.build(tmp_path_factory.mktemp("scale"))


def measured(built, megabytes=MEGABYTES, more=FAST, **row):
    return program.measure(built, Row("test", **row, more=more), megabytes)


def test_only_busy_maps_have_windows_and_all_come_to_rest(built):
    """With so few I/Os one of 100 ms, in the time of five usual ones."""
    found = measured(built, cpus=16, paths=4, nodes=2, maps=20, busy=10)
    assert (found["maps"], found["busy"], found["windows"], found["ios"]) == (20, 2, 2 * 1, 2 * 5 * 20)
    assert results.idle_windows(found, 5) == 0
    assert found["windows_to_rest"] >= 2


def test_all_memory_is_given_back(built):
    found = measured(built, cpus=16, paths=4, maps=5)
    assert found["left_bytes"] == 0
    assert found["bytes"] >= found["percpu_bytes"] > 16 * 4 * 5 * 64


def test_memory_grows_with_cpus_and_paths(built):
    """Of the whole machine: the number that `make scale` marks."""
    each = results.bytes_each([program.measure(built, corner, MEGABYTES) for corner in CORNERS])
    assert 0 < each <= 263


def test_deep_load_is_measured_beside_a_selector_that_does_nothing(built):
    found = measured(built, cpus=2, paths=2, more=dict(batches=3, warm=1, windows=1))
    assert found["io_ps"] > 0 and found["null_ps"] > 0 and found["clock_ps"] > 0


def test_no_more_maps_than_there_is_memory_for(built):
    found = measured(built, megabytes=1, cpus=64, paths=4, maps=50)
    assert 1 <= found["maps"] < 50
    assert found["wanted_maps"] == 50


def test_unknown_word_is_refused(built):
    done = subprocess.run([str(built), "cups=8"], text=True, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (2, 'scale: what is "cups"?\n')
