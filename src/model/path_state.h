/* SPDX-License-Identifier: GPL-2.0 */
/* State of a path, owned by the caller (in the module: under struct lw_device.lock). */
#ifndef LW_STATE_H
#define LW_STATE_H

#include "model/counters.h"
#include "model/hung.h"
#include "model/means.h"
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

/* What a class counted in a window. */
struct lw_class_window {
	s64 held_ns;	/* I/O-nanoseconds in flight */
	u64 done;	/* valid completions */
	u64 took_ns;	/* their latencies, by stamps */
};

/* What the last window counted, over all CPUs. Written by step 1; the first six by its caller. */
struct lw_window {
	unsigned int ewma_shift;	/* a window forgets 1 / 2^ewma_shift */
	bool writes_known;		/* writes are counted: by_operation is on, and works */
	s64 found;			/* I/Os in flight that starts found, themselves too */
	struct lw_op_samples writes;	/* the writes in stamped_data, if writes_known */
	struct lw_op_samples others;	/* as long as data, but without; likewise */
	struct lw_outlier_ends outliers;	/* outliers that ended */
	u64 elapsed_ns;			/* its length */
	u64 inflight;			/* I/Os in flight at its end */
	u64 was_inflight;		/* and at its begin */
	u64 starts;			/* I/Os started */
	u64 ends;			/* I/Os ended */
	u64 done;			/* valid completions */
	u64 samples;			/* those of classes in which any had a stamp */
	s64 held_ns;			/* I/O-nanoseconds in flight */
	u64 took_ns;			/* sum of latencies by stamps */
	struct lw_samples stamped_data;	/* those of data */
	u32 busy_q10;			/* part with I/O in flight, in Q10 */
	bool stood_still;		/* so did the machine */
	unsigned int halts;		/* such windows since the last one that was on time */
};

/* Health: step 2, does the path stall, and step 3, is it validated? */
struct lw_health {
	u64 no_completion_ns;	/* active time with I/O in flight and no completion */
	u64 stall_timeout_ns;	/* stall timeout while not validated */
	u64 retry_ns;		/* stall after which one more I/O is tried */
	u64 old;		/* I/Os in flight from before the path was invalidated */
	u64 halted;		/* I/Os in flight since the machine stood still */
	u64 stall_ios;		/* of those in flight when it stalled, how many are left */
	struct lw_hung hung;	/* those that are taken for lost */
	bool mixed;		/* some I/Os in flight in the window were old */
	bool stamped;		/* the last samples had a stamp */
	bool validated;		/* validated */
	bool stalled;		/* I/O in flight, but nothing completes */
	bool resumes;		/* only stalled: use it once anything completes */
	bool retry;		/* nothing came back for long: try one more I/O */
	bool lives;		/* an invalid I/O ended a stall: probe again */
};

/* What length and operation do to the latency: step 4. Operations are counted in step 7. */
struct lw_kinds {
	struct lw_size_latency size;	/* effect of size on latency */
	u32 writes_q16;			/* usual part of writes, to which latency and base refer */
	struct lw_op_latency other;	/* by how much I/Os without data take longer than data */
	struct lw_op_latency write;	/* by how much a write takes longer than a read */
	struct lw_op_seen op[LW_OPS];	/* completions by operation; not of LW_OP_DATA */
	u64 others;			/* sum of lw_window.others.count */
};

/* What the path carries: steps 5 and 6; outliers by step 8. */
struct lw_capacity {
	u64 base_ns;	/* the part of lw_latency.lat_ns that the path's load does not explain */
	u64 knee;	/* load in flight at which queueing begins, in Q8 */
	u32 block_cost;	/* price of a block, in Q16 of an I/O without data */
	bool fresh;	/* base and knee begin with its first data */
	bool queues;	/* latency above the base, by the path's load */
	struct lw_trend trend;		/* does throughput follow the load? */
	struct lw_dip dip;		/* lowers the load for a while, so that trend can tell */
	struct lw_outliers outliers;	/* I/Os that took many times the base */
};

/* Latency of a class. */
struct lw_class_latency {
	struct lw_little little;	/* latency by Little's law */
	u64 lat_ns;		/* last known latency, 0 for none */
	u64 seen_ns;		/* last completion, in lw_counted.active_ns, 0 for none */
};

/* Latency and load: step 4. */
struct lw_latency {
	struct lw_means means;		/* fading sums of windows with completions */
	struct lw_means pending;	/* windows since the last of those */
	u64 lat_ns;	/* latency of data, of an I/O of usual length; 0 for unknown */
	u64 load;	/* load in flight that starts found, in Q8 */
	u64 noise_q16;	/* mean deviation between windows, for lw_grew() */
	u64 forgot_ns;	/* when the sums were forgotten, in lw_counted.active_ns */
	unsigned int seen_windows;	/* windows in lat_ns since the path was invalidated */
	struct lw_class_latency cls[LW_CLASSES];	/* last, as most classes are not read */
};

/* Counts of a class, over all CPUs. */
struct lw_class_counts {
	struct lw_counters was;	/* totals at the end of the last window */
	u64 blocks;		/* mean length of an I/O */
	u64 inflight;		/* I/Os in flight at the end of the last window */
};

/* What all windows counted: step 1. */
struct lw_counted {
	unsigned long classes;	/* bit per class ever used */
	u64 closed_ns;		/* end of the last window */
	u64 idle_ns;		/* total idle time up to its end */
	u64 active_ns;		/* sum of windows, a clock that stops without traffic */
	u64 recent_q8;		/* I/Os started per window, moving average, in Q8 */
	struct lw_class_counts cls[LW_CLASSES];	/* last, as most classes are not read */
};

/*
 * One path, over all CPUs, in the order of the window's steps but for the two that end with
 * classes. Load and knee are in I/Os of usual length, see lw_usual_load(). A path is validated by
 * its first completion that was started since it was new, stalled or was reinstated; until then it
 * gets only probes.
 */
struct lw_path_state {
	struct lw_window w;
	struct lw_health health;
	struct lw_kinds kinds;
	struct lw_capacity capacity;
	struct lw_latency latency;
	struct lw_counted counted;
};

/* Load of an I/O of usual length, in Q8 of one without data. */
static inline u32 lw_usual_load(const struct lw_path_state *s)
{
	return lw_load(1, s->kinds.size.usual_q4 >> 4, s->capacity.block_cost);
}

/* I/Os in flight without those that are taken for lost. */
static inline u64 lw_newer_inflight(const struct lw_path_state *s)
{
	return s->w.inflight - min(s->health.hung.ios, s->w.inflight);
}

#define lw_for_each_class(c, n)	for_each_set_bit(c, &(n)->classes, LW_CLASSES)

static inline bool lw_class_is_data(unsigned int c)
{
	return c >= LW_CLASS_32K && c <= LW_CLASS_MORE;
}

/**
 * lw_class_known() - class that stands in for one never measured
 * @l: latencies of the path
 * @c: the class
 * Return: @c if known, else the nearest smaller, else the nearest larger known class; the class
 * without data comes last, as it tells nothing of data. LW_CLASSES if none is known.
 */
static inline unsigned int lw_class_known(const struct lw_latency *l, unsigned int c)
{
	unsigned int k;

	if (l->cls[c].lat_ns)
		return c;
	for (k = c; k-- > LW_CLASS_32K; )
		if (l->cls[k].lat_ns)
			return k;
	for (k = c + 1; k < LW_CLASSES; k++)
		if (l->cls[k].lat_ns)
			return k;
	return l->cls[LW_CLASS_ZERO].lat_ns ? LW_CLASS_ZERO : LW_CLASSES;
}

/* Latency of data, or else of another class; 0 for unknown. */
static inline u64 lw_path_lat(const struct lw_path_state *s)
{
	unsigned int known = lw_class_known(&s->latency, LW_CLASS_32K);

	if (s->latency.lat_ns || known == LW_CLASSES)
		return s->latency.lat_ns;
	return s->latency.cls[known].lat_ns;
}

#endif
