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
	u64 took_ns;				/* latencies by stamps, without outliers apart */
	bool by_stamps;				/* held_ns and done are by stamps */
	s64 lost_q8;				/* outliers apart in flight, in Q8 */
	u64 done;				/* valid completions */
	u64 blocks;				/* their blocks */
	u64 in_flight_q4;			/* mean length of an I/O in flight, of any class */
};

/*
 * Are rare outliers no part of the latency, see lw_outliers_ns()? By Little's law they would be,
 * for as long as they are in flight, so stamps tell the latency without them. But not if I/Os wait
 * before the stamp, or hang; if none is counted, see lw_outlier_base(); or if some moved no data.
 */
static inline bool lw_outliers_apart(const struct lw_path_state *s)
{
	const struct lw_samples *of = &s->w.stamped_data;
	const struct lw_capacity *cap = &s->capacity;

	if (!of->count || s->w.others.count || 4 * s->health.hung.hidden_q8 > s->latency.load)
		return false;
	if (cap->queues && !lw_size_even(&s->kinds.size.sums))
		return false;
	return lw_outliers_are_apart(&cap->outliers, &s->w.outliers, of->count, cap->base_ns);
}

static inline void lw_window_outliers(struct lw_data_window *data, const struct lw_path_state *s)
{
	const struct lw_samples *of = &s->w.stamped_data;
	bool apart = lw_outliers_apart(s);

	data->took_ns = of->sum_ns - (apart ? min(s->w.outliers.of_samples_ns, of->sum_ns) : 0);
	data->by_stamps = s->health.mixed || apart;
	/* In one window this may be too much or too little; over many, the errors cancel. */
	data->lost_q8 = apart ? lw_signed_q8(data->held_ns - (s64)data->took_ns, s->w.elapsed_ns)
			      : 0;
	/* Old I/Os are in flight, whose time is not the path's: stamps tell apart. */
	if (data->by_stamps) {
		data->held_ns = data->took_ns;
		data->done = of->count;
	}
}

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
				div64_u64(in->took_ns ?: held, in->done),
			};
	}
	data->in_flight_q4 = div64_u64(blocks_held << 4, max_t(u64, all_held, 1));
	data->held_ns = lw_hung_without(&s->health.hung, data->held_ns, s->w.elapsed_ns);
	/* Rather too many are taken for lost than too few: no less than what stamps tell. */
	if (s->health.hung.were)
		data->held_ns = max_t(s64, data->held_ns, s->w.stamped_data.sum_ns);
	lw_window_outliers(data, s);
}

/* The window as sums. */
static inline struct lw_means lw_window_means(const struct lw_path_state *s,
					      const struct lw_data_window *data)
{
	u64 hung = min_t(u64, s->health.hung.were, 1 << 20) * min_t(u64, s->w.starts, 1 << 24);
	u64 ios = clamp_t(s64, s->w.found - (s64)hung, 0, 1LL << 30);
	/* The trend compares latencies without lost I/Os, so by the load without these. */
	s64 lost = (data->lost_q8 * (s64)min_t(u64, s->w.starts, 1 << 24)) >> 8;
	/* By the mean length of what was in flight, in I/Os without data. */
	u64 load = LW_IO + ((data->in_flight_q4 * s->capacity.block_cost) >> 12);

	return (struct lw_means){ .sum = {
		[LW_HELD_NS] = max_t(s64, data->held_ns, 0),
		[LW_DONE] = data->done << 8,
		[LW_STARTS] = s->w.starts << 8,
		[LW_GREW] = (s64)(s->w.starts - s->w.ends) * 256,
		[LW_SEEN] = div64_u64(ios * load * LW_IO, lw_usual_load(s)),
		[LW_SEEN_IOS] = clamp_t(s64, (s64)ios - lost, min(ios, s->w.starts), 1LL << 30) *
				LW_IO,
		[LW_STAMPED_NS] = data->took_ns,
		[LW_STAMPED] = s->w.stamped_data.count << 8,
		[LW_BLOCKS] = data->blocks << 8,
		[LW_WRITES] = s->w.writes.count << 8,
	} };
}

#endif
