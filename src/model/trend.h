/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a path's throughput says while its load varies: whether latency is distance or
 * queue.
 *
 * Plain structs and no clock; model/knee.h uses it.
 */
#ifndef LW_TREND_H
#define LW_TREND_H

#include "model/math.h"

/**
 * struct lw_span - sums over the windows of a span
 * @ns: their length
 * @windows: how many
 * @held: sum of their I/Os in flight
 * @ios: of their I/Os done in a second
 * @blocks: of their blocks done in a second
 */
struct lw_span {
	u64 ns;
	unsigned int windows;
	u64 held;
	u64 ios;
	u64 blocks;
};

#define LW_SPAN_WINDOWS	16		/* windows that a span has at most */

/* Take a window into account. Return: true if the span is over. */
static inline bool lw_span_add(struct lw_span *span, u64 held, u64 ios, u64 blocks,
			       u64 elapsed_ns, u64 lat_ns)
{
	/* At rest there is neither; as a part of a span it would look as if both had fallen. */
	if (!held)
		return false;
	span->held += held;
	span->ios += ios;
	span->blocks += blocks;
	span->ns += elapsed_ns;
	/*
	 * I/Os that started together end together, so a window may see one burst more or
	 * less. Hence spans of twice the latency are compared, not windows.
	 */
	return ++span->windows >= LW_SPAN_WINDOWS || span->ns >= 2 * lat_ns;
}

/**
 * struct lw_trend - how throughput changed when the load did
 * @load: I/Os in flight, in Q8, moving average over spans; 0 before the first span
 * @rate: I/Os done in a second, likewise. Of whatever length: their price may change
 * @was_load: the load when it was last compared
 * @was_rate: the throughput then
 * @windows: how many windows ago that was
 * @follows: the last change of load changed the throughput by as much
 */
struct lw_trend {
	u64 load;
	u64 rate;
	u64 was_load;
	u64 was_rate;
	unsigned int windows;
	bool follows;
};

#define LW_TREND_SHIFT	2	/* averages over four spans: enough for single bursts */
#define LW_TREND_LEAST	6	/* windows between comparisons: averages of both ends differ */
#define LW_TREND_MOVE	256	/* compare when the load has changed by a quarter */
#define LW_TREND_LEAP	1024	/* load doubled: that reaches over the knee */
#define LW_TREND_JUMP	384	/* throughput changed by itself: another path */

/* (is - was) / was in Q10: -1024 .. 4096 */
static inline s64 lw_deviation(u64 is, u64 was)
{
	s64 diff = clamp_t(s64, is - was, -(1LL << 50), 1LL << 50);

	return clamp_t(s64, div64_s64(diff * 1024, max_t(s64, was, 1)),
		       -1024, 4096);
}

/* Does the change tell anything? Not if the load leapt, nor if it explains too little. */
static inline bool lw_trend_tells(s64 dl, s64 dr)
{
	return dl <= LW_TREND_LEAP && abs(dl) >= LW_TREND_MOVE &&
	       abs(dr) <= 2 * abs(dl) + LW_TREND_JUMP;
}

/**
 * lw_trend_add() - take a span into account
 * @t: the trend
 * @load: I/Os in flight in the mean, in Q8, 2^31 at most
 * @rate: I/Os done in a second, 2^40 at most
 * @windows: how many windows that was
 *
 * Compares with where it last compared, not with the window before: a load that drifts
 * does so by too little from window to window. On a path that does not queue throughput
 * changes as the load does; on one that queues it stays. Three quarters decide.
 */
static inline void lw_trend_add(struct lw_trend *t, u64 load, u64 rate, unsigned int windows)
{
	s64 dl, dr;

	if (!load || !rate)
		return;
	t->follows = false;
	t->load = lw_ewma(t->load, load, LW_TREND_SHIFT);
	t->rate = lw_ewma(t->rate, rate, LW_TREND_SHIFT);
	t->windows += windows;
	dl = lw_deviation(t->load, t->was_load);
	dr = lw_deviation(t->rate, t->was_rate);
	if (t->was_load && (t->windows < LW_TREND_LEAST ||
			    (abs(dl) < LW_TREND_MOVE && abs(dr) < LW_TREND_JUMP)))
		return;
	if (t->was_load && lw_trend_tells(dl, dr)) {
		t->follows = dl > 0 ? 4 * dr >= 3 * dl : 4 * dr <= 3 * dl;
	} else {
		/* Averages that ramp after a leap would look as if one followed the other. */
		t->load = lw_ewma(0, load, 0);
		t->rate = lw_ewma(0, rate, 0);
	}
	t->was_load = t->load;
	t->was_rate = t->rate;
	t->windows = 0;
}

/**
 * struct lw_dip - has the load vary where it does not by itself: less of it for a while
 * @left: windows until it is over, 0 for not now
 * @wait: windows with a queue until the next
 * @pause: what @wait begins with; grows, since a path rarely changes
 * @knee: the most that the knee may be meanwhile, in the path's unit
 *
 * A base that is too low makes latency look like queue, at any load. If throughput falls
 * with the load there was none. Less load, not more: a queue that grows costs latency.
 */
struct lw_dip {
	unsigned int left;
	unsigned int wait;
	unsigned int pause;
	u64 knee;
};

#define LW_DIP_FIRST	16U
#define LW_DIP_MOST	4096U			/* two minutes with a queue */
#define LW_DIP_GROWS	16U
#define LW_DIP_FAR_NS	100000000ULL		/* latencies that take too long */

static inline void lw_dip_reset(struct lw_dip *d)
{
	*d = (struct lw_dip){ .wait = LW_DIP_FIRST, .pause = LW_DIP_FIRST };
}

/* One window has gone by. */
static inline void lw_dip_window(struct lw_dip *d, bool queues)
{
	if (d->left)
		d->left--;
	else if (queues && d->wait)
		d->wait--;
}

#endif
