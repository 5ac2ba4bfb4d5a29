/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Totals of started and ended I/Os, and Little's law over them. lw_took() serves end_io() and does
 * not divide; rounding errors of lw_took() cancel out.
 */
#ifndef LW_COUNTERS_H
#define LW_COUNTERS_H

#include "model/math.h"

/* Unit of summed times: 1024 ns, so that 32 bits hold more than an hour. */
#define LW_SUM_SHIFT	10
#define LW_TOOK_MAX	0x100000U	/* a second (4096 fit); Little's law covers more */

/* Convert a latency to that unit; never 0, which means none. */
static inline u32 lw_took(u64 ns)
{
	return clamp_t(u64, (ns + (1 << LW_SUM_SHIFT) / 2) >> LW_SUM_SHIFT, 1, LW_TOOK_MAX);
}

/**
 * lw_sum_ns() - sum of end times minus start times, from its lower 32 bits
 * @sum: growth on all CPUs, in units of LW_SUM_SHIFT
 * @left: starts minus ends
 * @now: time
 *
 * Adding @now for each start without an end leaves the time for which more I/Os were in flight
 * than at the beginning, times their number. 32 bits hold half an hour of it, such as 100,000 I/Os
 * for 20 ms; then subtract what was added.
 *
 * Return: the sum in ns, modulo 2^64.
 */
static inline u64 lw_sum_ns(u32 sum, s32 left, u64 now)
{
	u64 units = now >> LW_SUM_SHIFT;
	s32 since = sum + (u32)left * (u32)units;

	return ((u64)(s64)since - (u64)(s64)left * units) << LW_SUM_SHIFT;
}

/* Totals of one path and class. */
struct lw_counters {
	u64 starts;	/* I/Os started */
	u64 ends;	/* I/Os ended for any reason */
	u64 done;	/* valid completions */
	u64 blocks;	/* length of the started I/Os */
	u64 sum_ns;	/* end times minus start times, modulo 2^64 */
	u64 took_ns;	/* latencies of stamped valid completions */
};

/**
 * lw_counters_held() - integral of I/Os in flight over time
 * @was: totals at time @t0
 * @is: totals at time @t1
 * @t0: begin of the window, ns
 * @t1: end of the window, ns
 *
 * I/Os in flight at @t0 count for the whole window, a start adds the time up to @t1, an end
 * subtracts it. Sums of absolute times wrap, but their differences are right modulo 2^64. A start
 * on a CPU that was read before counts in the next window with its full time.
 *
 * Return: I/O-nanoseconds; negative if a start was missed.
 */
static inline s64 lw_counters_held(const struct lw_counters *was,
				   const struct lw_counters *is, u64 t0, u64 t1)
{
	u64 held = (was->starts - was->ends) * (t1 - t0);

	held += (is->starts - was->starts) * t1;
	held -= (is->ends - was->ends) * t1;
	return held + is->sum_ns - was->sum_ns;
}

/*
 * Latency by Little's law, of a class: a quotient of fading sums. Windows without completions
 * forget nothing, so an I/O that spans many windows is measured exactly.
 */
struct lw_little {
	u64 held_ns;	/* I/O-nanoseconds up to the last completion */
	u64 done_q8;	/* completions */
	u64 pending_ns;	/* I/O-nanoseconds since then */
};

/**
 * lw_little_add() - add a window
 * @q: the sums
 * @shift: part of the sums that a window with completions forgets, 1 / 2^shift, 0 .. 8
 * @held_ns: I/O-nanoseconds of the window
 * @done: completions in the window
 */
static inline void lw_little_add(struct lw_little *q, unsigned int shift, s64 held_ns, u64 done)
{
	const s64 most = 1LL << 51;

	q->pending_ns = clamp_t(s64, (s64)q->pending_ns + min(held_ns, most), 0, most);
	if (!done)
		return;
	q->held_ns += q->pending_ns - (q->held_ns >> shift);	/* below 2^60 */
	q->done_q8 += (min_t(u64, done, 1ULL << 32) << 8) - (q->done_q8 >> shift);
	q->pending_ns = 0;
}

/* Mean latency in ns, 0 without completions. */
static inline u64 lw_little_ns(const struct lw_little *q)
{
	return q->done_q8 ? clamp_t(u64, lw_quotient_q8(q->held_ns, q->done_q8), 1, LW_NS_MAX) : 0;
}

#endif
