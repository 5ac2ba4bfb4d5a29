"""What runs in the guest, as far as it needs none: fio's words and what is made of its answers."""
import json
import sys
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from tests.bench.acceptance import acceptance_plan as plan
from tests.bench.acceptance import acceptance_scenario as scenario
from tests.bench.acceptance import local_beds as beds
from tests.bench.acceptance import maps, tasks
from tests.bench.acceptance.acceptance_in_guest import common_fields, fio_job, key
from tests.bench.selectors import OURS
from tests.lib import fio_series, network
from tests.lib.command import write_script
from tests.lib.multipath import table
from tests.lib.watching import act, watch

# Stands in for fio: does what it would with the exec commands of its jobs, and keeps its arguments.
FAKE_FIO = """#!{python}
import json, sys
json.dump(sys.argv[1:], open("{directory}/argv.json", "w"))
jobs = [word.split("=")[1] for word in sys.argv if word.startswith("--name=")]
for job in jobs:
    for when, idle, uptime, ios in (("prerun", 1000, 10.0, 100), ("postrun", 1050, 11.0, 400)):
        with open(job + "." + when + ".txt", "w") as file:
            print("cpu  1 2 3", idle, "0 0 0\\ncpu0 1 2 3 4 5 6 7\\nintr 5", file=file)
            print(uptime, "99.0", file=file)
            print(" ", ios, "0 8 9", ios, "0 8 9 0 0 0", file=file)
            print(" ", ios // 2, "0 8 9 0 0 8 9 0 0 0", file=file)
latency = {{"mean": 5000000, "percentile": {{"50.000000": 4e6, "99.000000": 9e6, "99.900000": 2e7}}}}
print("fio: a note", json.dumps({{"jobs": [
    {{"jobname": job, "mixed": {{"iops": 750, "bw_bytes": 3 << 20, "total_ios": 750, "lat_ns": latency}}}}
    for job in jobs]}}))
"""


@pytest.fixture
def fake_fio(tmp_path, monkeypatch):
    """The arguments that it was called with."""
    write_script(tmp_path / "fio", FAKE_FIO.format(python=sys.executable, directory=tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return lambda: json.loads((tmp_path / "argv.json").read_text())


def test_beds_ways_and_keys_are_of_one_mind():
    assert set(beds.BEDS) == set(scenario.PATH_KEYS)
    assert set(tasks.TASKS) == set(plan.TASKS)


def test_a_series_of_jobs_is_one_fio_and_warming_up_does_not_count(fake_fio, monkeypatch):
    monkeypatch.setattr(fio_series.os, "cpu_count", lambda: 1)
    job = plan.Job(rw="randread", depths=[8], bssplit="4k/60:64k/40", warm=0.5, seconds=2)
    paths = [SimpleNamespace(sysfs="/sys/block/a"), SimpleNamespace(sysfs="/sys/block/b")]
    found = fio_series.run("/dev/map", paths, [fio_job(job, 8, job.warm)])
    figures = found.pop(key(job, 8))
    assert not found
    assert figures == {"iops": 750, "mib_s": 3, "ios": 750, "mean_us": 5000, "p50_us": 4000, "p99_us": 9000,
                       "p999_us": 20000, "path_ios": [600, 150], "cpu": pytest.approx(0.5)}
    words = fake_fio()
    assert words.count("--stonewall") == 2
    assert [word for word in words if word.startswith("--runtime")] == ["--runtime=500ms", "--runtime=2000ms"]
    assert "--bssplit=4k/60:64k/40" in words and not any(word.startswith("--bs=") for word in words)
    assert "--filename=/dev/map" in words


def test_names_of_jobs_can_be_names_of_files():
    assert key(plan.Job(rw="randread", depths=[8], label="4k/60: mixed"), 8) == "4k-60--mixed-8"


@pytest.mark.parametrize("sizes, expected", [([], [["a", "b", "c"]]), ([1, 2], [["a"], ["b", "c"]])])
def test_paths_in_priority_groups(sizes, expected):
    assert maps.in_groups(["a", "b", "c"], sizes) == expected


def test_the_table_has_a_selector_for_each_priority_group():
    near, far, farther = (SimpleNamespace(number=f"8:{minor}") for minor in (0, 16, 32))
    line = table([near, far, farther], "round-robin", "rq", sectors=8, groups=[[near], [far, farther]])
    assert line == ("0 8 multipath 2 queue_mode rq 0 2 1 "
                    "round-robin 0 1 1 8:0 1 round-robin 0 2 1 8:16 1 8:32 1")


@pytest.mark.parametrize("selector, words", [(OURS, ["by_operation", 1, "window_ms", 50]), ("queue-length", [])])
def test_the_table_has_our_arguments_and_no_peers(monkeypatch, selector, words):
    told = []
    monkeypatch.setattr(maps, "Multipath", lambda *_, **more: told.append(more["selector_args"]) or nullcontext(
        SimpleNamespace(path="/dev/map")))
    monkeypatch.setattr(maps, "udev_waits", nullcontext)
    scenario = SimpleNamespace(groups=[], arguments={"by_operation": 1, "window_ms": 50})
    with maps.multipath(["a", "b"], selector, scenario) as device:
        assert device == "/dev/map"
    assert told == [words]


@pytest.mark.parametrize("selector, arguments", [(OURS, {"by_operation": 1}), ("queue-length", None)])
def test_a_record_tells_our_arguments(selector, arguments):
    scenario = SimpleNamespace(name="s", transport="test disk", arguments={"by_operation": 1})
    assert common_fields(scenario, selector, repetition=2).get("arguments") == arguments


def test_cpus_are_dealt_out_to_the_paths_of_each_group():
    assert maps.cpu_masks([["a", "b"], ["c"]], 4) == ["5", "a", "f"]


def test_the_table_has_what_the_selector_wants_of_each_path():
    paths = [SimpleNamespace(number=f"8:{minor}") for minor in (0, 16)]
    line = table(paths, "io-affinity", "rq", sectors=8, path_words=["1", "2"])
    assert line == "0 8 multipath 2 queue_mode rq 0 1 1 io-affinity 0 2 1 8:0 1 8:16 2"


@pytest.mark.parametrize("impairments, here, there", [
    ({}, "", ""),
    ({"delay_ms": 30, "rate_mbit": 100}, "rate 100mbit", "delay 30ms rate 100mbit"),
    ({"loss_percent": 0.5}, "loss 0.5%", "loss 0.5%"),
    ({"delay_ms": 4, "jitter_ms": 2}, "", "delay 4ms 2ms rate 10000mbit"),
    ({"delay_ms": 4, "jitter_ms": 2, "distribution": "pareto", "rate_mbit": 200}, "rate 200mbit",
     "delay 4ms 2ms distribution pareto rate 200mbit")])
def test_what_netem_is_told(monkeypatch, impairments, here, there):
    told = []
    monkeypatch.setattr(network, "sh", lambda *words: told.append(" ".join(map(str, words))))
    link = network.Link("array", 1)
    del told[:]
    link.impair(**impairments)
    assert [line.split("netem limit 10000")[1].strip() for line in told] == [here, there]


def test_changes_come_right_after_the_sample_of_their_time():
    seen = []
    watch(lambda at: seen.append("sample"), 0.03, 0.01, [(0.02, lambda: seen.append("second")),
                                                         (0.0, lambda: seen.append("first"))], most_late=10)
    assert seen == ["sample", "first", "sample", "sample", "second", "sample"]


def test_a_late_sample_is_an_error():
    with pytest.raises(RuntimeError, match="late"):
        watch(lambda at: None, 0.01, 0.01, [], most_late=-1)


def test_changes_without_samples_come_in_order_and_late_ones_are_an_error():
    seen = []
    act([(0.01, lambda: seen.append("second")), (0, lambda: seen.append("first"))], most_late=10)
    assert seen == ["first", "second"]
    with pytest.raises(RuntimeError, match="late"):
        act([(0, lambda: None)], most_late=-1)


def test_what_each_path_carried_is_told():
    carried = iter([[10 << 20, 0], [12 << 20, 3 << 20]])
    bed = SimpleNamespace(carried_bytes=lambda: next(carried))
    assert tasks.measured(bed, lambda: None)["carried_mib"] == [2, 3]
