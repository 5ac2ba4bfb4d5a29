/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What users see of a path, in their units. Nothing here decides anything. Functions over
 * plain structs, like model/path_state.h.
 */
#ifndef SHOWN_H
#define SHOWN_H

#include "model/choose.h"
#include "model/path_state.h"

/* What a path is to a selector; the fourth word of its status. */
enum lw_state {
	LW_STATE_NEW,		/* nothing known */
	LW_STATE_ACTIVE,
	LW_STATE_PROBING,	/* slow or stalled: gets probes only */
	LW_STATE_RAMPING,	/* reinstated, not yet measured since */
	LW_STATE_FAILED,
};

/* What latencies are measured by; the last word of a path's status. */
enum lw_source {
	LW_SOURCE_NONE,
	LW_SOURCE_STAMPS,		/* time stamps; Little's law adds what they miss */
	LW_SOURCE_LITTLE,		/* Little's law alone */
};

/* What may be done with the path chosen. */
static inline enum lw_use lw_choice_use(const struct lw_choice *choice)
{
	if (choice->cost < LW_COST_LAST)
		return LW_USE;
	return (enum lw_use)((choice->cost - LW_COST_LAST) >> 32);
}

/* What lw_cost() said of it; 0 if it was not asked. */
static inline u64 lw_choice_cost(const struct lw_choice *choice)
{
	return lw_choice_use(choice) == LW_USE ? choice->cost : 0;
}

/* What is kept in I/Os of usual length, in whole I/Os without data, rounded: load, rate, knee. */
static inline u64 lw_load_ios(const struct lw_path_state *s, u64 load)
{
	u64 unit = (u64)LW_IO * LW_IO;

	return div64_u64(load * lw_usual_load(s) + unit / 2, unit);
}

/* The part of it that the path's own load does not explain, as it is shown. */
static inline u64 lw_path_base_lat(const struct lw_path_state *s)
{
	return s->base_ns ? s->base_ns : lw_path_lat(s);
}

/* By how much the latency varies, in per cent, rounded. */
static inline u32 lw_path_noise_percent(const struct lw_path_state *s)
{
	return (s->noise_q16 * 100 + (1 << 15)) >> 16;
}

/* What 4 KiB cost, in thousandths of what an I/O costs whatever its size, rounded. */
static inline u32 lw_path_block_milli(const struct lw_path_state *s)
{
	return ((u64)s->block_cost * 1000 + (1 << 15)) >> 16;
}

/* What 4 KiB add to the latency, ns. */
static inline u64 lw_path_block_ns(const struct lw_path_state *s)
{
	return s->size.block_q4 >> 4;
}

/* Nothing known, or by what the last latency was measured. */
static inline enum lw_source lw_path_source(const struct lw_path_state *s)
{
	if (lw_class_known(s, LW_CLASS_32K) == LW_CLASSES)
		return LW_SOURCE_NONE;
	return s->stamped ? LW_SOURCE_STAMPS : LW_SOURCE_LITTLE;
}

/* A path's part in lw_weight(), against the best: 1024 for that one. */
static inline u32 lw_weight_part(u32 ticks, u32 best)
{
	u64 ratio = div64_u64((u64)best << 10, max_t(u32, ticks, 1));

	return (ratio * ratio) >> 10;
}

/**
 * lw_weight() - share of the traffic that the latencies imply
 * @ticks: latency of the path
 * @best: least latency of all paths
 * @sum: sum over the paths of lw_weight_part()
 *
 * A closed loop that keeps in-flight work proportional to 1/latency has, by
 * Little's law, throughputs proportional to 1/latency^2.
 *
 * Return: 0 .. 128.
 */
static inline u32 lw_weight(u32 ticks, u32 best, u64 sum)
{
	if (!sum)
		return 0;
	return div64_u64(128 * (u64)lw_weight_part(ticks, best) + sum / 2, sum);
}

#endif
