/* SPDX-License-Identifier: GPL-2.0 */
/* What users see of a path, in their units; decides nothing. */
#ifndef SHOWN_H
#define SHOWN_H

#include "model/choose.h"
#include "model/bracket.h"

/* State of a path in a selector, the fourth word of its status. */
enum lw_state {
	LW_STATE_NEW,		/* unknown */
	LW_STATE_ACTIVE,
	LW_STATE_PROBING,	/* slow: probes, and I/O that others cannot carry; or stalled */
	LW_STATE_RAMPING,	/* reinstated, not measured since */
	LW_STATE_FAILED,
};

/* Source of latencies, the last word of a path's status. */
enum lw_source {
	LW_SOURCE_NONE,
	LW_SOURCE_STAMPS,		/* time stamps, completed by Little's law */
	LW_SOURCE_LITTLE,		/* Little's law alone */
};

/* Eligibility of the chosen path. */
static inline enum lw_use lw_choice_use(const struct lw_choice *choice)
{
	if (choice->cost < LW_COST_LAST)
		return LW_USE;
	return (enum lw_use)((choice->cost - LW_COST_LAST) >> 32);
}

/* Its lw_cost(), 0 if it was chosen otherwise. */
static inline u64 lw_choice_cost(const struct lw_choice *choice)
{
	return choice->cost < LW_COST_LAST ? choice->cost : 0;
}

/* Convert load, rate or knee to whole I/Os without data, rounded. */
static inline u64 lw_load_ios(const struct lw_path_state *s, u64 load)
{
	u64 unit = (u64)LW_IO * LW_IO;

	return div64_u64(load * lw_usual_load(s) + unit / 2, unit);
}

/* Base latency in ns; latency if there is none. */
static inline u64 lw_path_base_lat(const struct lw_path_state *s)
{
	return s->capacity.base_ns ? s->capacity.base_ns : lw_path_lat(s);
}

/* Base latency of an operation in ns; 0 while the path has completed none. */
static inline u64 lw_path_op_base(const struct lw_path_state *s, enum lw_op op)
{
	return s->kinds.op[op].done ? lw_op_base(&s->kinds, op, lw_path_base_lat(s)) : 0;
}

/* Variation of the latency in per cent, rounded. */
static inline u32 lw_path_noise_percent(const struct lw_path_state *s)
{
	return (s->latency.noise_q16 * 100 + (1 << 15)) >> 16;
}

/* Price of 4 KiB in thousandths of an I/O without data, rounded. */
static inline u32 lw_path_block_milli(const struct lw_path_state *s)
{
	return ((u64)s->capacity.block_cost * 1000 + (1 << 15)) >> 16;
}

/* Latency that 4 KiB add, ns. */
static inline u64 lw_path_block_ns(const struct lw_path_state *s)
{
	return s->kinds.size.block_q4 >> 4;
}

static inline enum lw_source lw_path_source(const struct lw_path_state *s)
{
	if (lw_class_known(&s->latency, LW_CLASS_32K) == LW_CLASSES)
		return LW_SOURCE_NONE;
	return s->health.stamped ? LW_SOURCE_STAMPS : LW_SOURCE_LITTLE;
}

/* Relative weight of a path, 1024 for the best. */
static inline u32 lw_weight_part(u32 ticks, u32 best)
{
	u64 ratio = div64_u64((u64)best << 10, max_t(u32, ticks, 1));

	return (ratio * ratio) >> 10;
}

/**
 * lw_weight() - share of the traffic that the latencies imply
 * @ticks: latency of the path
 * @best: least latency of all paths
 * @sum: sum of lw_weight_part() over the paths
 * Return: 0 .. 128. By Little's law, a closed loop with work in flight proportional to 1 / latency
 * has throughputs proportional to 1 / latency^2.
 */
static inline u32 lw_weight(u32 ticks, u32 best, u64 sum)
{
	if (!sum)
		return 0;
	return div64_u64(128 * (u64)lw_weight_part(ticks, best) + sum / 2, sum);
}

#endif
