/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is known of a path, and what can be told from it at once.
 *
 * Plain structs, owned by whoever calls (in the module: struct lw_path.lock).
 */
#ifndef LW_STATE_H
#define LW_STATE_H

#include "model/flow.h"
#include "model/size.h"
#include "model/trend.h"

/**
 * struct lw_seen - stamped samples
 * @sum_ns: their latencies
 * @count: how many
 */
struct lw_seen {
	u64 sum_ns;
	u64 count;
};

static inline void lw_seen_add(struct lw_seen *s, u64 sum_ns, u64 count)
{
	if (!sum_ns || s->sum_ns >> 62)
		return;
	s->sum_ns += min_t(u64, sum_ns, 1ULL << 62);
	s->count += count;
}

static inline u64 lw_seen_mean(const struct lw_seen *s)
{
	return s->count ? div64_u64(s->sum_ns, s->count) : 0;
}

/**
 * struct lw_class_state - one path and class, over all CPUs
 * @was: totals at the end of the last window
 * @little: latency by Little's law
 * @lat_ns: that latency, as long as nothing newer is known; 0 for never
 * @blocks: mean length of an I/O
 * @seen_ns: end of the last window with a completion, by
 *	lw_path_state.active_ns, 0 for never
 * @inflight: I/Os in flight at the end of the last window
 */
struct lw_class_state {
	struct lw_flow was;
	struct lw_little little;
	u64 lat_ns;
	u64 blocks;
	u64 seen_ns;
	u64 inflight;
};

/**
 * struct lw_path_state - one path, over all CPUs and classes
 * @classes: bit per class that was ever used; the others are spared the work
 * @ewma_shift: weight of a window in a latency is 1 / 2^ewma_shift
 * @closed_ns: end of the last window
 * @elapsed_ns: its length
 * @idle_ns: for how long nothing was in flight, all in all, at the end of the last window
 * @busy: for what part of the last window something was, in Q10
 * @active_ns: sum of the windows so far: a clock that rests with the traffic
 * @silence_ns: how long work has been in flight without any completion, by the
 *	same clock
 * @patience_ns: how long a path that is not proven may be silent
 * @inflight: I/Os in flight at the end of the last window
 * @held: mean number of I/Os in flight in the last window, in Q8, while there were any
 * @held_blocks: their blocks, likewise
 * @load: mean load in flight in the last window, in Q8, while there was any; this, rate and
 *	knee in I/Os of usual length, see lw_usual_load()
 * @load_met: max(load, previous load): completions may have started in either window, and
 *	the last I/Os of a burst queued behind earlier ones
 * @rate: load done in a second of that time, in Q8
 * @ios: I/Os done in a second of that time
 * @blocks: blocks done in a second of that time
 * @knee: load that the path holds in flight before it queues, in Q8
 * @open: nothing has shown yet that the knee is not larger
 * @flat: windows at the knee without queue since something did
 * @size: what size adds to the latency
 * @data: latency of data by Little's law, of I/Os of usual length
 * @stamps: the same by time stamps: exact where few I/Os end in a window, but blind to
 *	waiting before the driver takes a request
 * @lat_ns: this latency; 0 as long as unknown
 * @seen_windows: windows that it rests on, since the path was distrusted
 * @base_ns: the part of @lat_ns that the path's own load does not explain
 * @first_ns: the first sample that @base_ns was taken from, 0 for none
 * @usual_ns: moving average of @lat_ns, about which it varies
 * @noise_q16: mean deviation from it, as a part of it
 * @slope_ns: what a knee's worth of load more adds to the latency
 * @block_cost: what a block counts, in Q16 of an I/O without data
 * @span: the present span
 * @trend: does throughput follow the load?
 * @dip: have the load vary, so that @trend can tell
 * @queues: latency is above the base, and the load may be why
 * @recent_q8: I/Os started per window, moving average, in 1/256
 * @starts: I/Os started in the last window
 * @ends: I/Os ended in the last window
 * @done: I/Os done in the last window
 * @samples: those with a time stamp
 * @seen: those of data
 * @stamped: the last samples carried a time stamp (else: Little's law alone)
 * @proven: its latencies can be believed. Not so for a new path, and for one that
 *	came back from a stall or a failure, until a first I/O started since then
 *	is done: meanwhile it gets probes only
 * @stalled: work in flight, and nothing completes
 * @resumes: not proven, but it only stalled: used again as soon as anything completes
 * @mixed: some of what was in flight in the last window was from before that
 * @old: I/Os in flight that were started before
 * @cls: its classes; last, since of most of them nothing is read
 */
struct lw_path_state {
	unsigned long classes;
	unsigned int ewma_shift;
	u64 closed_ns;
	u64 elapsed_ns;
	u64 idle_ns;
	u32 busy;
	u64 active_ns;
	u64 silence_ns;
	u64 patience_ns;
	u64 inflight;
	u64 held;
	u64 held_blocks;
	u64 load;
	u64 load_met;
	u64 rate;
	u64 ios;
	u64 blocks;
	u64 knee;
	unsigned int flat;
	struct lw_size_latency size;
	struct lw_little data;
	struct lw_little stamps;
	u64 lat_ns;
	unsigned int seen_windows;
	u64 base_ns;
	u64 first_ns;
	u64 usual_ns;
	u64 noise_q16;
	u64 slope_ns;
	u32 block_cost;
	struct lw_span span;
	struct lw_trend trend;
	struct lw_dip dip;
	bool queues;
	u64 recent_q8;
	u64 starts;
	u64 ends;
	u64 done;
	u64 samples;
	struct lw_seen seen;
	u64 old;
	bool open;
	bool stamped;
	bool proven;
	bool stalled;
	bool resumes;
	bool mixed;
	struct lw_class_state cls[LW_CLASSES];
};

/* What an I/O of usual length counts, in Q8. */
static inline u32 lw_usual_load(const struct lw_path_state *s)
{
	return lw_load(1, s->size.usual_q4 >> 4, s->block_cost);
}

#define lw_for_each_class(c, s)	for_each_set_bit(c, &(s)->classes, LW_CLASSES)

static inline bool lw_class_is_data(unsigned int c)
{
	return c >= LW_CLASS_32K && c <= LW_CLASS_MORE;
}

/**
 * lw_class_known() - the class to go by where this one was never measured
 * @s: the path
 * @c: the class wanted
 *
 * Return: @c itself if known, else the nearest smaller, else the nearest larger
 * class that is. Flushes tell nothing of other classes, so theirs comes last.
 * LW_CLASSES if nothing is known.
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

/* What an I/O takes on the path; of data, if there was any. 0 for unknown. */
static inline u64 lw_path_lat(const struct lw_path_state *s)
{
	unsigned int known = lw_class_known(s, LW_CLASS_32K);

	if (s->lat_ns || known == LW_CLASSES)
		return s->lat_ns;
	return s->cls[known].lat_ns;
}

#endif
