/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What flows through a path: sums of what started and ended, and Little's law over them.
 *
 * Plain structs and no clock. end_io() uses lw_took(), which does not divide.
 */
#ifndef LW_FLOW_H
#define LW_FLOW_H

#include "model/math.h"

/*
 * Times and latencies are added up in units of 1024 ns: 32 bits of a sum then hold more than
 * an hour, and what rounding takes from one I/O it gives to another.
 */
#define LW_SUM_SHIFT	10
#define LW_TOOK_MAX	0x100000U	/* a second: 4096 of them fit. Little's law knows of more */

/* A latency as it is added up; never 0, which is none. */
static inline u32 lw_took(u64 ns)
{
	return clamp_t(u64, (ns + (1 << LW_SUM_SHIFT) / 2) >> LW_SUM_SHIFT, 1, LW_TOOK_MAX);
}

/**
 * lw_sum_ns() - a sum of times of ends less those of starts, from its lower 32 bits
 * @sum: what it has grown by on all CPUs, in units of LW_SUM_SHIFT
 * @left: starts less ends
 * @now: when
 *
 * With as many times @now as there are starts left, so that each start stands against an
 * end, the sum is the time for which there were more in flight than at the beginning, times
 * how many. It may be half an hour: 100,000 more I/Os for all of a window of 20 ms, or 2,000
 * for a second. 32 bits tell it; then these are taken off again.
 *
 * Return: in ns, modulo 2^64.
 */
static inline u64 lw_sum_ns(u32 sum, s32 left, u64 now)
{
	u64 units = now >> LW_SUM_SHIFT;
	s32 since = sum + (u32)left * (u32)units;

	return ((u64)(s64)since - (u64)(s64)left * units) << LW_SUM_SHIFT;
}

/**
 * struct lw_flow - running totals of one path and class
 * @starts: I/Os started
 * @ends: I/Os ended, for whatever reason
 * @done: I/Os that really were done; the rest was failed or ignored
 * @blocks: length of those that were started
 * @sum_ns: sum of the times at which they ended, less that of the times at which they
 *	started, modulo 2^64
 * @took_ns: sum of the latencies of those done that had a time stamp
 */
struct lw_flow {
	u64 starts;
	u64 ends;
	u64 done;
	u64 blocks;
	u64 sum_ns;
	u64 took_ns;
};

/**
 * lw_flow_held() - time that I/Os were held in flight, integral of n dt
 * @was: totals at time @t0
 * @is: totals at time @t1
 * @t0: begin of the window, ns
 * @t1: end of the window, ns
 *
 * n0 I/Os are there for all of the window, one that starts adds the time from its
 * start to t1, one that ends takes away the time from its end to t1. The sums
 * of absolute times wrap; their differences do not, because all of this is
 * arithmetic modulo 2^64 and the result is small. A start seen late (its CPU
 * was read before it) counts in the next window with its full time; until then
 * the integral can be negative.
 *
 * Return: I/O-nanoseconds.
 */
static inline s64 lw_flow_held(const struct lw_flow *was,
			       const struct lw_flow *is, u64 t0, u64 t1)
{
	u64 held = (was->starts - was->ends) * (t1 - t0);

	held += (is->starts - was->starts) * t1;
	held -= (is->ends - was->ends) * t1;
	return held + is->sum_ns - was->sum_ns;
}

/**
 * struct lw_little - mean latency by Little's law, from lw_flow_held()
 * @held_ns: I/O-nanoseconds that led to completions, with memory
 * @done_q4: completions, with the same memory, in sixteenths
 * @pending_ns: I/O-nanoseconds since the last completion
 * @whole: nothing was in flight when @pending_ns began
 *
 * The quotient of two averages, not the average of quotients: a window with
 * one completion and another one with a hundred are weighted as they should.
 */
struct lw_little {
	u64 held_ns;
	u64 done_q4;
	s64 pending_ns;
	bool whole;
};

/**
 * lw_little_add() - take one window into account
 * @q: the average
 * @shift: the window's weight is 1 / 2^shift, 0 .. 8
 * @held_ns: I/O-nanoseconds of the window
 * @done: completions of the window
 * @inflight: I/Os in flight at its end
 *
 * A window without completion forgets nothing, so a single slow I/O that spans
 * many windows is measured exactly.
 */
static inline void lw_little_add(struct lw_little *q, unsigned int shift, s64 held_ns,
				 u64 done, u64 inflight)
{
	u64 kept_q4 = ((1ULL << shift) - 1) * (min_t(u64, done, 1ULL << 32) << 4);
	const s64 most = 1LL << 51;

	q->pending_ns = clamp_t(s64, clamp_t(s64, held_ns, -most, most) +
				q->pending_ns, -most, most);
	if (!done)
		return;
	q->held_ns -= q->held_ns >> shift;
	q->done_q4 -= q->done_q4 >> shift;
	if (q->done_q4 > kept_q4) {
		q->held_ns = div64_u64(q->held_ns, q->done_q4) * kept_q4;
		q->done_q4 = kept_q4;
	}
	q->held_ns += max_t(s64, q->pending_ns, 0);	/* below 2^60 */
	q->done_q4 += min_t(u64, done, 1ULL << 32) << 4;
	q->pending_ns = 0;
	q->whole = !inflight;
}

/*
 * Forget the averages, so that the next completions count alone: of a path at rest before
 * and after them. Otherwise some I/O counts with a part of its time.
 */
static inline void lw_little_restart(struct lw_little *q, u64 inflight)
{
	if (!q->whole || inflight)
		return;
	q->held_ns = 0;
	q->done_q4 = 0;
}

/**
 * lw_little_ns() - the latency
 * @q: the average
 *
 * Return: held / done, 0 if nothing was done yet.
 */
static inline u64 lw_little_ns(const struct lw_little *q)
{
	if (!q->done_q4)
		return 0;
	return clamp_t(u64, div64_u64(q->held_ns << 4, q->done_q4), 1, LW_NS_MAX);
}

#endif
