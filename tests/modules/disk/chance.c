// SPDX-License-Identifier: GPL-2.0
/*
 * Random numbers that depend only on a seed, so that a run can be repeated, in
 * integers, as the kernel has no others. The simulator has the same generator
 * and seeds it in the same way (tests/kernel_shim/random.h).
 */
#include <linux/bitops.h>
#include <linux/minmax.h>

#include "lw_testdisk.h"

#define LWT_ONE_BITS	16			/* fixed point: 65536 is 1 */
#define LWT_ONE		(1 << LWT_ONE_BITS)
#define LWT_MAX_POWER	10			/* a delay varies by up to 2^10 */

/* splitmix64: Steele, Lea, Flood, OOPSLA 2014 */
static u64 lwt_next(struct lwt_chance *chance)
{
	u64 z = chance->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/**
 * lwt_chance_seed - begin a sequence
 * @chance: what draws it
 * @seed: of all sequences
 * @stream: tells this one from others of the same seed
 */
void lwt_chance_seed(struct lwt_chance *chance, unsigned int seed,
		     unsigned int stream)
{
	chance->state = seed;
	/* Neighbours in seed or stream must not be one sequence, shifted. */
	chance->state = lwt_next(chance) + stream;
	chance->state = lwt_next(chance);
}

/**
 * lwt_chance_hits - true for a part of the calls
 * @chance: what draws
 * @permille: the part
 */
bool lwt_chance_hits(struct lwt_chance *chance, unsigned int permille)
{
	return ((lwt_next(chance) >> 32) * 1000) >> 32 < permille;
}

/*
 * The sum of 256 coin tosses, smoothed by a uniform number: nearly normal. The
 * mean is 0, the standard deviation sqrt(64 + 1/12); fixed point.
 */
static s64 lwt_bell(struct lwt_chance *chance)
{
	s64 heads = 0;
	int i;

	for (i = 0; i < 4; i++)
		heads += hweight64(lwt_next(chance));
	return (heads - 128) * LWT_ONE +
	       (s64)(lwt_next(chance) >> (64 - LWT_ONE_BITS)) - LWT_ONE / 2;
}

/* value * 2^power, within 0.02 %, for values below 2^46. Fixed point: power. */
static u64 lwt_times_exp2(u64 value, s64 power)
{
	s64 most = LWT_MAX_POWER * LWT_ONE;
	s64 cut = clamp(power, -most, most);
	u64 f = cut & (LWT_ONE - 1);
	u64 part = 14831 + (f * 5129 >> LWT_ONE_BITS);

	/* the cubic that is nearest to 2^f from 0 to 1 */
	part = 45575 + (f * part >> LWT_ONE_BITS);
	part = LWT_ONE + (f * part >> LWT_ONE_BITS);
	return value * part >> (LWT_ONE_BITS - (cut >> LWT_ONE_BITS));
}

/**
 * lwt_chance_lognormal - a number whose logarithm is normally distributed
 * @chance: what draws
 * @median: half of the numbers are above it; below 2^46
 * @sigma_permille: standard deviation of the natural logarithm, in thousandths
 */
u64 lwt_chance_lognormal(struct lwt_chance *chance, u64 median,
			 unsigned int sigma_permille)
{
	/* 774037 / 2^32 is log2(e) / 1000 / sqrt(64 + 1/12). */
	s64 power = (lwt_bell(chance) * sigma_permille * 774037) >> 32;

	return lwt_times_exp2(median, power);
}
