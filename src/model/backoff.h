/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Backoff of a path that fails again soon after each reinstatement, as a checker that looks every
 * few seconds cannot tell it from a working one. A path that works for longer is worth its errors.
 * The caller holds the lock of the struct.
 */
#ifndef LW_BACKOFF_H
#define LW_BACKOFF_H

#include "model/constants.h"
#include "model/math.h"

/* Failures soon after reinstatement; wall time, as checkers work without traffic, too. */
struct lw_backoff {
	unsigned int count;	/* number of recent ones */
	u64 back_ns;	/* end of the backoff since the last reinstatement; 0 after a failure */
};

/**
 * lw_backoff_failed() - the path was failed
 * @f: its history
 * @now_ns: time
 *
 * Counts only the first failure after a reinstatement: a reload repeats earlier ones.
 */
static inline void lw_backoff_failed(struct lw_backoff *f, u64 now_ns)
{
	u64 good_ns = max_t(s64, now_ns - f->back_ns, 0);

	if (!f->back_ns)
		return;
	f->count -= min_t(u64, f->count, div64_u64(good_ns, LW_BACKOFF_LONGEST_NS));
	if (good_ns < LW_BACKOFF_SOON_NS)
		f->count = min_t(unsigned int, f->count + 1, LW_BACKOFF_MOST);
	f->back_ns = 0;
}

/**
 * lw_backoff_reinstated() - the path was reinstated
 * @f: its history
 * @now_ns: time
 * Return: true if it backs off, see lw_backoff_active().
 */
static inline bool lw_backoff_reinstated(struct lw_backoff *f, u64 now_ns)
{
	u64 wait_ns = 0;

	if (f->count)
		wait_ns = min_t(u64, LW_BACKOFF_FIRST_NS << (f->count - 1),
				LW_BACKOFF_LONGEST_NS);
	f->back_ns = now_ns + wait_ns;
	return wait_ns;
}

/**
 * lw_backoff_active() - does the path back off?
 * @f: its history
 * @now_ns: time
 */
static inline bool lw_backoff_active(const struct lw_backoff *f, u64 now_ns)
{
	return now_ns < f->back_ns;
}

#endif
