/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a block adds to a path's latency: the slope of a line through latencies by length. Only
 * I/Os of the same window are compared, as queues change between windows.
 */
#ifndef LW_SIZE_H
#define LW_SIZE_H

#include "model/constants.h"
#include "model/math.h"

/* Lengths are in blocks in Q4, latencies in 1024 ns; deviations are from a window's means. */
struct lw_size_sums {
	s64 weight;	/* weights of the I/Os, in Q8 */
	s64 spread;	/* squares of the deviation of length */
	s64 with;	/* products of the deviations of length and latency */
};

struct lw_size_latency {
	u64 usual_q4;	/* usual length, to which latency and base refer; 0 for none */
	struct lw_size_sums sums;	/* over windows, fading */
	u64 block_q4;	/* latency that a block adds, ns in Q4 */
};

#define LW_SIZE_BLOCK_MOST	BIT_ULL(32)
#define LW_SIZE_LAT		BIT_ULL(36)	/* a minute, so that sums fit into 61 bits */
#define LW_SIZE_WEIGHT		4096U		/* most weight of a window, for the same reason */

/* I/Os of one length in a window. */
struct lw_sized {
	u64 count;	/* how many */
	u64 len_q4;	/* mean length */
	u64 lat_ns;	/* mean latency */
};

/* The line's slope. As many blocks of chance as there are I/Os pull it to zero. */
static inline u64 lw_size_slope(const struct lw_size_sums *z)
{
	u64 with = max_t(s64, z->with, 0), spread = z->spread + z->weight;
	unsigned int down = with >> 44 ? 16 : 0;

	return min_t(u64, div64_u64((with >> down) << 18, max_t(u64, spread >> down, 1)),
		     LW_SIZE_BLOCK_MOST);
}

/* Do lengths differ by less than a block? */
static inline bool lw_size_even(const struct lw_size_sums *z)
{
	return z->spread <= z->weight;
}

/* Sums of a window, from its I/Os by length. */
static inline struct lw_size_sums lw_size_window(const struct lw_sized *of, unsigned int n)
{
	s64 count = 0, len = 0, lat = 0;
	struct lw_size_sums w = { 0 };
	unsigned int i, down = 0;

	for (i = 0; i < n; i++)
		count += of[i].count;
	while (count >> down > LW_SIZE_WEIGHT)
		down++;
	for (count = 0, i = 0; i < n; i++) {
		s64 weight = of[i].count >> down;

		count += weight;
		len += weight * of[i].len_q4;
		lat += weight * (min(of[i].lat_ns, LW_SIZE_LAT) >> 10);
	}
	if (!count)
		return w;
	len = div64_s64(len, count);
	lat = div64_s64(lat, count);
	for (i = 0; i < n; i++) {
		s64 longer = (s64)of[i].len_q4 - len, part = longer * (s64)(of[i].count >> down);

		w.spread += part * longer;
		w.with += part * ((s64)(min(of[i].lat_ns, LW_SIZE_LAT) >> 10) - lat);
	}
	w.weight = count << 8;
	return w;
}

/* Does a window contradict the known slope? It may by chance, which then averages out sooner. */
static inline bool lw_size_contradicts(const struct lw_size_latency *z,
				       const struct lw_size_sums *w)
{
	u64 slope = lw_size_slope(w);

	return !lw_size_even(w) && (slope > LW_SIZE_FAR_OFF * z->block_q4 ||
				    z->block_q4 > LW_SIZE_FAR_OFF * slope);
}

/* Let each earlier window weigh no more than this window; the slope stays. */
static inline void lw_size_weigh_less(struct lw_size_sums *z, const struct lw_size_sums *w)
{
	s64 by_q8 = div64_s64(z->spread, w->spread >> (8 - LW_SIZE_MEMORY));

	if (by_q8 <= 256)
		return;
	z->weight = div64_s64(z->weight << 8, by_q8);
	z->spread = div64_s64(z->spread, by_q8) << 8;
	z->with = div64_s64(z->with, by_q8) * 256;
}

/**
 * lw_size_learn() - add a window
 * @z: what is known
 * @of: the window's I/Os by length
 * @n: how many lengths
 *
 * Where all I/Os are alike only the weight grows, and the slope fades. A contradicted slope is
 * forgotten sooner: the I/Os that it attracts may differ little in length, so that an earlier
 * window with a megabyte would outweigh hundreds of them.
 */
static inline void lw_size_learn(struct lw_size_latency *z, const struct lw_sized *of,
				 unsigned int n)
{
	struct lw_size_sums w = lw_size_window(of, n);
	unsigned int memory = LW_SIZE_MEMORY;

	if (!w.weight)
		return;
	if (lw_size_contradicts(z, &w)) {
		lw_size_weigh_less(&z->sums, &w);
		memory = LW_SIZE_DOUBT;
	}
	z->sums.weight += w.weight - (z->sums.weight >> memory);
	z->sums.spread += w.spread - (z->sums.spread >> memory);
	z->sums.with += w.with - (z->sums.with >> memory);
	z->block_q4 = lw_size_slope(&z->sums);
}

/* Additional latency of an I/O of this length over a usual one; may be negative. */
static inline s64 lw_size_longer_ns(const struct lw_size_latency *z, u64 blocks_q4)
{
	if (!z->usual_q4)
		return 0;
	return (s64)(blocks_q4 - z->usual_q4) * (s64)z->block_q4 / 256;
}

/**
 * lw_block_cost() - price of a block, relative to an I/O of any size
 * @z: what a block adds to the latency
 * @io_ns: time that an I/O of usual length takes of the path: base / knee
 *
 * Of that time its blocks take what they add to the latency, but at most 15/16.
 *
 * Return: in Q16, up to LW_BLOCK_MAX.
 */
static inline u32 lw_block_cost(const struct lw_size_latency *z, u64 io_ns)
{
	u64 block_ns = z->block_q4 >> 4, usual_q4 = max_t(u64, z->usual_q4, 1);
	u64 blocks_ns = min((block_ns * usual_q4) >> 4, io_ns - (io_ns >> 4));
	u64 rest = max_t(u64, (io_ns - blocks_ns) * usual_q4, 1);

	return min_t(u64, div64_u64(blocks_ns << 20, rest), LW_BLOCK_MAX);
}

#endif
