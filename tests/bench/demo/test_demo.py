"""The demo on the host, with everything that needs a guest replaced."""
import pytest

from tests.bench.acceptance.acceptance_plan import Job
from tests.bench.demo import __main__ as command
from tests.bench.demo import demo_picture, workload
from tests.bench.demo.demo_plan import Plan
from tests.vm.progress import exit_status


def test_each_workload_warms_up_as_in_the_acceptance_suite(monkeypatch):
    plan, told = Plan(), []

    def run(device, paths, jobs):
        told.extend(jobs)
        return {job.name: {"iops": 1, "mib_s": 1, "ios": 1, "mean_us": 1, "p50_us": 1, "p99_us": 1, "p999_us": 1,
                           "path_ios": [1, 1], "cpu": 0} for job in jobs}

    monkeypatch.setattr(workload.fio_series, "run", run)
    assert list(workload.measure("/dev/map", [], plan.workloads, plan.depth, plan.seconds)) == plan.workloads
    assert [job.warm for job in told] == [Job(rw="randread", depths=[8]).warm] * len(plan.workloads)


@pytest.fixture
def demo(monkeypatch):
    """The command into that directory; its guest records nothing. (status, whether the guest ran)"""
    ran = []
    monkeypatch.setattr(command, "runs_of", lambda *_: ran.append(1) or [])

    def demo_into(directory):
        options = command.parse(["--out", str(directory)])
        return exit_status(lambda: command.demo(options)), bool(ran)
    return demo_into


def test_a_directory_that_cannot_be_is_told_before_the_guest_runs(demo, said, tmp_path):
    file = tmp_path / "file"
    file.write_text("kept")
    assert demo(file) == (1, False)
    error, = said.readouterr().err.splitlines()
    assert str(file) in error and file.read_text() == "kept"


def test_the_table_is_shown_although_nothing_can_be_kept(demo, said, monkeypatch, tmp_path):
    def fail(*_):
        raise OSError("No space left on device")
    monkeypatch.setattr(demo_picture, "draw", fail)
    assert demo(tmp_path) == (1, True)
    assert "Two paths of 54 Mbit/s" in said.readouterr().out
