"""Makes captures/san.*, in a guest: an array on two networks, a map of each of its two logical units.

One network becomes slow and heals, then a path of the second map fails and comes back.

    python3 -m tests.vm shell --kernel trixie --icount -- \\
        'cd /lw/src && LW_PATIENCE=100 python3 -m tests.tools.capture_san /lw/out'

san.tree is the part of /sys that dm-lw topology reads while the network is slow, san.table and
san.status what dmsetup says then; san.recording is of all the time.
"""
import contextlib
import os
import sys
import time

from tests.lib import dm_lw as tool
from tests.lib.array import array
from tests.lib.command import sh
from tests.lib.multipath import Multipath
from tests.lib.scenario import SELECTOR, Load

from . import trees

NAMES = ("mpatha", "mpathb")
STEP = 3                        # seconds between events


def write(directory, ending, text):
    with open(os.path.join(directory, "san." + ending), "w") as file:
        file.write(text)


def look(directory):
    write(directory, "tree", "time %.3f\n%s\n%s\n" % (time.time(), trees.capture(), trees.capture_links()))
    for verb in ("table", "status"):
        write(directory, verb, sh("dmsetup", verb, "--target", "multipath"))


def main(directory):
    with contextlib.ExitStack() as stack:
        storage = stack.enter_context(array(luns=2))
        maps = [stack.enter_context(Multipath(storage.paths(lun), SELECTOR, name=name))
                for lun, name in enumerate(NAMES)]
        loads = [stack.enter_context(Load(mapped, iodepth=4)) for mapped in maps]
        for load in loads:
            load.begin()
        recorder = tool.start("record", os.path.join(directory, "san.recording"), "0.5")
        time.sleep(STEP)
        storage.links[1].impair(delay_ms=30)
        time.sleep(STEP)
        look(directory)
        storage.links[1].impair()
        time.sleep(STEP)
        failing = storage.paths(1)[0]
        maps[1].fail_path(failing)
        time.sleep(STEP)
        maps[1].reinstate_path(failing)
        time.sleep(STEP)
        recorder.terminate()
        tool.end(recorder)


if __name__ == "__main__":
    main(sys.argv[1])
