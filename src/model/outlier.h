/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Outliers: I/Os that take many times as long as an idle path does, as on a link that loses
 * packets. They are too rare for the latency to stay high, but a path that has them again and
 * again takes longer by their mean.
 */
#ifndef LW_OUTLIER_H
#define LW_OUTLIER_H

#include "model/constants.h"
#include "model/math.h"

/* Fading sums over windows with I/Os that ended. */
struct lw_outliers {
	u64 ended;	/* number of I/Os, in Q8 */
	u64 excess_ns;	/* time of outliers above the base */
	u64 event_ns;	/* the part of the last event: a window, or all I/Os of a stall */
	u64 worst_ns;	/* the part of the worst event */
	u64 above_ns;	/* time of all I/Os above the base, as far as the base has not followed */
};

/**
 * lw_outlier_excess() - time of an I/O above the base, if it is an outlier
 * @ticks: its latency
 * @base: base latency for its length, in ticks; U32_MAX if nothing is an outlier
 * Return: in ticks, 0 for no outlier. Limited, so that an I/O that hung counts no more than one
 * that was lost and sent again.
 */
static inline u64 lw_outlier_excess(u32 ticks, u32 base)
{
	if (ticks >> LW_OUTLIER_SHIFT < base)
		return 0;
	return min_t(u64, ticks, (u64)base << LW_OUTLIER_MOST_SHIFT) - base;
}

/**
 * lw_outliers_add() - add a window
 * @o: the sums
 * @ended: I/Os that ended in it; without any, nothing fades, so that a path with probes alone
 *	keeps its outliers for longer
 * @excess_ns: their lw_outlier_excess()
 * @above_ns: their time above the base, by the latency; and the excess of outliers that are no
 *	samples
 * @same: some may have started before a stall, as those of the window before
 */
static inline void lw_outliers_add(struct lw_outliers *o, u64 ended, u64 excess_ns, u64 above_ns,
				   bool same)
{
	if (!ended)
		return;
	excess_ns = min_t(u64, excess_ns, LW_NS_MAX);
	o->ended += (min_t(u64, ended, 1 << 20) << 8) - (o->ended >> LW_OUTLIER_MEMORY);
	o->excess_ns += excess_ns - (o->excess_ns >> LW_OUTLIER_MEMORY);
	o->event_ns = min(excess_ns + (same ? o->event_ns : 0), o->excess_ns);
	o->worst_ns = max(o->worst_ns - (o->worst_ns >> LW_OUTLIER_MEMORY), o->event_ns);
	o->above_ns += min_t(u64, above_ns, LW_NS_MAX) - (o->above_ns >> LW_OUTLIER_MEMORY);
}

/**
 * lw_outliers_ns() - latency that outliers add to the base in the mean
 * @o: the sums
 *
 * Leaves out the worst event: one pause is no habit. No more than what the base lacks: misses of
 * a cache are so frequent that the base has them.
 */
static inline u64 lw_outliers_ns(const struct lw_outliers *o)
{
	u64 often_ns = o->excess_ns - min(o->worst_ns, o->excess_ns);

	return div64_u64(min(often_ns, o->above_ns), max_t(u64, o->ended >> 8, 1));
}

#endif
