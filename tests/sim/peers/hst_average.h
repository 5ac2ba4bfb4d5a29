/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The moving average of historical-service-time, in fixed point with 10 bits
 * behind the point. The longer a sample is, the more it weighs, as if it were
 * several: the old value keeps base^(n+1) for a sample of n times 2^24 ns (16.8 ms),
 * and nothing from n = 63 on.
 */
#ifndef SIM_PEERS_HST_AVERAGE_H
#define SIM_PEERS_HST_AVERAGE_H

#include <algorithm>
#include <array>
#include <cstdint>

constexpr unsigned int hst_shift = 10;
constexpr uint64_t hst_one = 1 << hst_shift;

class HstAverage {
public:
	explicit HstAverage(uint64_t base)
	{
		for (unsigned int n = 0; n + 1 < keep_.size(); n++)
			keep_[n] = power(base, n + 1);
	}

	uint64_t next(uint64_t average, uint64_t sample_ns) const
	{
		uint64_t keep = keep_[std::min<uint64_t>(sample_ns >> 24, keep_.size() - 1)];

		return rounded(average * keep + sample_ns * hst_one * (hst_one - keep));
	}

	/* Base 2 and by squares: each step rounds, so another order has other results. */
	static uint64_t power(uint64_t base, unsigned int n)
	{
		uint64_t result = hst_one;

		for (; n; n >>= 1, base = rounded(base * base))
			if (n & 1)
				result = rounded(result * base);
		return result;
	}

private:
	static uint64_t rounded(uint64_t product)
	{
		return (product + hst_one / 2) >> hst_shift;
	}

	std::array<uint64_t, 64> keep_ = {};
};

#endif
