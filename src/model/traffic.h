/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much traffic a path had lately, to be held against that of other paths. Over a
 * plain struct; whoever calls has its lock.
 */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include "model/math.h"

/* What counts for half: a few of the second's probes, and not the minute before. */
#define LW_TRAFFIC_HALF_MS	2000U

/**
 * struct lw_traffic - I/Os, fading
 * @ios_q16: of them, in 1/65536, as of
 * @at_ns: this time
 *
 * By the time that passes, and not by windows: a path whose selector rests, because another
 * priority group has the traffic, fades, too.
 */
struct lw_traffic {
	u64 ios_q16;
	u64 at_ns;
};

/**
 * lw_traffic_at() - what is left of it
 * @t: the traffic
 * @now_ns: when
 *
 * Half for each two seconds, however many steps that takes: in between by the parabola
 * through both ends whose slope at the beginning is that of 2^-x, ln 2. 10^7 IOPS make
 * 2^41, so the product with 1000ths does not overflow.
 */
static inline u64 lw_traffic_at(const struct lw_traffic *t, u64 now_ns)
{
	u64 ms = div64_u64(max_t(s64, now_ns - t->at_ns, 0), 1000000);
	u64 halves = div64_u64(ms, LW_TRAFFIC_HALF_MS);
	u64 left = halves < 64 ? t->ios_q16 >> halves : 0;
	u64 gone;

	ms -= halves * LW_TRAFFIC_HALF_MS;
	gone = 693 * ms - 193 * ms * ms / LW_TRAFFIC_HALF_MS;
	return left - div64_u64(left * gone, 1000 * LW_TRAFFIC_HALF_MS);
}

/* @ios more, at the end of a window. */
static inline void lw_traffic_add(struct lw_traffic *t, u64 ios, u64 now_ns)
{
	t->ios_q16 = lw_traffic_at(t, now_ns) + (min_t(u64, ios, 1U << 24) << 16);
	t->at_ns = now_ns;
}

#endif
