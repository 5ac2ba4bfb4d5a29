/* SPDX-License-Identifier: GPL-2.0 */
/* Steps 5 and 6 of a window, see model/estimate.h: base latency and knee of a path. */
#ifndef LW_KNEE_H
#define LW_KNEE_H

#include "model/constants.h"
#include "model/estimate.h"

/* Mean deviation of the latency between windows. */
static inline void lw_estimate_noise(struct lw_path_state *s, bool fresh)
{
	u64 off;

	if (!s->baseline_ns || fresh)
		s->baseline_ns = s->lat_ns;
	off = s->lat_ns > s->baseline_ns ? s->lat_ns - s->baseline_ns : s->baseline_ns - s->lat_ns;
	off = min_t(u64, div64_u64(off << 16, max_t(u64, s->baseline_ns, 1)), LW_NOISE_MAX << 8);
	s->noise_q16 = lw_ewma(s->noise_q16, off, LW_NOISE_SHIFT);
	s->baseline_ns = lw_ewma(s->baseline_ns, s->lat_ns, LW_USUAL_SHIFT);
}

/* Largest flat latency, in 1/256 of the base. */
static inline u64 lw_flat(const struct lw_path_state *s)
{
	return max_t(u64, LW_FLAT, LW_VERY_FLAT + ((LW_NOISE_FLAT * s->noise_q16) >> 8));
}

/*
 * Is the load too small to cause latency? It is well below the knee, or at the least knee, which
 * cannot fall.
 */
static inline bool lw_lightly_loaded(const struct lw_path_state *s)
{
	if (s->knee <= LW_KNEE_LEAST && s->load_met <= s->knee + s->knee / 8)
		return true;
	return s->load_met <= s->knee / 2;
}

/*
 * Follow the latency down always, but up only under light load. Otherwise a base that is too high
 * would keep the knee high, thus the path loaded, thus the base high. The trend can raise it, too,
 * see lw_estimate_knee().
 */
static inline u64 lw_base_step(const struct lw_path_state *s)
{
	if (s->lat_ns < s->base_ns)
		return s->lat_ns;
	return lw_lightly_loaded(s) ? lw_ewma(s->base_ns, s->lat_ns, 2) : s->base_ns;
}

/**
 * lw_base_error() - by how much may the base be too low?
 * @s: the path
 *
 * The base may come from one lucky I/O, or from one that had the CPU to itself, and it does not
 * rise under load. While latency is flat, the true base is between this one and the latency.
 *
 * Return: in nanoseconds, at most what LW_FLAT allows; 0 in a queue, which explains any latency.
 */
static inline u64 lw_base_error(const struct lw_path_state *s)
{
	u64 high = min(s->baseline_ns, s->lat_ns);

	high = min_t(u64, high, s->base_ns * LW_FLAT / 256);
	return s->queues || high < s->base_ns ? 0 : high - s->base_ns;
}

/* Latency of a further knee's worth of load beyond the knee: the time to serve it. */
static inline u64 lw_slope(const struct lw_path_state *s)
{
	if (s->load <= s->knee)
		return s->base_ns;
	return max(s->base_ns, div64_u64(s->knee * 1000000000ULL, max_t(u64, s->rate, 1)));
}

/**
 * lw_estimate_base() - step 5: base latency
 * @s: the path, with valid completions of data in this window
 * @first_ns: latency of the I/O that started first since the path was invalidated; without stamps,
 *	time from the first start to the first end; 0 if unknown
 * @first_op: its operation
 * @validation: how the window validated the path
 *
 * That I/O queued behind fewer others than any later one. The first to complete would not do: of
 * many that start together it is the luckiest.
 */
static inline void lw_estimate_base(struct lw_path_state *s, u64 first_ns, enum lw_op first_op,
				    enum lw_validation validation)
{
	/* An I/O that started earlier may complete later; not as late as one that hung. */
	bool first = validation == LW_VALIDATED_NEW ||
		     (validation == LW_NOT_VALIDATED && s->first_counts && first_ns &&
		      first_ns != s->first_ns && first_ns >> LW_OUTLIER_SHIFT < s->base_ns);

	lw_estimate_noise(s, validation == LW_VALIDATED_NEW);
	if (first || !s->base_ns)
		s->base_ns = first_ns ? lw_op_usual(s, first_op, first_ns) : s->lat_ns;
	else
		s->base_ns = lw_base_step(s);
	s->first_ns = first_ns;
	s->slope_ns = lw_ewma(s->slope_ns, lw_slope(s), 1);
}

/* Larger knee while the latency is flat; grow fast if it is very flat. */
static inline u64 lw_knee_up(const struct lw_path_state *s, u64 inflation)
{
	if (inflation < LW_VERY_FLAT)
		return max(s->knee + LW_IO, s->load + s->load / 2);
	return s->knee + max_t(u64, s->load / 8, LW_IO) / 2;
}

/* Load in flight that would make this throughput at base latency (Little's law), with headroom. */
static inline u64 lw_knee_seen(const struct lw_path_state *s)
{
	u64 us = div64_u64(min_t(u64, s->base_ns, 1ULL << 37), 1000);

	return div64_u64(min_t(u64, s->rate, 1ULL << 36) * us, 1000000) *
	       LW_HEADROOM / 256;
}

/*
 * Raise the base towards the time between two ends: even n I/Os served one by one take no
 * longer than n times the base each. So a first sample of a small I/O does not stand for large
 * ones.
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
 * Would the next I/O make five eighths of the knee? Not far above, the cost begins to rise, and an
 * equal path with a larger knee is chosen instead.
 */
static inline bool lw_at_knee(const struct lw_path_state *s)
{
	return 8 * (s->load + LW_IO) >= 5 * s->knee;
}

/* Evaluate a complete span: the trend, and the price of size. */
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
 * lw_estimate_knee() - step 6: knee
 * @s: the path
 * @seen: there were valid completions of data in this window
 * @fresh: the window validated a path without history
 *
 * If the latency is flat and the load at the knee, the knee grows. If not flat, it moves half of
 * the way to throughput * base, unless throughput follows the load: then the base is wrong. A
 * light load tells nothing about the knee.
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
 * The trend compares with the load before the dip; its averages take four spans of twice the
 * latency.
 */
static inline void lw_dip_start(struct lw_path_state *s, u64 window_ns)
{
	struct lw_dip *d = &s->dip;

	d->pause = min(LW_DIP_GROWS * d->pause, LW_DIP_MOST);
	d->wait = d->pause;
	d->left = 8 * (1 + div64_u64(2 * s->lat_ns, window_ns));
	d->knee = 5 * min(s->knee, s->load) / 8;	/* fixed: load and knee follow */
	s->trend.was_load = s->trend.load;
	s->trend.was_rate = s->trend.rate;
	s->trend.windows = 0;
}

/* Limit of the knee, in I/Os without data. */
static inline u64 lw_dip_knee(const struct lw_path_state *s)
{
	return s->dip.left ? s->dip.knee * lw_usual_load(s) / LW_IO : U64_MAX;
}

#endif
