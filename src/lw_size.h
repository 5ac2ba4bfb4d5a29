/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an I/O's size costs on a path: how much less the path does of longer ones, and how
 * much longer each of them takes. Learned apart, for a path that works on many at once may
 * take twenty times as long for 1M as for 4k and yet do as many.
 *
 * Plain structs and no clock; lw_estimate.h and lw_knee.h use it.
 */
#ifndef LW_SIZE_H
#define LW_SIZE_H

#include "lw_trend.h"

/**
 * struct lw_size_cost - what a path's throughput says of the cost of size
 * @ios: I/Os done in a second, moving average; 0 before the first span
 * @blocks: blocks done in a second, likewise
 * @by_ios: mean product of the I/Os' deviation and the difference of both deviations
 * @differ: mean square of this difference
 *
 * A path that queues is always at work. So if an I/O costs a and a block b, a * ios +
 * b * blocks = 1 at any time, and what the sizes have in common with the load cancels.
 * With di and db the deviations of both rates from their means, as parts of these, and
 * part = b * blocks / (a * ios + b * blocks), the sum varies by (1 - part) * di + part * db:
 * least, over many spans, for part = sum di (di - db) / sum (di - db)^2.
 */
struct lw_size_cost {
	u64 ios;
	u64 blocks;
	s64 by_ios;
	s64 differ;
};

#define LW_SIZE_SHIFT	4	/* averages over 16 spans */
#define LW_SIZE_LEAST	64	/* the rates differed by a 32nd, say; in 2^20 */

static inline void lw_size_cost_add(struct lw_size_cost *k, u64 ios, u64 blocks)
{
	s64 di = lw_deviation(ios, k->ios), db = lw_deviation(blocks, k->blocks);

	if (!ios || !blocks)
		return;
	if (!k->ios || abs(di) > LW_TREND_LEAP || abs(db) > LW_TREND_LEAP) {
		k->ios = ios;
		k->blocks = blocks;
		return;
	}
	k->by_ios += (di * (di - db) - k->by_ios) >> LW_SIZE_SHIFT;
	k->differ += ((di - db) * (di - db) - k->differ) >> LW_SIZE_SHIFT;
	k->ios = lw_ewma(k->ios, ios, LW_SIZE_SHIFT);
	k->blocks = lw_ewma(k->blocks, blocks, LW_SIZE_SHIFT);
}

/**
 * lw_block_cost() - what a block costs, as a part of what an I/O costs whatever its size
 * @k: what the throughput said
 * @was: the answer so far
 *
 * Return: in Q16, up to LW_BLOCK_MAX; @was if the sizes did not vary enough to tell.
 */
static inline u32 lw_block_cost(const struct lw_size_cost *k, u32 was)
{
	u64 part_q10;

	if (k->differ < LW_SIZE_LEAST)
		return was;
	part_q10 = clamp_t(s64, div64_s64(k->by_ios * 1024, k->differ), 0, 1023);
	return min_t(u64, LW_BLOCK_MAX,
		     div64_u64(div64_u64(part_q10 * min_t(u64, k->ios, 1ULL << 32) << 16, 1024 - part_q10),
			       max_t(u64, k->blocks, 1)));
}

/**
 * struct lw_size_latency - what a block adds to the latency of an I/O
 * @usual_q4: usual length of the path's I/Os in blocks, in Q4, 0 before the first: its
 *	latency and base are those of such an I/O
 * @mean_q4: mean length of those done in the last window
 * @with: mean product of the deviations of length and latency between size classes
 * @spread: mean square of the deviation of length, likewise
 * @block_q4: what a block adds, ns in Q4; 0 as long as all I/Os were alike
 *
 * The slope of a line through the latencies of the classes. A queue delays all of them by
 * as much, so it does not count.
 */
struct lw_size_latency {
	u64 usual_q4;
	u64 mean_q4;
	s64 with;
	s64 spread;
	u64 block_q4;
};

#define LW_SIZE_MEMORY		4	/* averages over 16 windows; 8 and 32 do as well */
#define LW_SIZE_SPREAD		16	/* lengths differ by 4 blocks, or it is noise */
#define LW_SIZE_BLOCK_MOST	(1ULL << 32)

/* One more window. One in which all were about alike changes nothing. */
static inline void lw_size_latency_fit(struct lw_size_latency *z, s64 with, s64 spread)
{
	unsigned int shift = z->spread ? LW_SIZE_MEMORY : 0;

	if (spread < LW_SIZE_SPREAD)
		return;
	z->with += (with - z->with) >> shift;
	z->spread += (spread - z->spread) >> shift;
	z->block_q4 = min_t(u64, div64_s64(max_t(s64, z->with, 0), z->spread) << 4,
			    LW_SIZE_BLOCK_MOST);
}

/* What an I/O of this length takes longer than a usual one; less than 0 if it is shorter. */
static inline s64 lw_size_longer_ns(const struct lw_size_latency *z, u64 blocks_q4)
{
	if (!z->usual_q4)
		return 0;
	return (s64)(blocks_q4 - z->usual_q4) * (s64)z->block_q4 / 256;
}

#endif
