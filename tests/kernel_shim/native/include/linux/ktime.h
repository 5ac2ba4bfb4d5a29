/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NATIVE_LINUX_KTIME_H
#define NATIVE_LINUX_KTIME_H

#include_next <linux/ktime.h>

u64 native_clock_ns(void);

/* What is not here, such as ktime_get_real_ns(), tells the time of the last tick. */
#undef ktime_get_ns
#undef ktime_get_mono_fast_ns
#undef ktime_get_raw_ns
#undef ktime_get_boottime_ns
#undef local_clock
#undef ktime_get
#define ktime_get_ns()		native_clock_ns()
#define ktime_get_mono_fast_ns()	native_clock_ns()
#define ktime_get_raw_ns()	native_clock_ns()
#define ktime_get_boottime_ns()	native_clock_ns()
#define local_clock()		native_clock_ns()
#define ktime_get()		((ktime_t)native_clock_ns())

#endif
