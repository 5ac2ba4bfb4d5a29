/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_JIFFIES_H
#define SIM_LINUX_JIFFIES_H

#include <linux/time64.h>
#include <linux/types.h>

#include "simulated.h"

/* As Debian's kernels have it. */
#define HZ		250
#define NSEC_PER_JIFFY	(NSEC_PER_SEC / HZ)

#define jiffies		((unsigned long)(world_now_ns / NSEC_PER_JIFFY))
#define get_jiffies_64()	((u64)jiffies)

static inline unsigned long msecs_to_jiffies(unsigned int ms)
{
	return ((u64)ms * HZ + MSEC_PER_SEC - 1) / MSEC_PER_SEC;
}

static inline u64 jiffies_to_nsecs(unsigned long j)
{
	return j * NSEC_PER_JIFFY;
}

#define time_after(a, b)	((long)((b) - (a)) < 0)
#define time_before(a, b)	time_after(b, a)
#define time_after_eq(a, b)	(!time_before(a, b))
#define time_before_eq(a, b)	(!time_after(a, b))

#endif
