"""The demo on the host, with everything that needs a guest replaced."""
from tests.bench.acceptance.acceptance_plan import Job
from tests.bench.demo import workload
from tests.bench.demo.demo_plan import Plan


def test_each_workload_warms_up_as_in_the_acceptance_suite(monkeypatch):
    plan, told = Plan(), []

    def run(device, paths, jobs):
        told.extend(jobs)
        return {job.name: {"iops": 1, "mib_s": 1, "ios": 1, "mean_us": 1, "p50_us": 1, "p99_us": 1, "p999_us": 1,
                           "path_ios": [1, 1], "cpu": 0} for job in jobs}

    monkeypatch.setattr(workload.fio_series, "run", run)
    assert list(workload.measure("/dev/map", [], plan.workloads, plan.depth, plan.seconds)) == plan.workloads
    assert [job.warm for job in told] == [Job(rw="randread", depths=[8]).warm] * len(plan.workloads)
