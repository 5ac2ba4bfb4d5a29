/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long a path rests that fails again soon after it was reinstated. Over a plain
 * struct; whoever calls has its lock.
 */
#ifndef LW_FLAP_H
#define LW_FLAP_H

#include "model/math.h"

/*
 * A checker that looks every few seconds cannot tell a path that fails each I/O from one
 * that works. So a failure soon after the path came back counts: the next rest is twice
 * as long. A path that carried I/O for longer is worth its errors, however often it
 * fails.
 */
#define LW_FLAP_SOON_NS		300000000ULL
/* Longest rest; and so much time without failure takes a count back. */
#define LW_FLAP_LONGEST_NS	10000000000ULL
#define LW_FLAP_FIRST_NS	25000000ULL	/* a little more than a window, by default */
#define LW_FLAP_MOST		10		/* 25 ms * 2^9 > 10 s */

/**
 * struct lw_flap - failures soon after reinstatement
 * @count: of them, recent ones
 * @back_ns: from when on it may be used since it was last reinstated; 0 if it
 *	was not since its last failure
 *
 * By the time that passes with and without traffic, since checkers go by it: a path that
 * is up without traffic has not misbehaved.
 */
struct lw_flap {
	unsigned int count;
	u64 back_ns;
};

/**
 * lw_flap_failed() - the path was failed
 * @f: its history
 * @now_ns: when
 *
 * Only the first failure after a reinstatement counts: a reload fails a path again
 * that was down before.
 */
static inline void lw_flap_failed(struct lw_flap *f, u64 now_ns)
{
	u64 good_ns = max_t(s64, now_ns - f->back_ns, 0);

	if (!f->back_ns)
		return;
	f->count -= min_t(u64, f->count, div64_u64(good_ns, LW_FLAP_LONGEST_NS));
	if (good_ns < LW_FLAP_SOON_NS)
		f->count = min_t(unsigned int, f->count + 1, LW_FLAP_MOST);
	f->back_ns = 0;
}

/**
 * lw_flap_reinstated() - the path was reinstated
 * @f: its history
 * @now_ns: when
 *
 * Return: whether it rests, see lw_flap_rests().
 */
static inline bool lw_flap_reinstated(struct lw_flap *f, u64 now_ns)
{
	u64 rest_ns = 0;

	if (f->count)
		rest_ns = min_t(u64, LW_FLAP_FIRST_NS << (f->count - 1),
				LW_FLAP_LONGEST_NS);
	f->back_ns = now_ns + rest_ns;
	return rest_ns;
}

/**
 * lw_flap_rests() - is the path to wait for its first probe?
 * @f: its history
 * @now_ns: the time
 */
static inline bool lw_flap_rests(const struct lw_flap *f, u64 now_ns)
{
	return now_ns < f->back_ns;
}

#endif
