/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The choice of a path, over plain values, for select.c: no division, lock or clock. lw_equalize()
 * divides and is for the window.
 */
#ifndef LW_CHOOSE_H
#define LW_CHOOSE_H

#include "model/math.h"

/* Eligibility of a path. A path is used only if there is none with a smaller value. */
enum lw_use {
	LW_USE,			/* by cost */
	LW_SUSPECTED,		/* suspiciously fast, see model/suspect.h */
	LW_FULL,		/* no free tag, or recently none, or rejected by the driver */
	LW_AVOID,		/* not validated: only probes */
	LW_BACKOFF,		/* not validated, backs off after failures: no probe yet */
	LW_PAUSED,		/* its I/O does not complete; used again once anything does */
	LW_STALLED,		/* likewise, but not validated: then only probes */
	LW_FAILED,		/* failed by dm: never used */
};

/* What chooses among the paths of the best eligibility: costs, or, to observe only, as a peer does. */
enum lw_chooser {
	LW_BY_LATENCY,
	LW_BY_QUEUE_LENGTH,	/* fewest I/Os in flight */
	LW_BY_TURNS,		/* round-robin */
};

/*
 * Work in flight, in one word for a single atomic operation: I/Os in the upper half, blocks in the
 * lower. Neither half overflows (see lw_blocks()) or borrows, since only what was added is
 * subtracted; but see lw_flight_left().
 */
#define LW_FLIGHT_IO	BIT_ULL(32)

static inline u64 lw_flight(u32 blocks)
{
	return LW_FLIGHT_IO | blocks;
}

static inline u32 lw_flight_ios(u64 flight)
{
	return flight >> 32;
}

static inline u32 lw_flight_blocks(u64 flight)
{
	return (u32)flight;
}

static inline u32 lw_flight_load(u64 flight, u32 block_cost)
{
	return lw_load(lw_flight_ios(flight), lw_flight_blocks(flight), block_cost);
}

/* I/Os in flight on a path, without those that are taken for lost. */
static inline u32 lw_newer_ios(u64 flight, const struct lw_published *p)
{
	return lw_flight_ios(flight) - min(lw_flight_ios(flight), p->hung_ios);
}

/* Load in flight on a path, likewise. */
static inline u32 lw_newer_load(u64 flight, const struct lw_published *p)
{
	u32 load = lw_flight_load(flight, p->block_cost);

	return load - min(load, p->hung);
}

/**
 * lw_flight_left() - I/Os left after an end without a start
 * @flight: work in flight, whose blocks may have borrowed from the I/Os
 * Return: I/Os; negative if there was none to end.
 */
static inline int lw_flight_left(u64 flight)
{
	return (s64)(flight + LW_FLIGHT_IO / 2) >> 32;
}

/* The work in flight after such an end: neither I/Os nor blocks are negative. */
static inline u64 lw_flight_mended(u64 flight)
{
	int ios = lw_flight_left(flight);

	if (ios <= 0)
		return 0;
	return (s32)flight < 0 ? ios * LW_FLIGHT_IO : flight;
}

/**
 * lw_flight_is_full() - is the path full?
 * @flight: work in flight
 * @full: I/Os beside which the path last took no more, or U32_MAX
 * @tags: I/Os for which the queue has tags, or U32_MAX
 */
static inline bool lw_flight_is_full(u64 flight, u32 full, u32 tags)
{
	return lw_flight_ios(flight) >= min(full, tags);
}

/* Best path so far; index is -1 for none. */
struct lw_choice {
	u64 cost;
	int index;
};

#define LW_COST_LAST	BIT_ULL(62)	/* above any lw_cost() */
#define LW_CHOICE_NONE	((struct lw_choice){ .cost = U64_MAX, .index = -1 })

/* Above any lw_cost(): by eligibility, then by I/Os. */
static inline u64 lw_rank(enum lw_use use, u32 ios)
{
	return LW_COST_LAST + ((u64)use << 32) + ios;
}

/**
 * lw_path_cost() - cost of a path
 * @use: its eligibility
 * @p: published estimates
 * @flight: work in flight
 * @blocks: length of the I/O
 * Return: the cost; paths that are not LW_USE are above any cost, by eligibility, then I/Os in
 * flight.
 */
static inline u64 lw_path_cost(enum lw_use use, const struct lw_published *p, u64 flight,
			       u32 blocks)
{
	if (use == LW_USE)
		return lw_cost(p, lw_newer_load(flight, p),
			       lw_load(1, blocks, p->block_cost), lw_newer_ios(flight, p));
	return lw_rank(use, lw_flight_ios(flight));
}

/**
 * lw_peer_cost() - cost of a path where another selector's rule chooses
 * @by: whose rule; not LW_BY_LATENCY
 * @use: eligibility of the path
 * @flight: work in flight
 * Return: the cost, by eligibility; of round-robin, paths of the same one cost the same.
 */
static inline u64 lw_peer_cost(enum lw_chooser by, enum lw_use use, u64 flight)
{
	return lw_rank(use, by == LW_BY_QUEUE_LENGTH ? lw_flight_ios(flight) : 0);
}

/**
 * lw_track_best() - keep the better path; of equal ones, the first considered
 * @best: the best path so far
 * @index: index of this path, which is not failed
 * @cost: its lw_path_cost()
 */
static inline void lw_track_best(struct lw_choice *best, int index, u64 cost)
{
	if (cost < best->cost) {
		best->cost = cost;
		best->index = index;
	}
}

/**
 * lw_own_base() - base latency of this I/O
 * @base: base of an I/O of usual length, in ticks
 * @block_ticks: latency that a block adds, in Q8 ticks
 * @longer_q4: blocks (Q4) by which this I/O is longer
 * Return: in ticks; at least a sixteenth of @base.
 */
static inline u32 lw_own_base(u32 base, u32 block_ticks, s32 longer_q4)
{
	if (!longer_q4)
		return min(base, LW_TICKS_MAX);
	return clamp_t(s64, base + (((s64)longer_q4 * block_ticks) >> 12),
		       base / 16 + 1, LW_TICKS_MAX);
}

/**
 * lw_cannot_win() - is a path no better than the best one at any load?
 * @best: the best path so far
 * @base: base latency of this path for this I/O, in ticks
 *
 * Pruning by base is safe: the cost is no less, and unusable paths rank above any cost.
 */
static inline bool lw_cannot_win(const struct lw_choice *best, u32 base)
{
	return (u64)base * LW_ONE >= best->cost;
}

/**
 * lw_run_lasts() - may a run continue, although another path is chosen?
 * @use: eligibility of the path of the run
 * @p: its estimates
 * @least: least base latency of all paths
 * @flight: work in flight on the path
 * @blocks: length of the I/O
 * Return: true for a path with the least base, up to its knee.
 */
static inline bool lw_run_lasts(enum lw_use use, const struct lw_published *p,
				u32 least, u64 flight, u32 blocks)
{
	return use == LW_USE && p->base <= least &&
	       lw_ratio(lw_newer_load(flight + lw_flight(blocks), p), p->inv_knee,
			LW_RATIO_MAX) <= LW_ONE;
}

/* The least latency, LW_TICKS_AVOID if no path is usable. */
static inline u32 lw_least(const u32 *ticks, unsigned int n)
{
	u32 least = LW_TICKS_AVOID;
	unsigned int i;

	for (i = 0; i < n; i++)
		least = min(least, ticks[i]);
	return least;
}

/**
 * lw_equalize() - set latencies within the tolerance equal to the least
 * @ticks: published latencies of the paths, LW_TICKS_AVOID for unusable ones
 * @n: number of paths
 * @percent: tolerance, 0 .. 100
 *
 * Measured latencies of equal paths differ by noise, which would decide at low depth.
 */
static inline void lw_equalize(u32 *ticks, unsigned int n, unsigned int percent)
{
	u32 least = lw_least(ticks, n);
	u64 limit = least + div64_u64((u64)least * percent, 100);
	unsigned int i;

	for (i = 0; i < n; i++)
		if (ticks[i] != LW_TICKS_AVOID && ticks[i] <= limit)
			ticks[i] = least;
}

#endif
