/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What end_io() is given as start time.
 *
 * With DM_PS_USE_HR_TIMER (where LW_PS_HAS_FEATURES) it is nanoseconds of the
 * monotonic clock or 0. Before, bio-based maps pass jiffies_to_nsecs(), whole
 * microseconds of a clock that started 300 s before its wrap and wraps every
 * 4295 s: neither an age nor an order can be told from it. Of real nanoseconds
 * one in a thousand looks so, too, and that one goes without a stamp.
 */
#ifndef LW_COMPAT_START_TIME_H
#define LW_COMPAT_START_TIME_H

/**
 * lw_stamp() - a start time to rely on
 * @start_time: as given to end_io()
 * @now: time, ns of the monotonic clock
 *
 * Return: the start time; 0 if there is none, or one that is not in the past.
 */
static inline u64 lw_stamp(u64 start_time, u64 now)
{
#ifndef LW_PS_HAS_FEATURES
	if (start_time % 1000 == 0)
		return 0;
#endif
	return (s64)(now - start_time) > 0 ? start_time : 0;
}

#endif
