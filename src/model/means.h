/* SPDX-License-Identifier: GPL-2.0 */
/* Fading sums over windows, from which latency, load and mixture of a path are quotients. */
#ifndef LW_MEANS_H
#define LW_MEANS_H

#include "model/math.h"

/* All but times in Q8, so that parts of an I/O fade, too. */
enum lw_sum {
	LW_HELD_NS,	/* I/O-nanoseconds of data in flight */
	LW_DONE,	/* valid completions of data */
	LW_STARTS,	/* starts of any I/O */
	LW_GREW,	/* by how many more I/Os started than ended */
	LW_SEEN,	/* load that each start found, itself included, in usual I/Os */
	LW_SEEN_IOS,	/* the same in I/Os of any length */
	LW_STAMPED_NS,	/* latencies of stamped completions of data */
	LW_STAMPED,	/* those completions */
	LW_BLOCKS,	/* blocks of LW_DONE */
	LW_WRITES,	/* writes among LW_STAMPED */
	LW_SUMS
};

struct lw_means {
	s64 sum[LW_SUMS];
};

#define LW_SUM_MOST	BIT_ULL(46)	/* of a window, so that products of 256 windows fit */

static inline void lw_means_add(struct lw_means *to, const struct lw_means *w)
{
	unsigned int i;

	for (i = 0; i < LW_SUMS; i++)
		to->sum[i] += clamp_t(s64, w->sum[i], -(s64)LW_SUM_MOST, LW_SUM_MOST);
}

/* Forget this part, in Q8, of all sums. */
static inline void lw_means_fade(struct lw_means *m, u32 part)
{
	unsigned int i;

	for (i = 0; i < LW_SUMS; i++)
		m->sum[i] -= (m->sum[i] * part) >> 8;
}

/* Mean latency in ns, from a sum of times and a sum of I/Os; 0 without any. */
static inline u64 lw_means_ns(const struct lw_means *m, enum lw_sum ns, enum lw_sum ios)
{
	if (m->sum[ios] <= 0)
		return 0;
	return clamp_t(u64, lw_quotient_q8(max_t(s64, m->sum[ns], 0), m->sum[ios]), 1, LW_NS_MAX);
}

/* Mean latency of data by Little's law. */
static inline u64 lw_means_little_ns(const struct lw_means *m)
{
	return lw_means_ns(m, LW_HELD_NS, LW_DONE);
}

/* Mean latency of data by time stamps, which do not see waits before the driver. */
static inline u64 lw_means_stamped_ns(const struct lw_means *m)
{
	return lw_means_ns(m, LW_STAMPED_NS, LW_STAMPED);
}

/* Load that starts found in the mean, in Q8. */
static inline u64 lw_means_load(const struct lw_means *m)
{
	if (m->sum[LW_STARTS] <= 0)
		return LW_IO;
	return clamp_t(u64, lw_quotient_q8(max_t(s64, m->sum[LW_SEEN], 0), m->sum[LW_STARTS]),
		       LW_IO, LW_LOAD_LIMIT);
}

/* Little's law holds if load neither grows nor shrinks: by an eighth at most. */
static inline bool lw_means_steady(const struct lw_means *m)
{
	return 8 * abs(m->sum[LW_GREW]) <= m->sum[LW_DONE];
}

#endif
