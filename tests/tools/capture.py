"""Makes the files of captures/, in a guest: two looks at maps under load.

Of one map, a path has become slow, and I/Os are counted by latency; of the other, one has failed.

    python3 -m tests.vm shell --kernel trixie --icount -- \\
        'cd /lw/src && LW_PATIENCE=100 python3 -m tests.tools.capture /lw/out'

The first line of each is the time at which it looked.
"""
import os
import sys
import time

from tests.lib import debugfs
from tests.lib.command import load_module, sh
from tests.lib.disks import path_disks
from tests.lib.multipath import Multipath
from tests.lib.scenario import SELECTOR, SELECTOR_MODULE, Load

from . import trees

INTERVAL = 2


def look(directory, label):
    with open(os.path.join(directory, label + ".tree"), "w") as file:
        file.write("time %.3f\n%s\n" % (time.time(), trees.capture()))


def main(directory):
    debugfs.mount()
    load_module(SELECTOR_MODULE)
    with path_disks(4) as paths:
        fast, slow, first, failed = paths
        for path, delay_us in zip(paths, (1200, 1200, 5000, 5000)):
            path.set(delay_us=delay_us)
        with Multipath([fast, slow], SELECTOR, name="mpatha", selector_args=["histogram", 1]) as steered, \
                Multipath([first, failed], SELECTOR, name="mpathb") as broken:
            sh("dmsetup", "message", broken.name, 0, "fail_path", failed.number)
            with Load(steered, iodepth=4, bs=None, bssplit="4k/80:64k/20") as load, \
                    Load(broken, iodepth=2, rw="randrw", bs="64k") as other:
                load.begin()
                other.begin()
                slow.set(delay_us=31000)
                time.sleep(INTERVAL)
                look(directory, "before")
                time.sleep(INTERVAL)
                look(directory, "after")


if __name__ == "__main__":
    main(sys.argv[1])
