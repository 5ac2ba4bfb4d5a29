/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an I/O's size costs on a path: how much longer each of them takes, and from that
 * how much less the path does of longer ones.
 *
 * Plain structs and no clock; model/estimate.h and model/knee.h use it.
 */
#ifndef LW_SIZE_H
#define LW_SIZE_H

#include "model/math.h"

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
#define LW_SIZE_BLOCK_MOST	BIT_ULL(32)

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

/* Of a second's blocks; from 0.3 to 1 s it is all one. */
#define LW_SIZE_ERROR_NS	300000000LL

/**
 * lw_block_cost() - what a block costs, as a part of what an I/O costs whatever its size
 * @z: what a block adds to the latency
 * @ios: I/Os done in a second by a path that queues
 * @blocks: their blocks
 * @base_ns: base latency of the path
 *
 * A path that queues is always at work: of each second its blocks take what they add to
 * the latency, and the rest is what its I/Os take whatever their size. Nothing is left where
 * bytes limit. Where blocks would take a third more than that, and not by an error of some per
 * cent, the path works on several I/Os at once, each for its base latency.
 *
 * Return: in Q16, up to LW_BLOCK_MAX.
 */
static inline u32 lw_block_cost(const struct lw_size_latency *z, u64 ios, u64 blocks,
				u64 base_ns)
{
	u64 block_ns = z->block_q4 >> 4;
	s64 left = 1000000000LL - (s64)(min_t(u64, blocks, 1ULL << 32) * block_ns);
	u64 io_ns = base_ns;

	if (left > -LW_SIZE_ERROR_NS)
		io_ns = div64_u64(max_t(s64, left, 0), max_t(u64, ios, 1));
	io_ns = clamp_t(u64, min(io_ns, base_ns), 1, LW_NS_MAX);
	return min_t(u64, div64_u64(block_ns << 16, io_ns), LW_BLOCK_MAX);
}

/* What an I/O of this length takes longer than a usual one; less than 0 if it is shorter. */
static inline s64 lw_size_longer_ns(const struct lw_size_latency *z, u64 blocks_q4)
{
	if (!z->usual_q4)
		return 0;
	return (s64)(blocks_q4 - z->usual_q4) * (s64)z->block_q4 / 256;
}

#endif
