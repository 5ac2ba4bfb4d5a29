/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Outliers: I/Os that take many times as long as an idle path does, as on a link that loses
 * packets. They are too rare for the latency to stay high, but a path that has them again and
 * again takes longer by their mean.
 */
#ifndef LW_OUTLIER_H
#define LW_OUTLIER_H

#include "model/constants.h"
#include "model/counters.h"
#include "model/math.h"

/* Outliers that ended in a window. */
struct lw_outlier_ends {
	u64 number;		/* how many */
	u64 of_samples_ns;	/* time above the base of those that are samples, */
	u64 of_others_ns;	/* and of others */
};

/* Fading sums over windows with I/Os that ended. */
struct lw_outliers {
	u64 ended;	/* number of I/Os, in Q8 */
	u64 number;	/* of outliers among them, in Q8 */
	u64 excess_ns;	/* time of outliers above the base */
	u64 event_ns;	/* the part of the last event: a window, or all I/Os of a stall */
	u64 worst_ns;	/* the part of the worst event */
	u64 above_ns;	/* time of all I/Os above the base */
};

/**
 * lw_outlier_excess() - time of an I/O above the base, if it is an outlier
 * @ticks: its latency
 * @base: base latency for its length, in ticks; U32_MAX if nothing is an outlier
 * Return: in ticks, 0 for no outlier; no more than lw_took() tells.
 */
static inline u64 lw_outlier_excess(u32 ticks, u32 base)
{
	const u32 most = LW_TOOK_MAX << (LW_SUM_SHIFT - LW_TICK_SHIFT);

	if (ticks >> LW_OUTLIER_SHIFT < base || base >= most)
		return 0;
	return min(ticks, most) - base;
}

/*
 * May a longer I/O take as many times as long as it is longer? The price of length may not be known
 * yet, and if such I/Os counted as outliers, it would never be.
 */
static inline bool lw_may_be_longer(u32 ticks, u32 base, s32 longer_q4, u32 usual_q4)
{
	u64 usual = max(usual_q4, 16U);

	return longer_q4 > 0 &&
	       (u64)(ticks >> LW_OUTLIER_SHIFT) * usual < (u64)base * (usual + longer_q4);
}

/**
 * lw_outliers_add() - add a window
 * @o: the sums
 * @ended: I/Os that ended in it; without any, nothing fades, so that a path with probes alone
 *	keeps its outliers for longer
 * @ends: the outliers among them
 * @base_ns: base of the path; in the mean they count at most 2^LW_OUTLIER_MOST_SHIFT times as much,
 *	so that an I/O that hung counts no more than one that was lost and sent again
 * @lat_ns: latency of the path
 * @same: some may have started before a stall, as those of the window before
 */
static inline void lw_outliers_add(struct lw_outliers *o, u64 ended,
				   const struct lw_outlier_ends *ends, u64 base_ns,
				   u64 lat_ns, bool same)
{
	u64 number = min_t(u64, ends->number, 1 << 16);
	u64 most_ns = min_t(u64, base_ns, LW_NS_MAX >> LW_OUTLIER_MOST_SHIFT)
		      << LW_OUTLIER_MOST_SHIFT;
	u64 excess_ns = min_t(u64, number * most_ns, LW_NS_MAX);
	u64 above_ns = min_t(u64, lat_ns - min(base_ns, lat_ns), LW_NS_MAX);

	if (!ended)
		return;
	ended = min_t(u64, ended, 1 << 20);
	above_ns = min_t(u64, above_ns * ended + ends->of_others_ns, LW_NS_MAX);
	excess_ns = min(excess_ns, ends->of_samples_ns + ends->of_others_ns);
	o->ended += (ended << 8) - (o->ended >> LW_OUTLIER_MEMORY);
	o->number += (number << 8) - (o->number >> LW_OUTLIER_MEMORY);
	o->excess_ns += excess_ns - (o->excess_ns >> LW_OUTLIER_MEMORY);
	o->event_ns = min(excess_ns + (same ? o->event_ns : 0), o->excess_ns);
	o->worst_ns = max(o->worst_ns - (o->worst_ns >> LW_OUTLIER_MEMORY), o->event_ns);
	o->above_ns += above_ns - (o->above_ns >> LW_OUTLIER_MEMORY);
}

static inline bool lw_outliers_are_rare(u64 number, u64 ended)
{
	return number <= ended / LW_OUTLIER_RARE;
}

/**
 * lw_outliers_ns() - latency that outliers add to the base in the mean
 * @o: the sums
 *
 * Leaves out the worst event: one pause is no habit. Frequent outliers, such as misses of a cache,
 * are in the latency, and in part in the base, so they count as far as the base lacks them.
 */
static inline u64 lw_outliers_ns(const struct lw_outliers *o)
{
	u64 often_ns = o->excess_ns - min(o->worst_ns, o->excess_ns);

	if (!lw_outliers_are_rare(o->number, o->ended))
		often_ns = min(often_ns, o->above_ns);
	return div64_u64(often_ns, max_t(u64, o->ended >> 8, 1));
}

/**
 * lw_outliers_are_apart() - are the outliers of a window no part of its latency?
 * @o: the sums
 * @ends: outliers of the window
 * @ended: I/Os that ended in it
 * @base_ns: base of the path
 *
 * Only if the path is known for rare ones that matter: any other may just have become slow.
 */
static inline bool lw_outliers_are_apart(const struct lw_outliers *o,
					 const struct lw_outlier_ends *ends, u64 ended,
					 u64 base_ns)
{
	return base_ns && lw_outliers_are_rare(ends->number, ended) &&
	       lw_outliers_are_rare(o->number, o->ended) &&
	       LW_OUTLIER_MATTERS * lw_outliers_ns(o) >= base_ns;
}

#endif
