/* SPDX-License-Identifier: GPL-2.0 */
/* Does throughput follow the load, so that latency is distance, or does it stay, in a queue? */
#ifndef LW_TREND_H
#define LW_TREND_H

#include "model/constants.h"
#include "model/math.h"

/* Sums over about twice the latency, as I/Os that start together also end together. */
struct lw_span {
	u64 ns;			/* total length */
	unsigned int windows;	/* number of windows */
	u64 held;		/* sum of I/Os in flight */
	u64 ios;		/* sum of I/Os per second */
	u64 blocks;		/* sum of blocks per second */
};

/* Add a window; return true if the span is complete. */
static inline bool lw_span_add(struct lw_span *span, u64 held, u64 ios, u64 blocks,
			       u64 elapsed_ns, u64 lat_ns)
{
	/* Skip idle windows: load and throughput would seem to fall together. */
	if (!held)
		return false;
	span->held += held;
	span->ios += ios;
	span->blocks += blocks;
	span->ns += elapsed_ns;
	return ++span->windows >= LW_SPAN_WINDOWS || span->ns >= 2 * lat_ns;
}

/* How throughput changed when the load did, both in I/Os of any length, as prices may change. */
struct lw_trend {
	u64 load;		/* I/Os in flight in Q8, moving average over spans; 0 for none */
	u64 rate;		/* I/Os per second, likewise */
	u64 was_load;		/* load at the last comparison */
	u64 was_rate;		/* throughput at the last comparison */
	unsigned int windows;	/* windows since then */
	bool follows;		/* throughput changed in proportion to the load */
};

/* (is - was) / was in Q10: -1024 .. 4096 */
static inline s64 lw_deviation(u64 is, u64 was)
{
	s64 diff = clamp_t(s64, is - was, -(1LL << 50), 1LL << 50);

	return clamp_t(s64, div64_s64(diff * 1024, max_t(s64, was, 1)),
		       -1024, 4096);
}

/* Is the change conclusive? Not if the load leapt, or explains too little of the throughput. */
static inline bool lw_trend_tells(s64 dl, s64 dr)
{
	return dl <= LW_TREND_LEAP && abs(dl) >= LW_TREND_MOVE &&
	       abs(dr) <= 2 * abs(dl) + LW_TREND_JUMP;
}

/**
 * lw_trend_add() - add a span
 * @t: the trend
 * @load: mean I/Os in flight, in Q8, up to 2^31
 * @rate: I/Os per second, up to 2^40
 * @windows: windows in the span
 *
 * Compares with the last comparison, not the last span, as a drifting load changes little each
 * time. Throughput follows if it changes by at least three quarters as much as the load.
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
		/* Averages ramping after a leap would seem to follow each other. */
		t->load = lw_ewma(0, load, 0);
		t->rate = lw_ewma(0, rate, 0);
	}
	t->was_load = t->load;
	t->was_rate = t->rate;
	t->windows = 0;
}

/*
 * Lowers the load for a while, as a base that is too low makes latency look like a queue at any
 * load; if throughput falls with the load, there is none. More load instead would cost latency.
 */
struct lw_dip {
	unsigned int left;	/* windows until the dip ends, 0 for none */
	unsigned int wait;	/* windows with a queue until the next dip */
	unsigned int pause;	/* initial value of wait; grows, since paths rarely change */
	u64 knee;		/* limit of the knee during the dip, in usual I/Os */
};

static inline void lw_dip_reset(struct lw_dip *d)
{
	*d = (struct lw_dip){ .wait = LW_DIP_FIRST, .pause = LW_DIP_FIRST };
}

static inline void lw_dip_window(struct lw_dip *d, bool queues)
{
	if (d->left)
		d->left--;
	else if (queues && d->wait)
		d->wait--;
}

#endif
