/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The choice of a path, step by step over plain values: no division, no lock,
 * no clock. select.c walks the paths and calls these.
 * lw_equalize(), which does divide, is for the window.
 */
#ifndef LW_CHOOSE_H
#define LW_CHOOSE_H

#include "model/math.h"

/*
 * What may be done with a path; see struct lw_member. A path is used only if there
 * is none that stands before it in this order.
 */
enum lw_use {
	LW_USE,			/* by cost */
	LW_SUSPECTED,		/* too fast to be true, see model/suspect.h */
	LW_FULL,		/* no free tag, or its driver took no more lately */
	LW_AVOID,		/* not proven: probes, or if there is nothing else */
	LW_REST,		/* not proven, and failed before: no probe yet */
	LW_STALLED,		/* not proven, and what it has does not complete */
	LW_FAILED,		/* failed by dm: never */
};

/*
 * What is in flight on a path is one word, so that one atomic operation counts it:
 * I/Os in the upper half, their work in the lower. Neither half overflows (see
 * lw_blocks()), and what is taken away was added before, so neither borrows; but see
 * lw_flight_left().
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

/**
 * lw_flight_left() - I/Os left, by a count from which one too many was taken
 * @flight: the count, of which the work may be wrong, and so may have borrowed
 *
 * Return: I/Os; less than 0 if there was none that could have been taken away.
 */
static inline int lw_flight_left(u64 flight)
{
	return (s64)(flight + LW_FLIGHT_IO / 2) >> 32;
}

/**
 * lw_flight_full() - would one I/O more be one too many?
 * @flight: what is in flight on the path
 * @full: I/Os at which the driver lately was too busy, U32_MAX for none
 * @tags: I/Os for which the queue has tags, U32_MAX for any number
 */
static inline bool lw_flight_full(u64 flight, u32 full, u32 tags)
{
	return lw_flight_ios(flight) >= min(full, tags);
}

/**
 * struct lw_choice - the best path so far
 * @cost: its cost
 * @index: its index, -1 for none
 */
struct lw_choice {
	u64 cost;
	int index;
};

#define LW_COST_LAST	BIT_ULL(62)	/* above any lw_cost() */
#define LW_CHOICE_NONE	((struct lw_choice){ .cost = U64_MAX, .index = -1 })

/**
 * lw_rank() - what speaks against a path
 * @use: what may be done with it
 * @price: what the window published
 * @flight: what is in flight on the path
 * @blocks: length of the I/O
 *
 * Return: its cost, if it is to be used. Otherwise more than any cost: paths are taken
 * in the order of enum lw_use then, and of those the one with the fewest I/Os in flight.
 */
static inline u64 lw_rank(enum lw_use use, const struct lw_price *price, u64 flight,
			  u32 blocks)
{
	if (use == LW_USE)
		return lw_cost(price, lw_flight_load(flight, price->block_cost),
			       lw_load(1, blocks, price->block_cost));
	return LW_COST_LAST + ((u64)use << 32) + lw_flight_ios(flight);
}

/**
 * lw_consider() - compare one more path
 * @best: the best path so far
 * @index: index of this path, which is not failed
 * @cost: its lw_rank()
 *
 * Among paths of one cost the first one considered wins; who calls starts after the
 * path chosen last.
 */
static inline void lw_consider(struct lw_choice *best, int index, u64 cost)
{
	if (cost < best->cost) {
		best->cost = cost;
		best->index = index;
	}
}

/**
 * lw_own_base() - base latency of this very I/O
 * @base: that of one of usual length, in ticks
 * @block_ticks: what a block adds to it, in ticks, in Q8
 * @longer_q4: how much longer than usual the I/O is, in blocks, in Q4
 *
 * Return: in ticks; a sixteenth of @base at least, and @base where it is no longer.
 */
static inline u32 lw_own_base(u32 base, u32 block_ticks, s32 longer_q4)
{
	if (!longer_q4)
		return min(base, LW_TICKS_MAX);
	return clamp_t(s64, base + (((s64)longer_q4 * block_ticks) >> 12),
		       base / 16 + 1, LW_TICKS_MAX);
}

/**
 * lw_beaten() - is a path no better than the best one, whatever is in flight on it?
 * @best: the best path so far
 * @base: base latency of this one, in ticks, for this I/O
 *
 * No cost is below the latency without load, and an unusable path ranks above any cost.
 */
static inline bool lw_beaten(const struct lw_choice *best, u32 base)
{
	return (u64)base * LW_ONE >= best->cost;
}

/**
 * lw_run_lasts() - may a run go on, though the choice may be another path?
 * @use: what may be done with the path of the run
 * @price: its price
 * @least: least base latency of all paths
 * @flight: what is in flight on the path
 * @blocks: length of the I/O
 *
 * A run is for paths that are alike, and within what the path takes without
 * queueing. It never holds traffic on a path that became worse than another.
 */
static inline bool lw_run_lasts(enum lw_use use, const struct lw_price *price,
				u32 least, u64 flight, u32 blocks)
{
	return use == LW_USE && price->base <= least &&
	       lw_ratio(lw_flight_load(flight + lw_flight(blocks), price->block_cost),
			price->inv_knee, LW_RATIO_MAX) <= LW_ONE;
}

/**
 * lw_equalize() - paths within the tolerance become equal
 * @ticks: published latencies of the usable paths, LW_TICKS_AVOID for others
 * @n: number of paths
 * @percent: tolerance, 0 .. 100
 *
 * Measured latencies of equal paths differ by noise, and at a low depth that
 * alone would decide. For the window, not for select.
 */
static inline void lw_equalize(u32 *ticks, unsigned int n, unsigned int percent)
{
	u32 least = LW_TICKS_AVOID;
	unsigned int i;
	u64 limit;

	for (i = 0; i < n; i++)
		least = min(least, ticks[i]);
	limit = least + div64_u64((u64)least * percent, 100);
	for (i = 0; i < n; i++)
		if (ticks[i] != LW_TICKS_AVOID && ticks[i] <= limit)
			ticks[i] = least;
}

#endif
