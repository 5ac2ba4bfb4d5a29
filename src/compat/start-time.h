/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Start time given to end_io().
 *
 * With DM_PS_USE_HR_TIMER (LW_PS_HAS_FEATURES) it is monotonic nanoseconds or 0. Earlier kernels
 * pass jiffies_to_nsecs() for bio-based maps: whole microseconds that wrap every 4295 s and tell
 * neither age nor order.
 */
#ifndef LW_COMPAT_START_TIME_H
#define LW_COMPAT_START_TIME_H

/**
 * lw_stamp() - validate a start time
 * @start_time: as given to end_io()
 * @now: monotonic time, ns
 * Return: the start time; 0 if there is none, or it is not in the past.
 */
static inline u64 lw_stamp(u64 start_time, u64 now)
{
	return (s64)(now - start_time) > 0 ? start_time : 0;
}

/**
 * lw_may_be_jiffies() - is a start time no stamp if the map is bio-based?
 * @start_time: as given to end_io()
 * Return: true also for one in a thousand stamps.
 */
static inline bool lw_may_be_jiffies(u64 start_time)
{
#ifdef LW_PS_HAS_FEATURES
	return false;
#else
	return start_time % 1000 == 0;
#endif
}

#endif
