/* SPDX-License-Identifier: GPL-2.0 */
/* Effect of size on a path's latency and throughput. */
#ifndef LW_SIZE_H
#define LW_SIZE_H

#include "model/constants.h"
#include "model/math.h"

/* Slope of a line through the latencies of the size classes. A queue delays all classes equally. */
struct lw_size_latency {
	u64 usual_q4;	/* usual length in blocks, in Q4, for latency and base; 0 for none */
	u64 mean_q4;	/* mean length of completions in the last window */
	s64 with;	/* mean product of the deviations of length and latency */
	s64 spread;	/* mean square of the deviation of length */
	u64 block_q4;	/* latency that a block adds, ns in Q4; 0 while all sizes are alike */
};

#define LW_SIZE_BLOCK_MOST	BIT_ULL(32)

/* Add a window. If all I/Os were of similar size, forget slowly if others are sent elsewhere. */
static inline void lw_size_latency_fit(struct lw_size_latency *z, s64 with, s64 spread,
				       bool elsewhere)
{
	unsigned int shift = z->spread ? LW_SIZE_MEMORY : 0;

	if (spread >= LW_SIZE_SPREAD) {
		z->with += (with - z->with) >> shift;
		z->spread += (spread - z->spread) >> shift;
	} else if (elsewhere && z->spread) {
		z->with -= z->with >> LW_FORGET_SHIFT;
	} else {
		return;
	}
	z->block_q4 = min_t(u64, div64_s64(max_t(s64, z->with, 0), z->spread) << 4,
			    LW_SIZE_BLOCK_MOST);
}

/**
 * lw_block_cost() - price of a block, relative to an I/O of any size
 * @z: what a block adds to the latency
 * @ios: I/Os per second completed by a path that queues
 * @blocks: their blocks per second
 * @base_ns: base latency of the path
 *
 * A queueing path is always at work, so the part of a second that blocks do not take is spent on
 * I/Os of whatever size; if bytes are the limit, nothing is left. If blocks seem to take over a
 * third more than the second, the path works on several I/Os at once, and each takes the base.
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

/* Additional latency of an I/O of this length over a usual one; may be negative. */
static inline s64 lw_size_longer_ns(const struct lw_size_latency *z, u64 blocks_q4)
{
	if (!z->usual_q4)
		return 0;
	return (s64)(blocks_q4 - z->usual_q4) * (s64)z->block_q4 / 256;
}

#endif
