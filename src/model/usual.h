/* SPDX-License-Identifier: GPL-2.0 */
/* Usual length of a path's I/Os and its effect on latency, as part of step 4 of a window. */
#ifndef LW_USUAL_H
#define LW_USUAL_H

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
	unsigned long known = 0;
	unsigned int c;

	lw_for_each_class(c, s) {
		const struct lw_class_state *k = &s->cls[c];
		s64 weight = lw_size_weight(s, c);

		n += weight;
		known |= weight ? BIT(c) : 0;
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
	lw_size_latency_fit(&s->size, div64_s64(with, n), div64_s64(spread, n),
			    s->elsewhere.classes & ~known);
}

/* Additional latency if this part of the I/Os are writes, over the usual part. */
static inline s64 lw_writes_longer_ns(const struct lw_path_state *s, u32 writes_q16)
{
	return (((s64)writes_q16 - s->writes_q16) * s->write.longer_ns) >> 16;
}

/* Additional latency of an operation over the usual mix. */
static inline s64 lw_op_longer_ns(const struct lw_path_state *s, enum lw_op op)
{
	if (op == LW_OP_DATA)
		return 0;
	if (op == LW_OP_OTHER)
		return s->other.longer_ns;
	return lw_writes_longer_ns(s, op == LW_OP_WRITE ? LW_WRITES_ALL : 0);
}

/* Latency of an idle path for an operation, from that of the usual mix. */
static inline u64 lw_op_base(const struct lw_path_state *s, enum lw_op op, u64 usual_ns)
{
	return max_t(s64, (s64)usual_ns + lw_op_longer_ns(s, op), usual_ns / 64 + 1);
}

/* Inverse of lw_op_base(), but by ratio: luck shortens an I/O by a part of its time. */
static inline u64 lw_op_usual(const struct lw_path_state *s, enum lw_op op, u64 ns)
{
	return op == LW_OP_DATA ? ns : lw_scaled(ns, s->lat_ns, lw_op_base(s, op, s->lat_ns));
}

/* Additional latency of the window's I/Os over usual ones, by their length and operation. */
static inline s64 lw_unusual_ns(const struct lw_path_state *s)
{
	return lw_size_longer_ns(&s->size, s->size.mean_q4) +
	       lw_writes_longer_ns(s, s->mean_writes_q16);
}

/* Convert the time held by @ios I/Os of the window to usual ones. */
static inline s64 lw_of_usual(const struct lw_path_state *s, s64 held_ns, u64 ios)
{
	s64 longer = lw_unusual_ns(s);

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
 * How much longer writes take than reads of the same length, if the window has both. If they differ
 * in length by so much that this alone explains a difference, none is seen.
 */
static inline void lw_write_learn(struct lw_path_state *s, u64 blocks)
{
	const struct lw_op_samples *w = &s->writes;
	u64 reads = s->stamped_data.count - min(w->count, s->stamped_data.count);
	s64 longer_ns, longer_q4, by_length_ns;

	if (!w->count || !reads)
		return;
	longer_ns = div64_u64(w->took_ns, w->count) -
		    div64_u64(s->stamped_data.sum_ns - min(w->took_ns, s->stamped_data.sum_ns),
			      reads);
	longer_q4 = div64_u64(w->blocks << 4, w->count) -
		    div64_u64((blocks - min(w->blocks, blocks)) << 4, reads);
	by_length_ns = longer_q4 * (s64)s->size.block_q4 / 256;
	longer_ns -= by_length_ns;
	if (abs(by_length_ns) > (s64)(s->base_ns / LW_OP_LENGTH))
		longer_ns = 0;
	lw_op_learn(&s->write, longer_ns, min(w->count, reads));
}

/* Part of writes in the window; the usual one if it is unknown. */
static inline u32 lw_mean_writes(const struct lw_path_state *s)
{
	if (!s->writes_known || !s->stamped_data.count)
		return s->writes_q16;
	return min_t(u64, div64_u64(s->writes.count << 16, s->stamped_data.count), LW_WRITES_ALL);
}

/* The usual latency grew, so the operation exceeds it by that much less. */
static inline void lw_op_lengthen(struct lw_op_latency *o, s64 by)
{
	if (!o->weight)
		return;
	by = clamp_t(s64, by, -LW_OP_LONGEST, LW_OP_LONGEST);
	o->sum -= by * o->weight;
	o->longer_ns -= by;
}

/* Let latency and base refer to I/Os of this length, of which this part are writes. */
static inline void lw_refer_to(struct lw_path_state *s, u64 usual_q4, u32 writes_q16)
{
	s64 by = lw_size_longer_ns(&s->size, usual_q4) + lw_writes_longer_ns(s, writes_q16);

	s->size.usual_q4 = usual_q4;
	s->writes_q16 = writes_q16;
	s->base_ns = lw_lengthened(s->base_ns, by);
	s->baseline_ns = lw_lengthened(s->baseline_ns, by);
	lw_little_lengthen(&s->data, by);
	lw_little_lengthen(&s->stamps, by);
	lw_op_lengthen(&s->other, by);
}

/*
 * Update the usual length and part of writes, and with them latency and base. Not in a queue:
 * there the price of size is less exact, and nothing would correct the base.
 */
static inline void lw_estimate_usual(struct lw_path_state *s, u64 blocks, u64 done)
{
	s->size.mean_q4 = clamp_t(u64, div64_u64(blocks << 4, done), 1, LW_DATA_MAX >> 8);
	s->mean_writes_q16 = lw_mean_writes(s);
	if (s->writes_known)
		lw_write_learn(s, blocks);
	if (!s->size.usual_q4)
		s->writes_q16 = s->mean_writes_q16;
	else if (s->queues)
		return;
	lw_refer_to(s, lw_ewma(s->size.usual_q4, s->size.mean_q4, LW_SIZE_MEMORY),
		    s->writes_q16 + ((s32)(s->mean_writes_q16 - s->writes_q16) >> LW_SIZE_MEMORY));
}

#endif
