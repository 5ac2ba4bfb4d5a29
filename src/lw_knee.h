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
#define LW_KNEE_IOS	2	/* a new path's knee, in I/Os */
#define LW_KNEE_MAX	(1U << 24)

/**
 * lw_base_step() - move a base latency
 * @s: the path
 * @base_ns: base so far, 0 for unknown
 * @lat_ns: latency now
 *
 * The base follows the latency down at once. It follows it up only where load
 * cannot be the cause: on a path far below its knee, or on one whose knee is one
 * I/O, and there by no more than what that load does not explain. Otherwise base
 * and knee would confirm each other's errors: a base too high keeps the knee
 * too high, and this keeps the path loaded and so the base high.
 *
 * Return: the new base.
 */
static inline u64 lw_base_step(const struct lw_path_state *s, u64 base_ns,
			       u64 lat_ns)
{
	bool floor = s->knee <= s->largest;
	u64 own = lat_ns;

	if (!base_ns || lat_ns < base_ns)
		return lat_ns;
	if (!floor && s->load >= s->knee / 2)
		return base_ns;
	if (floor && s->load > s->knee)
		own = div64_u64(lat_ns * s->knee, s->load);
	if (own <= base_ns)
		return base_ns;
	return lw_ewma(base_ns, own, own > base_ns + base_ns / 4 ? 2 : 5);
}

/**
 * lw_estimate_base() - fifth step: base latencies, of classes that were seen
 * @s: the path
 * @fresh: the window proved the path: what it saw is the base
 * @now_ns: end of the window
 *
 * Return: mean latency over mean base in 1/256, weighted by completions; 0 if
 * nothing was seen.
 */
static inline u64 lw_estimate_base(struct lw_path_state *s, bool fresh,
				   u64 now_ns)
{
	u64 lat = 0, base = 0, done = 0;
	unsigned int c;

	for (c = 0; c < LW_CLASSES; c++) {
		struct lw_class_state *k = &s->cls[c];
		u64 n = min_t(u64, k->little.done_q4, 1U << 20);

		if (!k->lat_ns || k->seen_ns != now_ns)
			continue;
		k->base_ns = lw_base_step(s, fresh ? 0 : k->base_ns, k->lat_ns);
		/* 2^20 * 2^38: more than four minutes are four minutes */
		lat += n * min_t(u64, k->lat_ns, 1ULL << 38);
		base += n * min_t(u64, k->base_ns, 1ULL << 38);
		done += n;
	}
	if (!done || !base)
		return 0;
	s->slope_ns = s->slope_ns ? lw_ewma(s->slope_ns, div64_u64(base, done), 1) :
				    div64_u64(base, done);
	return div64_u64(lat, max_t(u64, base >> 8, 1));
}

/* Where the knee grows to while the latency is flat: twofold if flat as can be. */
static inline u64 lw_knee_up(const struct lw_path_state *s, u64 rho)
{
	u64 least = s->largest / 2;

	if (rho < LW_VERY_FLAT)
		return 2 * s->load + least;
	return s->knee + max(s->load / 8, least) / 2;
}

/**
 * lw_estimate_knee() - sixth step: how much the path holds before it queues
 * @s: the path
 * @rho: from lw_estimate_base()
 * @fresh: the window proved the path
 *
 * While the latency is flat and the load at the knee, the knee grows. If it is
 * not flat, Little's law gives the work that would be in flight if all of it
 * took the base latency: load / rho; the knee moves there, half of the way up, a
 * quarter down. Below half the knee load tells nothing about the knee, and
 * lw_base_step() explains the latency.
 */
static inline void lw_estimate_knee(struct lw_path_state *s, u64 rho, bool fresh)
{
	u64 least = max_t(u64, s->largest, 4), k;

	if (fresh) {
		s->knee = LW_KNEE_IOS * least;
	} else if (rho && rho < LW_FLAT) {
		if (s->load >= s->knee - s->knee / 8)
			s->knee = max(s->knee, lw_knee_up(s, rho));
	} else if (rho && s->load >= s->knee / 2) {
		k = div64_u64(s->load * LW_HEADROOM, rho);
		if (k > s->knee)
			s->knee += (k - s->knee) / 2;
		else
			s->knee -= (s->knee - k) / 4;
	}
	s->knee = clamp_t(u64, s->knee, least, LW_KNEE_MAX);
}

#endif
