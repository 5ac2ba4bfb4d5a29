/* SPDX-License-Identifier: GPL-2.0 */
/* Recent traffic of a path, for comparison between paths. The caller holds the struct's lock. */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include "model/math.h"

/* Half-life: longer than a probe period of a second, shorter than a minute. */
#define LW_TRAFFIC_HALF_MS	2000U

/* Fading number of I/Os. By wall time, as the path of an idle priority group fades, too. */
struct lw_traffic {
	u64 ios_q16;	/* number of I/Os in Q16 at at_ns */
	u64 at_ns;	/* time */
};

/**
 * lw_traffic_at() - recent traffic at a time
 * @t: the traffic
 * @now_ns: time
 * Return: I/Os in Q16. 2^-x between half-lives is a parabola with the right ends and initial
 * slope, ln 2. 10^7 IOPS make 2^41, so no product overflows.
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

/* Add @ios at the end of a window. */
static inline void lw_traffic_add(struct lw_traffic *t, u64 ios, u64 now_ns)
{
	t->ios_q16 = lw_traffic_at(t, now_ns) + (min_t(u64, ios, 1U << 24) << 16);
	t->at_ns = now_ns;
}

#endif
