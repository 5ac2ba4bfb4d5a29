/* SPDX-License-Identifier: GPL-2.0 */
/* State of a path, owned by the caller (in the module: under struct lw_device.lock). */
#ifndef LW_STATE_H
#define LW_STATE_H

#include "model/counters.h"
#include "model/hung.h"
#include "model/operation.h"
#include "model/outlier.h"
#include "model/size.h"
#include "model/trend.h"

/* Stamped samples. */
struct lw_samples {
	u64 sum_ns;	/* sum of latencies */
	u64 count;	/* number of samples */
};

static inline void lw_samples_add(struct lw_samples *s, u64 sum_ns, u64 count)
{
	if (!sum_ns || s->sum_ns >> 62)
		return;
	s->sum_ns += min_t(u64, sum_ns, 1ULL << 62);
	s->count += count;
}

static inline u64 lw_samples_mean(const struct lw_samples *s)
{
	return s->count ? div64_u64(s->sum_ns, s->count) : 0;
}

/* One class of a path, over all CPUs. */
struct lw_class_state {
	struct lw_counters was;	/* totals at the end of the last window */
	struct lw_little little;	/* latency by Little's law */
	u64 lat_ns;		/* last known latency, 0 for none */
	u64 blocks;		/* mean length of an I/O */
	u64 seen_ns;		/* last completion, in lw_path_state.active_ns, 0 for none */
	u64 inflight;		/* I/Os in flight at the end of the last window */
};

/* What had samples in a window. */
struct lw_seen {
	unsigned long classes;	/* of data, a bit each */
	u64 nodes;		/* a bit each, see lw_node_bit() */
};

/* Nodes that share a bit, from 64 on, are taken for one. */
static inline u64 lw_node_bit(unsigned int node)
{
	return 1ULL << (node % 64);
}

/*
 * One path, over all CPUs. "Window" is the last one; load, rate and knee are in I/Os of usual
 * length, see lw_usual_load(). load_met considers two windows: completions may have started in
 * either, and the last I/Os of a burst queued behind earlier ones. A path is validated by its
 * first completion that was started since it was new, stalled or was reinstated; until then it
 * gets only probes.
 */
struct lw_path_state {
	unsigned long classes;		/* bit per class ever used */
	unsigned int ewma_shift;	/* weight of a window in a latency is 1 / 2^ewma_shift */
	u64 closed_ns;			/* end of the window */
	u64 elapsed_ns;			/* its length */
	u64 idle_ns;			/* total idle time up to its end */
	bool stood_still;		/* so did the machine, in this window */
	u32 busy_q10;			/* part of the window with I/O in flight, in Q10 */
	u64 active_ns;			/* sum of windows, a clock that stops without traffic */
	u64 no_completion_ns;		/* active time with I/O in flight and no completion */
	u64 stall_timeout_ns;		/* stall timeout while not validated */
	u64 inflight;			/* I/Os in flight at the end of the window */
	u64 held;			/* mean I/Os in flight while not idle, in Q8 */
	u64 held_blocks;		/* their blocks */
	u64 load;			/* mean load in flight while not idle, in Q8 */
	u64 load_met;			/* max(load, load of the window before) */
	u64 rate;			/* load completed per second while not idle, in Q8 */
	u64 ios;			/* I/Os completed per second while not idle */
	u64 blocks;			/* blocks completed per second while not idle */
	u64 knee;			/* load in flight at which queueing begins, in Q8 */
	unsigned int flat;		/* windows at the knee without a queue */
	struct lw_size_latency size;	/* effect of size on latency */
	struct lw_op_latency other;	/* by how much I/Os without data take longer than data */
	struct lw_op_latency write;	/* by how much a write takes longer than a read */
	u32 writes_q16;			/* usual part of writes, to which latency and base refer */
	u32 mean_writes_q16;		/* part of writes in the last window */
	struct lw_op_seen op[LW_OPS];	/* completions by operation; not of LW_OP_DATA */
	struct lw_little data;		/* latency of data by Little's law */
	struct lw_little stamps;	/* the same by stamps, blind to waiting before the driver */
	u64 lat_ns;	/* latency of data, of an I/O of usual length; 0 for unknown */
	unsigned int seen_windows;	/* windows in it since the path was invalidated */
	u64 base_ns;	/* the part of lat_ns that the path's load does not explain */
	bool first_counts;		/* for base_ns: no stall since the path was new */
	u64 first_ns;			/* first sample that base_ns came from, 0 for none */
	u64 baseline_ns;		/* moving average of lat_ns */
	u64 noise_q16;			/* mean relative deviation of lat_ns from that */
	u64 slope_ns;			/* latency that a further knee's worth of load adds */
	u32 block_cost;			/* price of a block, in Q16 of an I/O without data */
	struct lw_span span;		/* current span of windows */
	struct lw_outliers outliers;	/* I/Os that took many times the base */
	struct lw_trend trend;		/* does throughput follow the load? */
	struct lw_dip dip;		/* lowers the load for a while, so that trend can tell */
	bool queues;			/* latency above the base, possibly due to load */
	struct lw_seen seen;		/* in the window */
	struct lw_seen elsewhere;	/* on any path of the selector in the window before */
	u64 recent_q8;			/* I/Os started per window, moving average, in Q8 */
	u64 starts;			/* I/Os started in the window */
	u64 ends;			/* I/Os ended in it */
	u64 done;			/* valid completions in it */
	u64 samples;			/* those of classes in which any had a stamp */
	struct lw_samples stamped_data;	/* those of data */
	struct lw_op_samples writes;	/* the writes among those; nothing unless writes_known */
	u64 old;			/* I/Os in flight from before the path was invalidated */
	struct lw_hung hung;		/* those from before the last reinstatement */
	bool open;			/* nothing has yet limited the knee */
	bool stamped;			/* the last samples had a stamp */
	bool writes_known;		/* writes are counted: somebody wants it, and it works */
	bool validated;			/* validated */
	bool stalled;			/* I/O in flight, but nothing completes */
	bool resumes;			/* only stalled: use it once anything completes */
	bool lives;			/* an invalid I/O ended a stall: probe again */
	bool mixed;			/* some I/Os in flight in the window were old */
	struct lw_class_state cls[LW_CLASSES];	/* last, as most classes are not read */
};

/* Load of an I/O of usual length, in Q8. */
static inline u32 lw_usual_load(const struct lw_path_state *s)
{
	return lw_load(1, s->size.usual_q4 >> 4, s->block_cost);
}

/* I/Os in flight without those that hang since before a reinstatement. */
static inline u64 lw_newer_inflight(const struct lw_path_state *s)
{
	return s->inflight - min(s->hung.ios, s->inflight);
}

/* Leave them out of what was in flight in the window: they are no load. */
static inline void lw_leave_out_hung(struct lw_path_state *s)
{
	u64 hung = s->hung.ios * LW_IO, blocks = (hung * s->hung.blocks_q4) >> 4;

	s->held -= min(s->held, hung);
	s->held_blocks -= min(s->held_blocks, blocks);
}

#define lw_for_each_class(c, s)	for_each_set_bit(c, &(s)->classes, LW_CLASSES)

static inline bool lw_class_is_data(unsigned int c)
{
	return c >= LW_CLASS_32K && c <= LW_CLASS_MORE;
}

/**
 * lw_class_known() - class that stands in for one never measured
 * @s: the path
 * @c: the class
 * Return: @c if known, else the nearest smaller, else the nearest larger known class; the class
 * without data comes last, as it tells nothing of data. LW_CLASSES if none is known.
 */
static inline unsigned int lw_class_known(const struct lw_path_state *s,
					  unsigned int c)
{
	unsigned int k;

	if (s->cls[c].lat_ns)
		return c;
	for (k = c; k-- > LW_CLASS_32K; )
		if (s->cls[k].lat_ns)
			return k;
	for (k = c + 1; k < LW_CLASSES; k++)
		if (s->cls[k].lat_ns)
			return k;
	return s->cls[LW_CLASS_ZERO].lat_ns ? LW_CLASS_ZERO : LW_CLASSES;
}

/* Latency of data, or else of what is known; 0 for unknown. */
static inline u64 lw_path_lat(const struct lw_path_state *s)
{
	unsigned int known = lw_class_known(s, LW_CLASS_32K);

	if (s->lat_ns || known == LW_CLASSES)
		return s->lat_ns;
	return s->cls[known].lat_ns;
}

#endif
