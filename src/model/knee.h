/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Base latency and knee of a path: what is the path's own, and what is queue.
 * The last two steps of a window, after those of model/estimate.h, and like them
 * functions over plain structs.
 */
#ifndef LW_KNEE_H
#define LW_KNEE_H

#include "model/estimate.h"

/*
 * The knee. Latency up to LW_FLAT times the base, and up to so much more as the path's own
 * noise explains, is flat: the knee is not reached. A path is kept a little (LW_HEADROOM)
 * above its bandwidth-delay product, so that it never runs dry. In 1/256.
 */
#define LW_FLAT		305	/* 1.19 */
#define LW_VERY_FLAT	272	/* 1.06 */
#define LW_NOISE_FLAT	3	/* times the mean deviation, above LW_VERY_FLAT */
#define LW_HEADROOM	288	/* 1.125 */
#define LW_REOPEN	4	/* windows at a knee once found before it is tried again */

#define LW_NOISE_SHIFT	4	/* averages over 16 windows */
#define LW_NOISE_MAX	64	/* a deviation above a quarter is a change, not noise */
#define LW_USUAL_SHIFT	3

/* How much the latency varies from window to window. */
static inline void lw_estimate_noise(struct lw_path_state *s, bool fresh)
{
	u64 off;

	if (!s->usual_ns || fresh)
		s->usual_ns = s->lat_ns;
	off = s->lat_ns > s->usual_ns ? s->lat_ns - s->usual_ns : s->usual_ns - s->lat_ns;
	off = min_t(u64, div64_u64(off << 16, max_t(u64, s->usual_ns, 1)), LW_NOISE_MAX << 8);
	s->noise_q16 = lw_ewma(s->noise_q16, off, LW_NOISE_SHIFT);
	s->usual_ns = lw_ewma(s->usual_ns, s->lat_ns, LW_USUAL_SHIFT);
}

/* Up to where the latency is flat, in 1/256 of the base. */
static inline u64 lw_flat(const struct lw_path_state *s)
{
	return max_t(u64, LW_FLAT, LW_VERY_FLAT + ((LW_NOISE_FLAT * s->noise_q16) >> 8));
}

/*
 * Load so little that it cannot be the cause of latency: well below the knee, or
 * as little as the least knee, since a knee that is no larger cannot fall.
 */
static inline bool lw_lightly_loaded(const struct lw_path_state *s)
{
	if (s->knee <= LW_KNEE_LEAST && s->load_met <= s->knee + s->knee / 8)
		return true;
	return s->load_met <= s->knee / 2;
}

/*
 * The base follows the latency down. It follows it up only on a lightly
 * loaded path; otherwise base and knee would confirm each other's errors: a base
 * too high keeps the knee too high, and this keeps the path loaded and so the base
 * high. See struct lw_trend for the other way up.
 */
static inline u64 lw_base_step(const struct lw_path_state *s)
{
	if (s->lat_ns < s->base_ns)
		return s->lat_ns;
	return lw_lightly_loaded(s) ? lw_ewma(s->base_ns, s->lat_ns, 2) : s->base_ns;
}

/*
 * What a further knee's worth of load adds, beyond the knee: the time in which that
 * much is served.
 */
static inline u64 lw_slope(const struct lw_path_state *s)
{
	if (s->load <= s->knee)
		return s->base_ns;
	return max(s->base_ns, div64_u64(s->knee * 1000000000ULL, max_t(u64, s->rate, 1)));
}

/**
 * lw_estimate_base() - fifth step: base latency
 * @s: the path, of which data was done in this window
 * @first_ns: latency of the I/O that was started first since the path was
 *	distrusted; without time stamps, time from the first start to the first end; 0
 *	if that is not known
 * @proof: what the window proved
 *
 * That I/O had less in flight before it than any later one. Not the one that is done
 * first: of many that start together this is the luckiest.
 */
static inline void lw_estimate_base(struct lw_path_state *s, u64 first_ns,
				    enum lw_proof proof)
{
	/* One that started even earlier may be done later. */
	bool first = proof == LW_FRESH || (proof == LW_NOT_PROVEN && first_ns != s->first_ns);

	lw_estimate_noise(s, proof == LW_FRESH);
	if (first || !s->base_ns)
		s->base_ns = first_ns ? first_ns : s->lat_ns;
	else
		s->base_ns = lw_base_step(s);
	s->first_ns = first_ns;
	s->slope_ns = lw_ewma(s->slope_ns, lw_slope(s), 1);
}

/* Where the knee grows to while the latency is flat; fast if flat as can be. */
static inline u64 lw_knee_up(const struct lw_path_state *s, u64 inflation)
{
	if (inflation < LW_VERY_FLAT)
		return max(s->knee + LW_IO, s->load + s->load / 2);
	return s->knee + max_t(u64, s->load / 8, LW_IO) / 2;
}

/* The load in flight that makes this throughput if all of it takes the base. */
static inline u64 lw_knee_seen(const struct lw_path_state *s)
{
	u64 us = div64_u64(min_t(u64, s->base_ns, 1ULL << 37), 1000);

	return div64_u64(min_t(u64, s->rate, 1ULL << 36) * us, 1000000) *
	       LW_HEADROOM / 256;
}

/*
 * Even if n I/Os are served one after the other, none takes longer than n times what it
 * would take alone: the base is no less than the time between two ends. So a first
 * sample that was a small I/O's does not stand for the large ones that follow.
 */
static inline u64 lw_base_bound(const struct lw_path_state *s)
{
	u64 bound = min(s->lat_ns, div64_u64(1000000000ULL, max_t(u64, s->ios, 1)));

	return bound > s->base_ns ? lw_ewma(s->base_ns, bound, 2) : s->base_ns;
}

static inline void lw_knee_step(struct lw_path_state *s)
{
	u64 k = lw_knee_seen(s);

	s->open = false;
	s->flat = 0;
	s->knee = (s->knee + k) / 2;
}

/*
 * The next I/O would make five eighths of the knee: not far above, the cost begins to rise,
 * and an equal path of a larger knee is chosen instead.
 */
static inline bool lw_at_knee(const struct lw_path_state *s)
{
	return 8 * (s->load + LW_IO) >= 5 * s->knee;
}

/*
 * A span is over: what it says of distance and queue, for which I/Os are counted, and of the
 * cost of size.
 */
static inline void lw_span_close(struct lw_path_state *s)
{
	struct lw_span *span = &s->span;
	u64 ios = div64_u64(span->ios, span->windows);
	u64 blocks = div64_u64(span->blocks, span->windows);

	lw_trend_add(&s->trend, div64_u64(span->held, span->windows), ios, span->windows);
	if (s->queues) {
		u32 cost = lw_block_cost(&s->size, ios, blocks, s->base_ns);

		s->block_cost += ((s64)cost - s->block_cost) / 4;
	}
	*span = (struct lw_span){ 0 };
}

/**
 * lw_estimate_knee() - sixth step: how much the path holds before it queues
 * @s: the path
 * @seen: data was done in this window
 * @fresh: the window proved the path
 *
 * While the latency is flat and the load at the knee, the knee grows. If it is
 * not flat, Little's law gives the load that would be in flight if all of it
 * took the base latency: throughput * base; the knee moves half of the way there. Unless
 * throughput follows the load: then it is the base that is wrong. A light load tells
 * nothing about the knee, and lw_base_step() explains the latency.
 */
static inline void lw_estimate_knee(struct lw_path_state *s, bool seen, bool fresh)
{
	u64 inflation = seen ? div64_u64(s->lat_ns << 8, max_t(u64, s->base_ns, 1)) : 0;
	bool flat = inflation < lw_flat(s);

	s->queues = !flat && !lw_lightly_loaded(s);
	lw_dip_window(&s->dip, s->queues);
	if (lw_span_add(&s->span, s->held, s->ios, s->blocks, s->elapsed_ns, s->lat_ns))
		lw_span_close(s);
	if (fresh) {
		s->knee = LW_KNEE_LEAST;
		s->open = true;
		s->trend = (struct lw_trend){ 0 };
		lw_dip_reset(&s->dip);
	} else if (inflation >= LW_FLAT && s->trend.follows) {
		s->base_ns = max(s->base_ns, s->lat_ns);
		s->trend = (struct lw_trend){ 0 };
	} else if (s->queues) {
		s->base_ns = lw_base_bound(s);
		lw_knee_step(s);
	} else if (inflation && flat && lw_at_knee(s) &&
		   (s->open || s->load > s->knee || ++s->flat > LW_REOPEN)) {
		s->knee = lw_knee_up(s, inflation);
		s->open = true;
	}
	s->knee = clamp_t(u64, s->knee, LW_KNEE_LEAST, LW_KNEE_MOST);
}

static inline bool lw_dip_wanted(const struct lw_path_state *s)
{
	return s->queues && !s->dip.wait && s->lat_ns < LW_DIP_FAR_NS;
}

/**
 * lw_dip_start() - begin a dip
 * @s: the path
 * @window_ns: length of a window
 *
 * The trend compares with how it was before. Its averages take four spans of twice the latency.
 */
static inline void lw_dip_start(struct lw_path_state *s, u64 window_ns)
{
	struct lw_dip *d = &s->dip;

	d->pause = min(LW_DIP_GROWS * d->pause, LW_DIP_MOST);
	d->wait = d->pause;
	d->left = 8 * (1 + div64_u64(2 * s->lat_ns, window_ns));
	/* Of this window: load and knee follow it down. */
	d->knee = 5 * min(s->knee, s->load) / 8;
	s->trend.was_load = s->trend.load;
	s->trend.was_rate = s->trend.rate;
	s->trend.windows = 0;
}

/* The most that the knee may be now, in I/Os without data. */
static inline u64 lw_dip_knee(const struct lw_path_state *s)
{
	return s->dip.left ? s->dip.knee * lw_usual_load(s) / LW_IO : U64_MAX;
}

#endif
