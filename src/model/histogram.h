/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A histogram of latencies, by powers of two of a microsecond: bucket 0 is below
 * 1 us, bucket b is 2^(b-1) us to below 2^b us, and the last one is all above 33 s.
 * Beside them are counted the I/Os that have no latency of their own, since nobody
 * stamped their requests: Little's law knows a mean only.
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include "model/math.h"

#define LW_BUCKETS		27U
#define LW_BUCKET_UNSTAMPED	LW_BUCKETS
#define LW_HISTOGRAM_SIZE	(LW_BUCKETS + 1)

/**
 * struct lw_histogram - per CPU and path, where somebody asked for it
 * @bucket: I/Os ended, by class and latency; not those that were never issued. Written by
 *	its own CPU with interrupts off; each is a total of its own, which any CPU may
 *	read at any time
 */
struct lw_histogram {
	u64 bucket[LW_CLASSES][LW_HISTOGRAM_SIZE];
};

/**
 * lw_bucket() - where an I/O counts
 * @stamp: when it was started, in ns, 0 for unknown
 * @now: when it ended, not before @stamp
 *
 * For end_io(): the compiler makes a multiplication of the division, and nothing is to
 * be jumped over.
 *
 * Return: 0 .. LW_BUCKET_UNSTAMPED.
 */
static inline unsigned int lw_bucket(u64 stamp, u64 now)
{
	u64 us = min_t(u64, (now - stamp) / 1000, 1U << (LW_BUCKETS - 2));

	return stamp ? (unsigned int)fls((u32)us) : LW_BUCKET_UNSTAMPED;
}

/* Least latency of a bucket, in us; of LW_BUCKETS, where the last one is taken to end. */
static inline u64 lw_bucket_us(unsigned int bucket)
{
	return bucket ? 1ULL << (bucket - 1) : 0;
}

/**
 * lw_histogram_us() - a percentile
 * @count: I/Os by bucket
 * @permille: 500 for the median, 990 for the 99th percentile
 *
 * Within a bucket the latencies are taken as evenly spread. The real one lies in the
 * same bucket, so this is less than twice or more than half as much.
 *
 * Return: in us; 0 without stamped I/Os.
 */
static inline u64 lw_histogram_us(const u64 *count, unsigned int permille)
{
	u64 total = 0, rank, below = 0;
	unsigned int b;

	for (b = 0; b < LW_BUCKETS; b++)
		total += count[b];
	/* A total is below 2^50, and a bucket's count times its width, too. */
	rank = div64_u64(total * permille + 999, 1000);
	for (b = 0; b < LW_BUCKETS; b++) {
		u64 from = lw_bucket_us(b), width = lw_bucket_us(b + 1) - from;

		if (count[b] && below + count[b] >= rank)
			return from + div64_u64(width * (rank - below), count[b]);
		below += count[b];
	}
	return 0;
}

#endif
