/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Log-linear histogram of latencies: eight buckets of equal width per power of two from 1 us to 33
 * s, so the middle of a bucket is within 6.25 per cent of its latencies. Below 1 us buckets are
 * 1/8 us wide; the last one takes the rest. I/Os without stamps have no latency and are counted
 * apart.
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include "model/math.h"

#define LW_BUCKET_NS		125U		/* width of the first buckets */
#define LW_BUCKETS_EACH		8U		/* per power of two */
#define LW_BUCKET_TOP		(1U << 28)	/* start of the last one, in LW_BUCKET_NS */
#define LW_BUCKETS		209U
#define LW_BUCKET_UNSTAMPED	LW_BUCKETS
#define LW_HISTOGRAM_SIZE	(LW_BUCKETS + 1)

/*
 * Per CPU and path, one for each class: I/Os ended, without never-issued ones. Each count is
 * written by its own CPU with interrupts off, and read at any time.
 */
struct lw_histogram {
	u64 bucket[LW_HISTOGRAM_SIZE];
};

/*
 * Likewise one for reads and then one for writes: valid completions of data. Those of an unknown
 * operation are in neither.
 */
#define LW_OP_HISTOGRAMS	2U

/**
 * lw_bucket() - bucket of an I/O, for end_io()
 * @stamp: start, ns; 0 for unknown
 * @now: end, ns, not before @stamp
 * Return: 0 .. LW_BUCKET_UNSTAMPED. Compiles to a multiplication, without branches.
 */
static inline unsigned int lw_bucket(u64 stamp, u64 now)
{
	u32 width = min_t(u64, (now - stamp) / LW_BUCKET_NS, LW_BUCKET_TOP);
	/* Shift of this power of two; the first two have the same width. */
	unsigned int shift = fls(width | LW_BUCKETS_EACH) - 4;

	return stamp ? shift * LW_BUCKETS_EACH + (width >> shift) : LW_BUCKET_UNSTAMPED;
}

/* Lower border of a bucket, ns; for LW_BUCKETS, the nominal end of the last one. */
static inline u64 lw_bucket_ns(unsigned int bucket)
{
	unsigned int shift = max_t(u32, bucket / LW_BUCKETS_EACH, 1) - 1;

	return ((u64)(bucket - shift * LW_BUCKETS_EACH) << shift) * LW_BUCKET_NS;
}

/**
 * lw_histogram_ns() - percentile
 * @count: I/Os by bucket
 * @permille: 500 for the median, 990 for the 99th percentile
 * Return: middle of the bucket of the exact value, ns; 33 s if it is above, 0 without stamped
 * I/Os.
 */
static inline u64 lw_histogram_ns(const u64 *count, unsigned int permille)
{
	u64 total = 0, rank, below = 0;
	unsigned int b;

	for (b = 0; b < LW_BUCKETS; b++)
		total += count[b];
	/* A total is below 2^50. */
	rank = div64_u64(total * permille + 999, 1000);
	for (b = 0; b < LW_BUCKETS - 1; b++) {
		below += count[b];
		if (count[b] && below >= rank)
			return (lw_bucket_ns(b) + lw_bucket_ns(b + 1)) / 2;
	}
	return total ? lw_bucket_ns(LW_BUCKETS - 1) : 0;
}

#endif
