/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's headers include each other in ways that differ from version to
 * version. Whether a file includes what it needs is for the kernel builds to say
 * (tests/build); here each file of the module gets all.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/blkdev.h>
#include <linux/bug.h>
#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/capability.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/device-mapper.h>
#include <linux/gfp.h>
#include <linux/hashtable.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/percpu.h>
#include <linux/prefetch.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/time64.h>
#include <linux/topology.h>
#include <linux/types.h>
#include <linux/workqueue.h>
