import contextlib, sys, time, gc, statistics, subprocess
sys.path.insert(0, "/lw/src")
from tests.cost.loop import opened, per_read
from tests.dm.lib.disks import NullBlk
from tests.dm.lib.multipath import Multipath
from tests.dm.lib.command import load_module
gc.disable()
N=int(sys.argv[1]); n=int(sys.argv[2]); mode=sys.argv[3]
load_module("dm_multipath"); load_module("null_blk", "nr_devices=0"); load_module("dm_latency_weighted")
print(subprocess.check_output("cat /proc/modules | head -4; cat /sys/module/dm_latency_weighted/sections/.text; grep dm_latency_weighted /proc/kallsyms | grep ' [tT] ' | sort > /lw/out/syms; cp /lib/modules/*/updates/dkms/dm-latency* /lw/out", shell=True, text=True))
with contextlib.ExitStack() as stack:
    disks=[stack.enter_context(NullBlk("lwn%d"%i, 0, irqmode=0)) for i in range(n)]
    with Multipath(disks[:n], sys.argv[4] if len(sys.argv)>4 else "latency-weighted", mode) as m, opened(m.path) as fd:
                    print(per_read(fd, N))
