/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is usual for a path. A path that answers at once with an error of the
 * target looks splendid, and no selector is told the status. What gives it away
 * is that it is suddenly far faster than it was, and than all others: too good to
 * be true. It then gets its turns and no more, until it has lasted.
 *
 * Plain values, like lw_choose.h; select and end_io() do not divide here.
 */
#ifndef LW_USUAL_H
#define LW_USUAL_H

#include "lw_choose.h"
#include "lw_state.h"

/* For so long, by lw_path_state.active_ns, another base has to last; and the first one. */
#define LW_USUAL_NS		20000000000ULL
#define LW_USUAL_FIRST_NS	1000000000ULL

static inline bool lw_within_twice(u64 a, u64 b)
{
	return a >= b / 2 && a / 2 <= b;
}

/**
 * lw_usual_step() - remember what is usual
 * @k: the class, seen in this window
 * @active_ns: end of the window
 *
 * Of a new path nothing is usual until its base has stayed within a factor of two for a
 * second: small I/Os that were started first, behind large ones, have a base that soon
 * proves too high. From then on, within that factor, the usual base follows the base, a
 * 256th a window. A base farther away, up or down, has to last. So a path that had a
 * short detour is at home again at once. A stall or a failure changes nothing: it is the
 * same device.
 */
static inline void lw_usual_step(struct lw_class_state *k, u64 active_ns)
{
	u64 lasts = k->usual_ns ? LW_USUAL_NS : LW_USUAL_FIRST_NS;

	if (k->usual_ns && lw_within_twice(k->base_ns, k->usual_ns)) {
		k->usual_ns = lw_ewma(k->usual_ns, k->base_ns, 8);
		k->unusual_ns = 0;
	} else if (!k->unusual_ns ||
		   (!k->usual_ns && !lw_within_twice(k->base_ns, k->early_ns))) {
		k->unusual_ns = active_ns;
		k->early_ns = k->base_ns;
	} else if (active_ns - k->unusual_ns >= lasts) {
		k->usual_ns = k->base_ns;
		k->unusual_ns = 0;
	}
}

/* Least of the latencies but one; LW_TICKS_AVOID for none. For the window. */
static inline u32 lw_least_other(const u32 *ticks, unsigned int n, unsigned int but)
{
	u32 least = LW_TICKS_AVOID;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (i != but)
			least = min(least, ticks[i]);
	return least;
}

/**
 * lw_usual_bound() - what is too good to be true
 * @usual: usual base of the path, in ticks
 * @others: least base of the other paths, LW_TICKS_AVOID for none
 *
 * A path that is usually the faster one is not bounded: it has the traffic anyway,
 * and the cache of a disk array may answer it at once. Nor is one that heals and
 * becomes what the others are.
 *
 * Return: latencies below this are, in ticks; 0 for none.
 */
static inline u32 lw_usual_bound(u32 usual, u32 others)
{
	if (others == LW_TICKS_AVOID || usual < others - others / 4)
		return 0;
	return others / 4;
}

/*
 * Haste: how often a path was too good lately. One up for each completion that is,
 * one down for each other; so it takes more than half of them to be hasty.
 */
#define LW_HASTY	4U
#define LW_HASTE_MAX	16U

static inline u32 lw_haste_step(u32 haste, bool too_good)
{
	if (too_good)
		return min(haste + 1, LW_HASTE_MAX);
	return haste ? haste - 1 : 0;
}

/**
 * lw_settle() - the choice between hasty paths and all others
 * @best: the best of the others
 * @hasty: the best of the hasty ones to use
 * @first: whose turn it is: the first of the paths to use
 *
 * In turns, not by load: what answers at once has nothing in flight, ever. If all
 * are hasty none is, for then it is the storage that became faster.
 *
 * Return: the choice.
 */
static inline struct lw_choice lw_settle(struct lw_choice best,
					 struct lw_choice hasty, int first)
{
	if (best.cost >= LW_COST_LAST)
		return hasty.index < 0 ? best : hasty;
	return hasty.index == first && hasty.cost <= best.cost ? hasty : best;
}

#endif
