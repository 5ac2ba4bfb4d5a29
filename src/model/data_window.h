/* SPDX-License-Identifier: GPL-2.0 */
/* A window as sums: of classes for display and stall timeouts, of all data for the estimates. */
#ifndef LW_DATA_WINDOW_H
#define LW_DATA_WINDOW_H

#include "model/path_state.h"

/* Latency of a class, for display and for stall timeouts. */
static inline void lw_estimate_class(struct lw_class_latency *k, const struct lw_path_state *s,
				     u64 done, s64 held_ns)
{
	if (s->health.mixed || s->w.stood_still)
		return;
	lw_little_add(&k->little, s->w.ewma_shift, held_ns, done);
	if (!done || !s->health.validated)
		return;
	k->seen_ns = s->counted.active_ns;
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
static inline void lw_estimate_classes(struct lw_latency *l, const struct lw_path_state *s,
				       const struct lw_class_window *classes,
				       struct lw_data_window *data)
{
	u64 all_held = 0, blocks_held = 0;
	unsigned int c;

	*data = (struct lw_data_window){ 0 };
	lw_for_each_class(c, &s->counted) {
		const struct lw_class_window *in = &classes[c];
		u64 length = s->counted.cls[c].blocks;
		s64 held = lw_hung_class(&s->health.hung, in->held_ns, s->w.elapsed_ns, in->took_ns,
					 s->health.stamped && !in->done);

		lw_estimate_class(&l->cls[c], s, in->done, held);
		held = clamp_t(s64, held, 0, 1LL << 44);
		all_held += held;
		blocks_held += held * length;
		if (!lw_class_is_data(c))
			continue;
		data->held_ns += in->held_ns;
		data->done += in->done;
		data->blocks += min_t(u64, in->done, 1U << 20) * length;
		if (in->done)
			data->sized[data->lengths++] = (struct lw_sized){
				in->done, length << 4,
				div64_u64(in->took_ns ?: max_t(s64, held, 0), in->done),
			};
	}
	data->in_flight_q4 = div64_u64(blocks_held << 4, max_t(u64, all_held, 1));
	data->held_ns = lw_hung_without(&s->health.hung, data->held_ns, s->w.elapsed_ns);
	/* Rather too many are taken for lost than too few: no less than what stamps tell. */
	if (s->health.hung.were)
		data->held_ns = max_t(s64, data->held_ns, s->w.stamped_data.sum_ns);
	/* Old I/Os are in flight, whose time is not the path's: stamps tell apart. */
	if (s->health.mixed) {
		data->held_ns = s->w.stamped_data.sum_ns;
		data->done = s->w.stamped_data.count;
	}
}

/* The window as sums. */
static inline struct lw_means lw_window_means(const struct lw_path_state *s,
					      const struct lw_data_window *data)
{
	u64 hung = min_t(u64, s->health.hung.were, 1 << 20) * min_t(u64, s->w.starts, 1 << 24);
	u64 ios = clamp_t(s64, s->w.found - (s64)hung, 0, 1LL << 30);
	/* By the mean length of what was in flight, in I/Os without data. */
	u64 load = LW_IO + ((data->in_flight_q4 * s->capacity.block_cost) >> 12);

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
