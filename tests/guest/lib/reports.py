"""Reports of paths that became slow or recovered, and paths of which a first one is to come."""
import contextlib

from tests.lib.disks import path_disks
from tests.lib.kernel_log import REPORT, KernelLog
from tests.lib.multipath import Multipath
from tests.lib.scenario import SELECTOR, Load

USUAL_US, SLOW_US = 20000, 200000     # far above what a slow kernel adds, by itself or on a busy host
HOLD = 1                    # seconds
KNOWN = 4.5                 # after which a path has a usual latency


class Reports:
    """What the kernel's log has of paths since this was made: (path, what, was, is) of each; in us."""

    def __init__(self):
        self.log = KernelLog()
        self.close = self.log.close
        self.found = []

    def __call__(self):
        reports = (REPORT.search(text) for _, text in self.log.new_records())
        self.found += [(report[1], report[2], int(report[3]), int(report[4])) for report in reports if report]
        return self.found

    def wait(self, load, number):
        load.wait_until(lambda: len(self()) >= number, "report %d is made" % number, timeout=20)
        return self()[number - 1]


@contextlib.contextmanager
def known_paths(name, queue_mode="rq", hold=HOLD, probe_max_ms=100, count=2, **disk):
    """(map, its paths, load, reports), the paths being equal and known. Many probes: so few seconds tell enough."""
    arguments = ["report_ms", int(hold * 1000), "probe_max_ms", probe_max_ms]
    with path_disks(count) as paths:
        for path in paths:
            path.set(delay_us=USUAL_US, **disk)
        with contextlib.closing(Reports()) as reports, \
                Multipath(paths, SELECTOR, queue_mode, name=name, selector_args=arguments) as mapped, \
                Load(mapped, iodepth=2) as load:
            load.begin()
            load.watch(KNOWN)
            assert reports() == []
            yield mapped, paths, load, reports
