/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Base latency and knee of a path: what is the path's own, and what is queue.
 * The last two steps of a window, after those of lw_estimate.h, and like them
 * functions over plain structs.
 */
#ifndef LW_KNEE_H
#define LW_KNEE_H

#include "lw_estimate.h"

/*
 * The knee. Latency up to LW_FLAT times the base is taken for noise: the knee is
 * not reached. A path is kept a little (LW_HEADROOM) above its bandwidth-delay
 * product, so that it never runs dry. In 1/256.
 */
#define LW_FLAT		305	/* 1.19 */
#define LW_VERY_FLAT	272	/* 1.06 */
#define LW_HEADROOM	288	/* 1.125 */
#define LW_REOPEN	16	/* windows before a knee once found is tried again */
#define LW_KNEE_MAX	(1U << 20)

/*
 * Load so little that it cannot be the cause of latency: well below the knee, or
 * as little as the least knee, since a knee that is no larger cannot fall.
 */
static inline bool lw_lightly_loaded(const struct lw_path_state *s)
{
	if (s->knee <= s->least && s->load_met <= s->knee + s->knee / 8)
		return true;
	return s->load_met <= s->knee / 2 + s->knee / 16;
}

/**
 * lw_base_step() - move a base latency
 * @s: the path
 * @base_ns: base so far
 * @lat_ns: latency now
 *
 * The base follows the latency down at once. It follows it up only on a lightly
 * loaded path; otherwise base and knee would confirm each other's errors: a base
 * too high keeps the knee too high, and this keeps the path loaded and so the base
 * high. See lw_trend_follows() for the other way up.
 *
 * Return: the new base.
 */
static inline u64 lw_base_step(const struct lw_path_state *s, u64 base_ns,
			       u64 lat_ns)
{
	if (lat_ns < base_ns)
		return lat_ns;
	if (!lw_lightly_loaded(s))
		return base_ns;
	return lw_ewma(base_ns, lat_ns, lat_ns > base_ns + base_ns / 4 ? 2 : 5);
}

/**
 * lw_first_base() - base of a class from its first sample
 * @s: the path
 * @k: the class
 * @first_ns: latency of the I/O that was started first since the path was
 *	distrusted; without time stamps, time from the first start to the first end; 0
 *	if that is not known
 * @fresh: the window proved the path; else one that started even earlier is done
 *
 * That I/O had less in flight before it than any later one. Not the one that is done
 * first: of many that start together this is the luckiest. If the path was loaded all
 * the same, because what a stall had held went on, an older base is better.
 *
 * Return: the base.
 */
static inline u64 lw_first_base(const struct lw_path_state *s,
				const struct lw_class_state *k, u64 first_ns,
				bool fresh)
{
	u64 base = first_ns ? first_ns : k->lat_ns;
	bool older = k->base_ns && (fresh || !first_ns);

	return older && !lw_path_probed(s) ? min(base, k->base_ns) : base;
}

static inline bool lw_class_seen(const struct lw_path_state *s, unsigned int c)
{
	return s->cls[c].lat_ns && s->cls[c].seen_ns == s->active_ns;
}

/*
 * Even if n I/Os are served one after the other, none takes longer than n times what it
 * would take alone. So a latency that is more than n times the base is not due to
 * the load: the path has become another one.
 */
static inline u64 lw_base_bound(const struct lw_path_state *s,
				const struct lw_class_state *k)
{
	u64 alike_q8 = div64_u64(s->load << 8, max_t(u64, k->work, 1));

	return div64_u64(k->lat_ns << 8, max3(s->ios_q8, alike_q8, 256ULL));
}

/* Base of a class that was seen in this window. */
static inline void lw_class_base(struct lw_path_state *s, struct lw_class_state *k,
				 u64 first_ns, bool fresh)
{
	u64 bound = lw_base_bound(s, k);

	if (fresh || !k->base_ns || first_ns != k->first_ns)
		k->base_ns = lw_first_base(s, k, first_ns, fresh);
	else
		k->base_ns = lw_base_step(s, k->base_ns,
					  min(k->lat_ns, k->window_ns));
	k->first_ns = first_ns;
	if (bound > k->base_ns)
		k->base_ns = lw_ewma(k->base_ns, bound, 2);
}

/*
 * Less data takes no longer. So where classes disagree the lower base is right:
 * the other one's first I/O stood behind those of other classes. Of classes that were
 * seen in this window only, since others do not know what the path is like now.
 */
static inline void lw_bases_by_size(struct lw_path_state *s)
{
	u64 least = U64_MAX;
	unsigned int c;

	for (c = LW_CLASS_MORE; c >= LW_CLASS_32K; c--) {
		if (!lw_class_seen(s, c))
			continue;
		least = min(least, s->cls[c].base_ns);
		s->cls[c].base_ns = least;
	}
}

/*
 * What a further knee's worth of work adds, beyond the knee: the time in which that
 * much is served.
 */
static inline u64 lw_slope(const struct lw_path_state *s)
{
	if (s->load <= s->knee)
		return s->mean_base_ns;
	return max(s->mean_base_ns,
		   div64_u64(s->knee * 1000000000ULL, max_t(u64, s->rate, 1)));
}

/**
 * lw_estimate_base() - fifth step: base latencies, of classes that were seen
 * @s: the path
 * @first_ticks: first sample of each class since the path was distrusted
 * @fresh: the window proved the path
 *
 * Flushes and discards have a base, but tell nothing of the path's queue.
 *
 * Return: mean latency over mean base of data in 1/256, weighted by completions;
 * 0 if nothing was seen.
 */
static inline u64 lw_estimate_base(struct lw_path_state *s,
				   const u32 *first_ticks, bool fresh)
{
	u64 lat = 0, base = 0, done = 0;
	unsigned int c;

	for (c = 0; c < LW_CLASSES; c++)
		if (lw_class_seen(s, c))
			lw_class_base(s, &s->cls[c],
				      (u64)first_ticks[c] << LW_TICK_SHIFT, fresh);
	lw_bases_by_size(s);
	for (c = LW_CLASS_32K; c <= LW_CLASS_MORE; c++) {
		const struct lw_class_state *k = &s->cls[c];
		u64 n = min_t(u64, k->little.done_q4, 1U << 20);

		if (!lw_class_seen(s, c))
			continue;
		/* 2^20 * 2^38: more than four minutes are four minutes */
		lat += n * min_t(u64, k->lat_ns, 1ULL << 38);
		base += n * min_t(u64, k->base_ns, 1ULL << 38);
		done += n;
	}
	if (!done || !base)
		return 0;
	s->mean_ns = div64_u64(lat, done);
	s->mean_base_ns = max_t(u64, div64_u64(base, done), 1);
	s->slope_ns = s->slope_ns ? lw_ewma(s->slope_ns, lw_slope(s), 1) : lw_slope(s);
	return div64_u64(s->mean_ns << 8, s->mean_base_ns);
}

/*
 * What is seen is the path's own: all bases rise to the latencies. Not to what is left
 * in the average of a queue that is gone, hence the last window's.
 */
static inline void lw_base_accept(struct lw_path_state *s)
{
	unsigned int c;

	for (c = 0; c < LW_CLASSES; c++) {
		struct lw_class_state *k = &s->cls[c];

		k->base_ns = max(k->base_ns, min(k->lat_ns, k->window_ns));
	}
	s->trend = (struct lw_trend){ 0 };
	lw_nudge_reset(&s->nudge);
}

/* Where the knee grows to while the latency is flat; fast if flat as can be. */
static inline u64 lw_knee_up(const struct lw_path_state *s, u64 rho)
{
	u64 least = s->least / 2;

	if (rho < LW_VERY_FLAT)
		return max(s->knee + least, s->load + s->load / 2);
	return s->knee + max(s->load / 8, least) / 2;
}

/* The work in flight that makes this throughput if all of it takes the base. */
static inline u64 lw_knee_seen(const struct lw_path_state *s)
{
	u64 us = div64_u64(min_t(u64, s->mean_base_ns, 1ULL << 38), 1000);

	return div64_u64(min_t(u64, s->rate, 1ULL << 32) * us, 1000000) *
	       LW_HEADROOM / 256;
}

/*
 * Up by no more than half of itself: a large I/O that ends just after a window has
 * begun, as the last one, makes a throughput that the path never had.
 */
static inline void lw_knee_step(struct lw_path_state *s)
{
	u64 k = lw_knee_seen(s);

	s->open = false;
	s->flat = 0;
	if (k > s->knee)
		s->knee += min(k - s->knee + 1, s->knee) / 2;
	else
		s->knee -= (s->knee - k + 3) / 4;
}

/*
 * The next I/O would make three quarters of the knee: there the cost begins to rise, and
 * an equal path of a larger knee is chosen instead.
 */
static inline bool lw_at_knee(const struct lw_path_state *s)
{
	return s->load + s->least / 2 + s->knee / 4 >= s->knee;
}

/**
 * lw_estimate_knee() - sixth step: how much the path holds before it queues
 * @s: the path
 * @rho: from lw_estimate_base()
 * @fresh: the window proved the path
 *
 * While the latency is flat and the load at the knee, the knee grows. If it is
 * not flat, Little's law gives the work that would be in flight if all of it
 * took the base latency: throughput * base; the knee moves there, half of the
 * way up (see lw_knee_step()), a quarter down. Unless throughput follows the
 * load: then it is the base that is wrong. A light load tells nothing about the
 * knee, and lw_base_step() explains the latency.
 */
static inline void lw_estimate_knee(struct lw_path_state *s, u64 rho, bool fresh)
{
	lw_trend_window(&s->trend, s->load, s->rate, s->elapsed_ns, s->mean_ns);
	if (fresh) {
		s->knee = s->least;
		s->open = true;
		s->trend = (struct lw_trend){ 0 };
		lw_nudge_reset(&s->nudge);
	} else if (rho >= LW_FLAT && lw_trend_follows(&s->trend)) {
		lw_base_accept(s);
	} else if (rho >= LW_FLAT && !lw_lightly_loaded(s)) {
		lw_knee_step(s);
	} else if (rho && rho < LW_FLAT && lw_at_knee(s) &&
		   (s->open || ++s->flat > LW_REOPEN)) {
		s->knee = lw_knee_up(s, rho);
		s->open = true;
	}
	lw_nudge_window(&s->nudge, rho >= LW_FLAT && !lw_lightly_loaded(s) &&
				   !lw_trend_tells(&s->trend) &&
				   s->mean_ns < LW_NUDGE_FAR);
	s->knee = clamp_t(u64, s->knee, s->least, LW_KNEE_MAX);
}

#endif
