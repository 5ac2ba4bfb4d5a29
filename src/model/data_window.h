/* SPDX-License-Identifier: GPL-2.0 */
/* A window as sums: of classes for display and stall timeouts, of all data for the estimates. */
#ifndef LW_DATA_WINDOW_H
#define LW_DATA_WINDOW_H

#include "model/path_state.h"

/* Latency of a class, for display and for stall timeouts. */
static inline void lw_estimate_class(struct lw_path_state *s, struct lw_class_state *k,
				     u64 done, s64 held_ns)
{
	if (s->w.mixed || s->w.stood_still)
		return;
	lw_little_add(&k->little, s->ewma_shift, held_ns, done);
	if (!done || !s->validated)
		return;
	k->seen_ns = s->active_ns;
	k->lat_ns = lw_little_ns(&k->little);
}

/* Sums over the classes of data in a window. */
struct lw_data_window {
	struct lw_sized sized[LW_CLASSES];	/* by length */
	unsigned int lengths;			/* how many lengths */
	s64 held_ns;				/* I/O-nanoseconds in flight */
	u64 done;				/* valid completions */
	u64 blocks;				/* their blocks */
	u64 in_flight_q4;			/* mean length of an I/O in flight, of any class */
};

/* Classes of a window: latencies, and the sums of those with data. */
static inline void lw_estimate_classes(struct lw_path_state *s, const struct lw_counters *counters,
				       const s64 *held_ns, struct lw_data_window *data)
{
	u64 all_held = 0, blocks_held = 0;
	unsigned int c;

	*data = (struct lw_data_window){ 0 };
	lw_for_each_class(c, s) {
		struct lw_class_state *k = &s->cls[c];
		u64 done = counters[c].done - k->was.done;
		u64 took_ns = counters[c].took_ns - k->was.took_ns;
		s64 held = lw_hung_class(&s->hung, held_ns[c], s->w.elapsed_ns, took_ns,
					 s->stamped && !done);

		k->was = counters[c];
		lw_estimate_class(s, k, done, held);
		held = clamp_t(s64, held, 0, 1LL << 44);
		all_held += held;
		blocks_held += held * k->blocks;
		if (!lw_class_is_data(c))
			continue;
		data->held_ns += held_ns[c];
		data->done += done;
		data->blocks += min_t(u64, done, 1U << 20) * k->blocks;
		if (done)
			data->sized[data->lengths++] = (struct lw_sized){
				done, k->blocks << 4,
				div64_u64(took_ns ?: max_t(s64, held, 0), done),
			};
	}
	data->in_flight_q4 = div64_u64(blocks_held << 4, max_t(u64, all_held, 1));
	data->held_ns = lw_hung_without(&s->hung, data->held_ns, s->w.elapsed_ns);
	/* Rather too many are taken for lost than too few: no less than what stamps tell. */
	if (s->hung.were)
		data->held_ns = max_t(s64, data->held_ns, s->w.stamped_data.sum_ns);
	/* Old I/Os are in flight, whose time is not the path's: stamps tell apart. */
	if (s->w.mixed) {
		data->held_ns = s->w.stamped_data.sum_ns;
		data->done = s->w.stamped_data.count;
	}
}

/* The window as sums. */
static inline struct lw_means lw_window_means(const struct lw_path_state *s,
					      const struct lw_data_window *data)
{
	u64 hung = min_t(u64, s->hung.were, 1 << 20) * min_t(u64, s->w.starts, 1 << 24);
	u64 ios = clamp_t(s64, s->w.found - (s64)hung, 0, 1LL << 30);
	/* By the mean length of what was in flight, in I/Os without data. */
	u64 load = LW_IO + ((data->in_flight_q4 * s->block_cost) >> 12);

	return (struct lw_means){ .sum = {
		[LW_HELD_NS] = max_t(s64, data->held_ns, 0),
		[LW_DONE] = data->done << 8,
		[LW_STARTS] = s->w.starts << 8,
		[LW_GREW] = (s64)(s->w.starts - s->w.ends) * 256,
		[LW_SEEN] = div64_u64(ios * load * LW_IO, lw_usual_load(s)),
		[LW_SEEN_IOS] = ios * LW_IO,
		[LW_STAMPED_NS] = s->w.stamped_data.sum_ns,
		[LW_STAMPED] = s->w.stamped_data.count << 8,
		[LW_BLOCKS] = data->blocks << 8,
		[LW_WRITES] = s->w.writes.count << 8,
	} };
}

#endif
