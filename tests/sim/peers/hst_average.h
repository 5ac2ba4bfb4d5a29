/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The moving average of historical-service-time, in fixed point with 10 bits
 * behind the point. The longer a sample is, the more it weighs, as if it were
 * several: the old value keeps base^(n+1) for a sample of n times 2^24 ns (16.8 ms),
 * and nothing from n = 63 on.
 *
 * For C and C++: the simulator's peer, and the one that is measured natively.
 */
#ifndef SIM_PEERS_HST_AVERAGE_H
#define SIM_PEERS_HST_AVERAGE_H

#include <stdint.h>

#define HST_SHIFT	10
#define HST_ONE		(1ULL << HST_SHIFT)
#define HST_LONG	63	/* samples of so many times 2^24 ns leave nothing of the average */

/* What a sample leaves of the average, by its length. */
struct hst_average {
	uint64_t keep[HST_LONG + 1];
};

static inline uint64_t hst_rounded(uint64_t product)
{
	return (product + HST_ONE / 2) >> HST_SHIFT;
}

/* Base 2 and by squares: each step rounds, so another order has other results. */
static inline uint64_t hst_power(uint64_t base, unsigned int n)
{
	uint64_t result = HST_ONE;

	for (; n; n >>= 1, base = hst_rounded(base * base))
		if (n & 1)
			result = hst_rounded(result * base);
	return result;
}

static inline void hst_average_init(struct hst_average *a, uint64_t base)
{
	unsigned int n;

	for (n = 0; n < HST_LONG; n++)
		a->keep[n] = hst_power(base, n + 1);
	a->keep[HST_LONG] = 0;
}

static inline uint64_t hst_average_next(const struct hst_average *a, uint64_t average,
					uint64_t sample_ns)
{
	uint64_t n = sample_ns >> 24, keep = a->keep[n < HST_LONG ? n : HST_LONG];

	return hst_rounded(average * keep + sample_ns * HST_ONE * (HST_ONE - keep));
}

#endif
