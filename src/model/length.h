/* SPDX-License-Identifier: GPL-2.0 */
/* Usual length of a path's I/Os and its effect on latency, as part of step 4 of a window. */
#ifndef LW_LENGTH_H
#define LW_LENGTH_H

#include "model/constants.h"
#include "model/path_state.h"

#define LW_SIZE_LAT	BIT_ULL(36)	/* a minute, so that products fit into 62 bits */

/* Weight of a class in the fit. */
static inline s64 lw_size_weight(const struct lw_path_state *s, unsigned int c)
{
	const struct lw_class_state *k = &s->cls[c];

	if (!lw_class_is_data(c) || s->active_ns - k->seen_ns > LW_SIZE_OLD_NS)
		return 0;
	return min_t(u64, k->little.done_q4, LW_SIZE_WEIGHT);
}

/* Fit a line through the latencies of the classes. */
static inline void lw_size_learn(struct lw_path_state *s)
{
	s64 n = 0, blocks = 0, lat_ns = 0, with = 0, spread = 0;
	unsigned int c;

	lw_for_each_class(c, s) {
		const struct lw_class_state *k = &s->cls[c];
		s64 weight = lw_size_weight(s, c);

		n += weight;
		blocks += weight * k->blocks;
		lat_ns += weight * min(k->lat_ns, LW_SIZE_LAT);
	}
	if (!n)
		return;
	blocks = div64_s64(blocks, n);
	lat_ns = div64_s64(lat_ns, n);
	lw_for_each_class(c, s) {
		const struct lw_class_state *k = &s->cls[c];
		s64 longer = (s64)k->blocks - blocks, part = longer * lw_size_weight(s, c);

		with += part * ((s64)min(k->lat_ns, LW_SIZE_LAT) - lat_ns);
		spread += part * longer;
	}
	lw_size_latency_fit(&s->size, div64_s64(with, n), div64_s64(spread, n));
}

/* Convert the time held by @ios I/Os of the window to usual length. */
static inline s64 lw_of_usual_length(const struct lw_path_state *s, s64 held_ns, u64 ios)
{
	s64 longer = lw_size_longer_ns(&s->size, s->size.mean_q4);

	return max_t(s64, held_ns - longer * (s64)min_t(u64, ios, 1 << 20), held_ns / 16);
}

/* Adjust a known latency to a longer usual length. */
static inline u64 lw_lengthened(u64 ns, s64 by)
{
	return ns ? max_t(s64, (s64)ns + by, ns / 2 + 1) : 0;
}

static inline void lw_little_lengthen(struct lw_little *q, s64 by)
{
	q->held_ns = lw_lengthened(q->held_ns, by * (s64)min_t(u64, q->done_q4 >> 4, 1 << 20));
}

/*
 * Update the usual length, and with it latency and base. Not in a queue: there the price of size
 * is less exact, and nothing would correct the base.
 */
static inline void lw_estimate_length(struct lw_path_state *s, u64 blocks, u64 done)
{
	u64 usual;
	s64 by;

	s->size.mean_q4 = clamp_t(u64, div64_u64(blocks << 4, done), 1, LW_DATA_MAX >> 8);
	if (s->queues && s->size.usual_q4)
		return;
	usual = lw_ewma(s->size.usual_q4, s->size.mean_q4, LW_SIZE_MEMORY);
	by = lw_size_longer_ns(&s->size, usual);
	s->size.usual_q4 = usual;
	s->base_ns = lw_lengthened(s->base_ns, by);
	s->baseline_ns = lw_lengthened(s->baseline_ns, by);
	lw_little_lengthen(&s->data, by);
	lw_little_lengthen(&s->stamps, by);
}

#endif
