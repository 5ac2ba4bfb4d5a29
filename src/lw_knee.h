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
#define LW_RELIEVED	8	/* windows that the averages take to follow */
#define LW_KNEE_MAX	(1U << 20)

/*
 * Load so little that it cannot be the cause of latency: well below the knee, or
 * as little as the least knee, since a knee that is no larger cannot fall.
 */
static inline bool lw_lightly_loaded(const struct lw_path_state *s)
{
	if (s->knee <= s->least && s->load <= s->knee + s->knee / 8)
		return true;
	return s->load <= s->knee / 2 + s->knee / 16;
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
 * high. See lw_load_explains() for the other way up.
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
 * lw_first_base() - base of a class that was not seen since the path was distrusted
 * @s: the path
 * @k: the class
 * @first_ns: its first sample since then, 0 for none
 *
 * The first I/O had less in flight before it than any later one. If the path was
 * loaded all the same, because there was no other, an older base is better.
 *
 * Return: the base.
 */
static inline u64 lw_first_base(const struct lw_path_state *s,
				const struct lw_class_state *k, u64 first_ns)
{
	u64 base = first_ns ? min(first_ns, k->lat_ns) : k->lat_ns;

	return k->base_ns && !lw_path_probed(s) ? min(base, k->base_ns) : base;
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

	for (c = 0; c < LW_CLASSES; c++) {
		struct lw_class_state *k = &s->cls[c];
		u64 n = min_t(u64, k->little.done_q4, 1U << 20);

		if (!k->lat_ns || k->seen_ns != s->active_ns)
			continue;
		if (fresh || !k->base_ns)
			k->base_ns = lw_first_base(s, k, (u64)first_ticks[c] <<
							 LW_TICK_SHIFT);
		else
			k->base_ns = lw_base_step(s, k->base_ns, k->lat_ns);
		if (c == LW_CLASS_ZERO || c == LW_CLASS_HUGE)
			continue;
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

/**
 * lw_load_explains() - is a latency above the base due to the path's own load?
 * @s: the path
 * @rho: from lw_estimate_base()
 *
 * At constant load nobody can tell a path that carries less from one that became
 * longer. Both lose load, because the knee falls; then the latency falls with the
 * load in the first case, and stays in the second. It is judged by averages, so
 * they are given time.
 *
 * Return: false if the load went and the latency stayed.
 */
static inline bool lw_load_explains(struct lw_path_state *s, u64 rho)
{
	if (rho < LW_FLAT || s->load > s->peak_load) {
		s->peak_load = rho < LW_FLAT ? 0 : s->load;
		s->peak_rho = rho;
		s->relieved = 0;
	} else if (s->load > s->peak_load - s->peak_load / 4 ||
		   rho > s->peak_rho) {
		/* The averages may still rise after the load has gone. */
		s->peak_rho = rho;
		s->relieved = 0;
	} else if (++s->relieved == LW_RELIEVED) {
		bool fell = rho < s->peak_rho - s->peak_rho / 8;

		s->peak_load = s->load;
		s->peak_rho = rho;
		s->relieved = 0;
		return fell;
	}
	return true;
}

/* What is seen is the path's own: all bases rise to the latencies. */
static inline void lw_base_accept(struct lw_path_state *s)
{
	unsigned int c;

	for (c = 0; c < LW_CLASSES; c++)
		s->cls[c].base_ns = max(s->cls[c].base_ns, s->cls[c].lat_ns);
	s->peak_load = 0;
}

/* Where the knee grows to while the latency is flat; fast if flat as can be. */
static inline u64 lw_knee_up(const struct lw_path_state *s, u64 rho)
{
	u64 least = s->least / 2;

	if (rho < LW_VERY_FLAT)
		return max(s->knee + least, s->load + s->load / 2);
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
 * quarter down. A light load tells nothing about the knee, and lw_base_step()
 * explains the latency; growth stops where the load is two thirds of the knee,
 * well above that.
 */
static inline void lw_estimate_knee(struct lw_path_state *s, u64 rho, bool fresh)
{
	u64 k;

	if (fresh) {
		s->knee = s->least;
		s->open = true;
		s->peak_load = 0;
	} else if (rho && !lw_load_explains(s, rho)) {
		lw_base_accept(s);
	} else if (rho && rho < LW_FLAT) {
		if (s->load >= s->knee - s->knee / 8) {
			s->knee = lw_knee_up(s, rho);
			s->open = true;
		}
	} else if (rho && !lw_lightly_loaded(s)) {
		s->open = false;
		k = div64_u64(s->load * LW_HEADROOM, rho);
		if (k > s->knee)
			s->knee += (k - s->knee) / 2;
		else
			s->knee -= (s->knee - k) / 4;
	}
	s->knee = clamp_t(u64, s->knee, s->least, LW_KNEE_MAX);
}

#endif
