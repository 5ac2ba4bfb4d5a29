"""fio in the guest: the demo's jobs, and its figures in the units that it shows."""
from tests.bench.demo.demo_plan import BLOCK, WARM
from tests.lib import fio_series


def measure(device, paths, workloads, depth, seconds):
    """Run fio on the device; {workload: figures}."""
    jobs = [fio_series.Job(workload, seconds, depth, WARM, rw=workload, bs=BLOCK) for workload in workloads]
    results = fio_series.run(device, paths, jobs)
    return {workload: shown(results[workload]) for workload in workloads}


def shown(figures):
    """Latencies in ms, and what the second path, the slow one, had of the I/Os."""
    ios = figures["path_ios"]
    return {"iops": figures["iops"], "mib_s": figures["mib_s"], "ios": figures["ios"],
            "mean_ms": figures["mean_us"] / 1000, "p50_ms": figures["p50_us"] / 1000,
            "p99_ms": figures["p99_us"] / 1000, "p99.9_ms": figures["p999_us"] / 1000,
            "path_ios": ios, "slow_share": ios[1] / max(sum(ios), 1), "cpu_busy": figures["cpu"]}
