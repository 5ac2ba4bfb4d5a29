/* SPDX-License-Identifier: GPL-2.0 */
/* Operations, which take different times on different paths. */
#ifndef LW_MODEL_OPERATION_H
#define LW_MODEL_OPERATION_H

#include "model/constants.h"
#include "model/math.h"

/* What an I/O does. Without by_operation, all data is LW_OP_DATA. */
enum lw_op {
	LW_OP_DATA,	/* a read or a write, nobody knows which */
	LW_OP_READ,
	LW_OP_WRITE,
	LW_OP_OTHER,	/* flush, passthrough; discard and the like, if it is known */
	LW_OPS
};

#define lw_for_each_op(op, ops)	for_each_set_bit(op, ops, LW_OPS)

#define LW_WRITES_ALL	65536U	/* all I/Os are writes, in Q16 */

/* Stamped completions of one operation, of some length. */
struct lw_op_samples {
	u64 count;	/* number of completions */
	u64 blocks;	/* their total length */
	u64 took_ns;	/* sum of their latencies */
};

/* What was added to the totals since the last call. */
static inline struct lw_op_samples lw_take_op_samples(const struct lw_op_samples *is,
						      struct lw_op_samples *was)
{
	struct lw_op_samples new = {
		.count = is->count - was->count,
		.blocks = is->blocks - was->blocks,
		.took_ns = is->took_ns - was->took_ns,
	};

	*was = *is;
	return new;
}

/* Completions of an operation. */
struct lw_op_seen {
	u64 done;	/* so far */
	u64 seen_ns;	/* the last one, in lw_counted.active_ns */
};

/*
 * By how much an operation takes longer than another one on the same path. Both wait in the same
 * queue, so the difference is that of an idle path.
 */
struct lw_op_latency {
	s64 sum;	/* fading sum of weighted differences */
	s64 weight;	/* of the weights */
	s64 longer_ns;	/* their mean; 0 until known */
};

/**
 * lw_op_learn() - add the difference that a window shows
 * @o: what is known
 * @longer_ns: difference of the mean latencies
 * @ios: completions of the rarer operation
 */
static inline void lw_op_learn(struct lw_op_latency *o, s64 longer_ns, u64 ios)
{
	/* In 1/256, so that parts of an I/O fade, too. */
	s64 weight = min_t(u64, ios, LW_OP_WEIGHT) << 8;

	longer_ns = clamp_t(s64, longer_ns, -LW_OP_LONGEST, LW_OP_LONGEST);
	o->sum += longer_ns * weight - (o->sum >> LW_OP_MEMORY);
	o->weight += weight - (o->weight >> LW_OP_MEMORY);
	o->longer_ns = div64_s64(o->sum, max_t(s64, o->weight, 1));
}

#endif
