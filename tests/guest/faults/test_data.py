"""What is written through one path is read back through the other."""
# promise service/data: Data written through one path is read back through another while one fails | by: fio with
#   checksums | full: `guests-*`

import pytest

from tests.guest.lib.parametrized import one_mode
from tests.lib import fio
from tests.lib.command import settle, wait_until
from tests.lib.disks import path_disks
from tests.lib.fio import Fio
from tests.lib.multipath import Multipath
from tests.lib.scenario import EQUAL, SELECTOR

BLOCKS = 1200
VERIFY = {"rw": "randwrite", "verify": "crc32c", "verify_fatal": 1, "bs": "4k",
          "size": "%dk" % (4 * BLOCKS), "norandommap": None, "randrepeat": 1}


@pytest.mark.upstream
@pytest.mark.facts
@one_mode
def test_what_was_written_reads_back_while_a_path_fails(queue_mode):
    with path_disks(2) as (first, second):
        for path in (first, second):
            path.set(delay_us=20000)
        with Multipath([first, second], SELECTOR, queue_mode, selector_args=EQUAL) as mapped:
            mapped.keep_ios_apart()
            fio.run(mapped.path, runtime=None, do_verify=0, **VERIFY)
            writes = [path.get("writes") for path in (first, second)]
            assert min(writes) > 100 and sum(writes) == BLOCKS

            for path in (first, second):
                path.set(delay_us=50000)        # so that most is still to be read when one fails
            settle()                            # udev reads what was written to
            before = first.get("reads"), second.get("reads")
            with Fio(mapped.path, verify_only=1, **VERIFY) as job:
                wait_until(lambda: (first.get("reads") > before[0] + 50 and
                                    second.get("reads") > before[1] + 50),
                           "both paths are read")
                mapped.fail_path(first)
                job.wait()
            read = (first.get("reads") - before[0],
                    second.get("reads") - before[1])
    assert sum(read) >= BLOCKS and read[1] > read[0]
