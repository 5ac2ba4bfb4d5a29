"""In the guest: I/Os per second on several CPUs, the selectors in turn (`python3 -m tests.bench.cost.rate`)."""
import itertools

from tests.bench import in_guest as guest
from tests.bench.cost.cost_plan import NULL_BLK, QUEUE_MODES, RatePlan
from tests.bench.cost.quick_maps import mapped, quick_disks
from tests.lib import fio

DEPTH = 8   # of each CPU's job


def rate(plan, disks, variant, queue_mode):
    """What as many jobs as there are CPUs get through; fio looks at no clock but for the end."""
    with mapped(disks, variant, queue_mode) as device:
        return fio.run(device.path, runtime=plan.seconds, iodepth=DEPTH, numjobs=plan.cpus,
                       gtod_reduce=1, disk_util=0).iops


def run(plan):
    with quick_disks(NULL_BLK, plan.paths) as disks:
        for number, queue_mode in itertools.product(range(plan.rounds), QUEUE_MODES):
            begin = number % len(plan.selectors)
            for variant in plan.selectors[begin:] + plan.selectors[:begin]:
                iops = rate(plan, disks, variant, queue_mode)
                guest.record(measured="iops", cpus=plan.cpus, queue_mode=queue_mode,
                             paths=plan.paths, selector=variant, round=number, iops=iops)
                guest.say("%d CPUs, %s, round %d, %s: %.0f IOPS"
                          % (plan.cpus, queue_mode, number, variant, iops))


if __name__ == "__main__":
    guest.main(run, RatePlan)
