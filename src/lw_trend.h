/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Distance or queue? Both look like latency above the base. They differ in what more
 * load does: on a path that is merely far, throughput follows the load; on one that
 * queues, throughput stays and latency follows. So throughput is watched while
 * the load varies, and if it never varies by itself it is made to.
 *
 * Plain structs and no clock; lw_knee.h uses it.
 */
#ifndef LW_TREND_H
#define LW_TREND_H

#include "lw_math.h"

/**
 * struct lw_trend - how throughput goes with load, moving averages over windows
 * @load_q8: load, in units of work / 256; 0 before the first window
 * @rate: throughput, in units of work a second
 * @vary: mean square of the load's deviation, as a part of the load in Q10
 * @follow: mean product of both deviations, likewise
 * @windows: how many windows it rests on
 * @span_ns: length of the present span, and
 * @span_windows: its windows, with
 * @span_load: the sum of their loads, and
 * @span_rate: of their throughputs
 */
struct lw_trend {
	u64 load_q8;
	u64 rate;
	s64 vary;
	s64 follow;
	unsigned int windows;
	unsigned int span_windows;
	u64 span_ns;
	u64 span_load;
	u64 span_rate;
};

#define LW_TREND_SHIFT	4		/* averages over 16 windows */
#define LW_TREND_SPAN	16		/* windows that a span has at most */
#define LW_TREND_LEAST	6		/* windows before it is believed */
#define LW_TREND_VARY	(128 * 128)	/* load varied by an eighth */
#define LW_TREND_JUMP	384		/* throughput changed by itself */
#define LW_TREND_LEAP	1024		/* load more than doubled */

/* (is - was) / was in Q10: -1024 .. 4096 */
static inline s64 lw_deviation(u64 is, u64 was)
{
	s64 diff = clamp_t(s64, is - was, -(1LL << 50), 1LL << 50);

	return clamp_t(s64, div64_s64(diff * 1024, max_t(s64, was, 1)),
		       -1024, 4096);
}

/*
 * Is this the path that was seen before? Not if throughput changed more than load
 * did. And leaps of the load tell nothing: they reach over the knee.
 */
static inline bool lw_trend_broken(s64 dl, s64 dr)
{
	return abs(dl) > LW_TREND_LEAP || abs(dr) > 2 * abs(dl) + LW_TREND_JUMP;
}

/**
 * lw_trend_add() - take one window into account
 * @t: the trend
 * @load: mean work in flight, 2^31 at most
 * @rate: work done, in units a second, 2^40 at most
 * @windows: how many windows that was
 */
static inline void lw_trend_add(struct lw_trend *t, u64 load, u64 rate,
				unsigned int windows)
{
	s64 dl = lw_deviation(load << 8, t->load_q8);
	s64 dr = lw_deviation(rate, t->rate);

	if (!load || !rate)
		return;
	if (!t->load_q8 || lw_trend_broken(dl, dr)) {
		*t = (struct lw_trend){ .load_q8 = load << 8, .rate = rate };
		return;
	}
	t->vary += (dl * dl - t->vary) >> LW_TREND_SHIFT;
	t->follow += (dl * dr - t->follow) >> LW_TREND_SHIFT;
	t->load_q8 = lw_ewma(t->load_q8, load << 8, LW_TREND_SHIFT);
	t->rate = lw_ewma(t->rate, rate, LW_TREND_SHIFT);
	t->windows += max(windows, 1U);
}

/**
 * lw_trend_window() - one window has gone by
 * @t: the trend
 * @load: mean work in flight
 * @rate: work done, in units a second
 * @elapsed_ns: length of the window
 * @lat_ns: latency of the path
 *
 * I/Os that started together end together, so a window may see one burst more or less.
 * Hence spans of twice the latency are compared, not windows.
 */
static inline void lw_trend_window(struct lw_trend *t, u64 load, u64 rate,
				   u64 elapsed_ns, u64 lat_ns)
{
	unsigned int windows;

	/* At rest there is neither; as a part of a span it would look as if both had fallen. */
	if (!load)
		return;
	t->span_load += load;
	t->span_rate += rate;
	t->span_ns += elapsed_ns;
	if (++t->span_windows < LW_TREND_SPAN && t->span_ns < 2 * lat_ns)
		return;
	windows = t->span_windows;
	load = div64_u64(t->span_load, windows);
	rate = div64_u64(t->span_rate, windows);
	t->span_load = t->span_rate = t->span_ns = t->span_windows = 0;
	lw_trend_add(t, load, rate, windows);
}

/* Did the load vary enough to tell? */
static inline bool lw_trend_tells(const struct lw_trend *t)
{
	return t->windows >= LW_TREND_LEAST && t->vary >= LW_TREND_VARY;
}

/**
 * lw_trend_follows() - does throughput follow the load?
 * @t: the trend
 *
 * follow / vary is the slope of the regression of throughput on load, both as
 * parts of their means: 1 on a path that does not queue, 0 on one that does.
 *
 * Return: true if it does, by three quarters at least; false if not or not known.
 */
static inline bool lw_trend_follows(const struct lw_trend *t)
{
	return lw_trend_tells(t) && 4 * t->follow >= 3 * t->vary;
}

/**
 * struct lw_nudge - makes the load vary: the knee is shown lower, then higher
 * @step: windows since it began, 0 for not now
 * @half: windows of either
 * @rest: windows until the next
 * @pause: what @rest begins with; grows, since a path rarely changes
 * @wanted: it would help now; the selector lets one path at a time
 */
struct lw_nudge {
	unsigned int step;
	unsigned int half;
	unsigned int rest;
	unsigned int pause;
	bool wanted;
};

#define LW_NUDGE_FIRST	16U
#define LW_NUDGE_MAX	4096U
#define LW_NUDGE_FAR	(100 * 1000000ULL)	/* latencies that take too long */

static inline void lw_nudge_reset(struct lw_nudge *n)
{
	*n = (struct lw_nudge){ .rest = LW_NUDGE_FIRST, .pause = LW_NUDGE_FIRST };
}

/**
 * lw_nudge_window() - one window has gone by
 * @n: the nudge
 * @doubt: the latency is above the base, and the trend does not tell why
 */
static inline void lw_nudge_window(struct lw_nudge *n, bool doubt)
{
	n->wanted = false;
	if (n->step) {
		if (++n->step <= 2 * n->half)
			return;
		n->pause = min(4 * n->pause, LW_NUDGE_MAX);
		n->rest = n->pause;
		n->step = 0;
	} else if (doubt) {
		if (n->rest)
			n->rest--;
		n->wanted = !n->rest;
	}
}

/**
 * lw_nudge_start() - begin
 * @n: the nudge, wanted
 * @lat_ns: latency of the path, which makes the spans of the trend
 * @window_ns: length of a window
 */
static inline void lw_nudge_start(struct lw_nudge *n, u64 lat_ns, u64 window_ns)
{
	n->wanted = false;
	n->half = 4 * (1 + div64_u64(2 * min(lat_ns, LW_NUDGE_FAR), window_ns));
	n->step = 1;
}

/* The knee to show: 3/4 of it, then 4/3. */
static inline u64 lw_nudge_knee(const struct lw_nudge *n, u64 knee)
{
	if (!n->step)
		return knee;
	return n->step <= n->half ? knee - knee / 4 : knee + knee / 3;
}

#endif
