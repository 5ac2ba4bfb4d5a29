/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_KTIME_H
#define SIM_LINUX_KTIME_H

#include <linux/jiffies.h>
#include <linux/time64.h>
#include <linux/types.h>

#include "simulated.h"

typedef s64 ktime_t;

#define ktime_get_ns()		((u64)world_now_ns)
#define ktime_get_mono_fast_ns()	ktime_get_ns()
#define ktime_get_raw_ns()	ktime_get_ns()
#define ktime_get_boottime_ns()	ktime_get_ns()
#define ktime_get_real_ns()	ktime_get_ns()
#define local_clock()		ktime_get_ns()
#define ktime_get()		((ktime_t)world_now_ns)
#define ktime_to_ns(kt)		((s64)(kt))
#define ktime_to_us(kt)		((s64)(kt) / NSEC_PER_USEC)
#define ktime_to_ms(kt)		((s64)(kt) / NSEC_PER_MSEC)
#define ktime_sub(a, b)		((ktime_t)((a) - (b)))
#define ktime_add_ns(kt, ns)	((ktime_t)((kt) + (ns)))
#define ns_to_ktime(ns)		((ktime_t)(ns))
#define ms_to_ktime(ms)		((ktime_t)(ms) * NSEC_PER_MSEC)

#endif
