/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A histogram of latencies, log-linear: eight buckets of equal width for each power of two,
 * from 1 us to 33 s. So a bucket is an eighth of its lower border wide at most, and its
 * middle is within 6.25 per cent of every latency in it. Below 1 us buckets are an eighth
 * of a microsecond, and the last one is all above 33 s.
 * Beside them are counted the I/Os that have no latency of their own, since nobody
 * stamped their requests: Little's law knows a mean only.
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include "model/math.h"

#define LW_BUCKET_NS		125U		/* width of the first ones */
#define LW_BUCKETS_EACH		8U		/* of a power of two */
#define LW_BUCKET_TOP		(1U << 28)	/* where the last one begins, in those widths */
#define LW_BUCKETS		209U
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
	u32 width = min_t(u64, (now - stamp) / LW_BUCKET_NS, LW_BUCKET_TOP);
	/* Of the buckets of this power of two; the first two have the least width. */
	unsigned int shift = fls(width | LW_BUCKETS_EACH) - 4;

	return stamp ? shift * LW_BUCKETS_EACH + (width >> shift) : LW_BUCKET_UNSTAMPED;
}

/* Least latency of a bucket, in ns; of LW_BUCKETS, where the last one is taken to end. */
static inline u64 lw_bucket_ns(unsigned int bucket)
{
	unsigned int shift = max_t(u32, bucket / LW_BUCKETS_EACH, 1) - 1;

	return ((u64)(bucket - shift * LW_BUCKETS_EACH) << shift) * LW_BUCKET_NS;
}

/**
 * lw_histogram_ns() - a percentile
 * @count: I/Os by bucket
 * @permille: 500 for the median, 990 for the 99th percentile
 *
 * Return: in ns, the middle of the bucket of the real one: within 6.25 per cent from 1 us to
 * 33 s, and 33 s for what is above; 0 without stamped I/Os.
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
