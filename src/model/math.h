/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arithmetic of path selection: size classes, load, latency ticks, averages and cost. Uses no
 * kernel object, clock, lock or allocation, and compiles in user space. Functions for the fast
 * path do not divide: lw_class(), lw_blocks(), lw_load(), lw_ticks(), lw_cost().
 */
#ifndef LW_MATH_H
#define LW_MATH_H

#include "model/constants.h"

#ifdef __KERNEL__
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>
#else
#include "shim.h"
#endif

/*
 * Size classes, as proposed on the NVMe list; each has its own counts. A power of two belongs to
 * the class that it closes. Flushes, and what exceeds LW_DATA_MAX or what the path takes at once,
 * are not data; shorter discards count as data.
 */
enum lw_size_class {
	LW_CLASS_ZERO,		/* flush, passthrough */
	LW_CLASS_32K,		/* 1 byte .. 32 KiB */
	LW_CLASS_64K,
	LW_CLASS_128K,
	LW_CLASS_256K,
	LW_CLASS_512K,
	LW_CLASS_1M,
	LW_CLASS_MORE,		/* above 1 MiB .. LW_DATA_MAX */
	LW_CLASS_HUGE,		/* above LW_DATA_MAX, or longer than a request of the path */
	LW_CLASSES
};

/* Longest data; max_sectors_kb is far smaller in the field, but bios are longer. */
#define LW_DATA_MAX	(16U << 20)

/**
 * lw_class() - size class of an I/O
 * @bytes: length of the I/O, any value
 * Return: its class. (bytes - 1) >> 15 is 0 up to 32 KiB and doubles with the size, so fls()
 * counts the classes above the first.
 */
static inline unsigned int lw_class(size_t bytes)
{
	unsigned int above;

	/* The usual case; 0 wraps. */
	if (bytes - 1 < 32U << 10)
		return LW_CLASS_32K;
	if (!bytes)
		return LW_CLASS_ZERO;
	if (bytes > LW_DATA_MAX)
		return LW_CLASS_HUGE;
	above = fls((unsigned int)(bytes - 1) >> 15);
	return min_t(unsigned int, LW_CLASS_32K + above, LW_CLASS_MORE);
}

/**
 * lw_blocks() - length of an I/O in blocks of 4 KiB
 * @bytes: length of the I/O; above LW_DATA_MAX it moves no data over the path and counts as 1 MiB
 * Return: 0 .. 4096. Half a million of the largest fit into 31 bits; queues hold some 10^4
 * requests.
 */
static inline u32 lw_blocks(size_t bytes)
{
	if (bytes > LW_DATA_MAX)
		bytes = 1U << 20;
	return bytes >> 12;
}

/* Load is counted in I/Os, in Q8: each is 1 plus the price of its blocks (lw_block_cost()). */
#define LW_IO		256U			/* an I/O without data */
#define LW_LOAD_LIMIT	BIT_ULL(31)		/* eight million of them */
#define LW_BLOCK_MAX	BIT(19)			/* a block counts as eight I/Os at most; Q16 */

/**
 * lw_load() - load of I/Os, in Q8
 * @ios: number of I/Os
 * @blocks: their total length
 * @block_cost: price of a block, in Q16 of an I/O, up to LW_BLOCK_MAX
 */
static inline u32 lw_load(u32 ios, u32 blocks, u32 block_cost)
{
	return min_t(u64, (u64)ios * LW_IO + (((u64)blocks * block_cost) >> 8),
		     LW_LOAD_LIMIT);
}

/* Unit of published latencies: 16 ns. 32 bits hold 68 s. */
#define LW_TICK_SHIFT	4
#define LW_TICKS_MAX	(U32_MAX - 1)
#define LW_TICKS_AVOID	U32_MAX		/* costs more than any measured path */

/**
 * lw_ticks() - convert nanoseconds to ticks
 * @ns: latency
 * Return: 1 .. LW_TICKS_MAX.
 */
static inline u32 lw_ticks(u64 ns)
{
	return clamp_t(u64, ns >> LW_TICK_SHIFT, 1, LW_TICKS_MAX);
}

/* Estimates of a path that select_path() needs. */
struct lw_published {
	u32 base;	/* latency of this I/O without load, in ticks */
	u32 usual;	/* that of usual length: what each knee's worth of load adds */
	u32 inv_knee;	/* 2^30 / knee */
	u32 inv_ios;	/* 2^30 / knee in I/Os of usual length */
	u32 inv_most;	/* 2^30 / largest knee of all paths */
	u32 max_penalty;	/* the option, in Q10 */
	u32 block_cost;	/* see lw_load() */
	u32 hung;	/* load of I/Os that are taken for lost */
	u32 hung_ios;	/* their number */
};

#define LW_ONE		1024U	/* 1 in Q10 */
#define LW_OVERLOAD_RATIO_MAX	(2 * LW_ONE + LW_ONE / 2 - LW_ONE / 8)	/* 2.375^8 = 1012 */
#define LW_COST_TICKS	BIT_ULL(41)	/* ten hours; longer latencies cost no more */
#define LW_KNEE_LEAST	LW_IO
#define LW_KNEE_MOST	0x10000000U
#define LW_RATIO_MAX	0x1000000U

/* 2^30 / knee, for lw_ratio(). */
static inline u32 lw_inverse(u64 knee)
{
	return (1U << 30) / (u32)clamp_t(u64, knee, LW_IO, LW_KNEE_MOST);
}

/* load / knee in Q10, at most @most; @load is at most 2^31 and @inv 2^22. */
static inline u32 lw_ratio(u32 load, u32 inv, u32 most)
{
	return min_t(u64, ((u64)load * inv) >> 20, most);
}

/*
 * x^8 in Q10, at most @most. Below half of the knee it is 0: it would be less than 1/256, but
 * decide between equal paths, one of them hardly measured.
 */
static inline u32 lw_overload(u32 x, u32 most)
{
	u32 part = min(x, LW_OVERLOAD_RATIO_MAX), x2 = (part * part) >> 10, x4 = (x2 * x2) >> 10;

	return x > LW_ONE / 2 ? min_t(u32, (x4 * x4) >> 10, most) : 0;
}

/* The part of the cost that distributes I/O among paths which are alike. */
static inline u64 lw_cost_spread(const struct lw_published *p, u32 inflight)
{
	return ((u64)p->usual * lw_ratio(inflight, p->inv_most, LW_RATIO_MAX)) >> 2;
}

/* Least that lw_cost() may be, whatever the knee. */
static inline u64 lw_cost_least(const struct lw_published *p, u32 inflight)
{
	return (u64)p->base * LW_ONE + lw_cost_spread(p, inflight);
}

/**
 * lw_cost() - expected cost of an I/O on a path
 * @p: estimates of the path
 * @inflight: load in flight on the path
 * @own: load of this I/O
 * @ios: I/Os in flight on the path
 *
 * With x = (inflight + own) / knee, or 0 if nothing is in flight, as an I/O does not queue behind
 * itself:
 *
 *	latency = base + usual * max(0, x - 1)
 *	cost    = latency * (1 + min(x^8, max_penalty)) + usual * inflight / most / 4
 *
 * In x^8, x is at most that by number, (ios + 1) / inv_ios: large I/Os are lumps of work, which are
 * no overload. docs/how-it-works.md explains the terms. x^8 counts above half of the knee only.
 *
 * Return: the cost, below 2^62: latency is at most 2^41, the factor 1001 * 2^10, the last term
 * 2^56.
 */
static inline u64 lw_cost(const struct lw_published *p, u32 inflight, u32 own, u32 ios)
{
	u32 x = inflight ? lw_ratio(inflight + own, p->inv_knee, LW_RATIO_MAX) : 0;
	u64 latency = p->base;

	if (x > LW_ONE)
		latency = min_t(u64, latency + (((u64)p->usual * (x - LW_ONE)) >> 10),
				LW_COST_TICKS);
	x = min(x, lw_ratio((ios + 1) * LW_IO, p->inv_ios, LW_RATIO_MAX));
	return latency * (LW_ONE + lw_overload(x, p->max_penalty)) +
	       lw_cost_spread(p, inflight);
}

/* Longest latency that is distinguished, an hour: 2^42 ns. */
#define LW_NS_MAX	BIT_ULL(42)

/**
 * lw_ewma() - exponentially weighted moving average
 * @avg: average so far, 0 for none, up to LW_NS_MAX
 * @sample: new value, clamped to 1 .. LW_NS_MAX
 * @shift: weight of the sample is 1 / 2^shift, 0 .. 10
 * Return: the new average, never 0. Products stay below 2^52.
 */
static inline u64 lw_ewma(u64 avg, u64 sample, unsigned int shift)
{
	u64 next;

	sample = clamp_t(u64, sample, 1, LW_NS_MAX);
	if (!avg)
		return sample;
	next = ((avg << shift) - avg + sample + (1ULL << shift >> 1)) >> shift;
	return max_t(u64, next, 1);
}

/* value * is / was, at most 256 * value; rounded, as thousands of windows add up. */
#define LW_SCALE_MAX	256U
static inline u64 lw_scaled(u64 value, u64 is, u64 was)
{
	u64 ratio = min_t(u64, div64_u64((min_t(u64, is, LW_NS_MAX) << 16) + was / 2,
					 max_t(u64, was, 1)),
			  LW_SCALE_MAX << 16);

	return max_t(u64, (min_t(u64, value, 1ULL << 39) * ratio + (1 << 15)) >> 16, 1);
}

/* a * 256 / b, where a * 256 may not fit. */
static inline u64 lw_quotient_q8(u64 a, u64 b)
{
	b = max_t(u64, b, 1);
	return a >> 56 ? div64_u64(a, b) << 8 : div64_u64(a << 8, b);
}

/* The same of a signed a, limited to 2^30. */
static inline s64 lw_signed_q8(s64 a, u64 b)
{
	const s64 most = 1LL << 30;

	a = clamp_t(s64, a, -(1LL << 54), 1LL << 54) * 256;
	return clamp_t(s64, div64_s64(a, max_t(u64, b, 1)), -most, most);
}

/**
 * lw_probe_period_ms() - time between probes of an unused path
 * @lat_ns: expected latency of a probe
 * @inflight: I/Os in flight on all paths
 * @min_ms: shortest period
 * @max_ms: longest period
 * Return: the period at which probes occupy 1/64 of @inflight, within the limits, in ms.
 */
static inline unsigned int lw_probe_period_ms(u64 lat_ns, u64 inflight,
					      unsigned int min_ms,
					      unsigned int max_ms)
{
	u64 ms = div64_u64(lat_ns << 6, max_t(u64, inflight, 1) * 1000000);

	return clamp_t(u64, ms, min_ms, max_ms);
}

#endif
