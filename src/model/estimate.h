/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Estimates of a window, over plain structs that the caller owns (in the module: under struct
 * lw_device.lock). steps.c calls the steps by their numbers; 2 is in model/stall.h, 5 and 6 are in
 * model/bracket.h.
 */
#ifndef LW_ESTIMATE_H
#define LW_ESTIMATE_H

#include "model/bracket.h"
#include "model/constants.h"
#include "model/data_window.h"
#include "model/path_state.h"

/* Forget the sums: the I/Os in flight waited for something else than the path's load. */
static inline void lw_path_forget(struct lw_path_state *s)
{
	struct lw_latency *l = &s->latency;
	unsigned int c;

	l->means = (struct lw_means){ 0 };
	l->pending = (struct lw_means){ 0 };
	l->forgot_ns = s->counted.active_ns;
	lw_for_each_class(c, &s->counted)
		l->cls[c].little = (struct lw_little){ 0 };
	lw_trend_begin(&s->capacity.trend, 0, false);
}

/**
 * lw_path_invalidate() - invalidate a path that stalled or was reinstated
 * @s: the path; latencies stay for display and as estimates of a probe's latency
 * @stall_timeout_ns: how long a probe may take
 */
static inline void lw_path_invalidate(struct lw_path_state *s, u64 stall_timeout_ns)
{
	s->health.validated = false;
	s->health.old = s->w.inflight;
	s->health.stall_timeout_ns = stall_timeout_ns;
	s->latency.seen_windows = 0;
	lw_path_forget(s);
}

/**
 * lw_path_restart() - user space says that the path works again
 * @s: the path
 * @ios: I/Os in flight at that time
 * @blocks: their blocks
 */
static inline void lw_path_restart(struct lw_path_state *s, u64 ios, u64 blocks)
{
	struct lw_health *h = &s->health;

	lw_path_invalidate(s, LW_STALL_TIMEOUT_NS);
	h->resumes = false;
	h->stalled = false;
	h->lives = false;
	h->no_completion_ns = 0;
	h->stall_ios = 0;
	lw_hung_begin(&h->hung, ios, blocks);
}

/* Counts of a class since the last window, which are added to all classes in @w. */
static inline struct lw_class_window lw_class_take(struct lw_window *w, struct lw_class_counts *k,
						   const struct lw_counters *counters,
						   u64 closed_ns, u64 now_ns)
{
	struct lw_class_window in = {
		.held_ns = lw_counters_held(&k->was, counters, closed_ns, now_ns),
		.done = counters->done - k->was.done,
		.took_ns = counters->took_ns - k->was.took_ns,
	};
	/* May be negative, since never-issued I/Os are taken back. */
	s64 starts = counters->starts - k->was.starts;
	s64 blocks = counters->blocks - k->was.blocks;

	if (starts > 0 && blocks >= 0)
		k->blocks = min_t(u64, div64_u64(blocks, starts), LW_DATA_MAX >> 12);
	k->inflight = max_t(s64, counters->starts - counters->ends, 0);
	w->inflight += k->inflight;
	w->starts += max_t(s64, starts, 0);
	w->ends += counters->ends - k->was.ends;
	w->done += in.done;
	w->samples += in.took_ns ? in.done : 0;
	w->took_ns += in.took_ns;
	w->held_ns += in.held_ns;
	k->was = *counters;
	return in;
}

/*
 * Time in which the path was not idle. At least a 64th of the window, as less is chance, but of
 * two windows at most, as a window after a rest includes the rest.
 */
static inline u64 lw_busy(const struct lw_counted *n, u64 idle_ns, u64 elapsed, u64 window_ns)
{
	s64 idle = idle_ns - n->idle_ns;

	return max_t(u64, elapsed - clamp_t(s64, idle, 0, elapsed),
		     min(elapsed, 2 * window_ns) / 64 + 1);
}

/*
 * Did the machine stand still, as a virtual one that migrates? The window is late, by far more than
 * an I/O takes, and its I/Os were in flight for more than twice as long as so many take.
 */
static inline bool lw_stood_still(const struct lw_window *w, u64 busy_ns, u64 lat_ns)
{
	u64 take_ns = min_t(u64, w->ends, 1 << 20) * min(lat_ns, LW_NS_MAX);
	u64 held_ns = max_t(s64, w->held_ns, 0);

	return lat_ns && busy_ns > LW_LATE_LATENCIES * lat_ns && held_ns / 2 > take_ns;
}

/* Not again and again, as windows may always be late. */
static inline void lw_estimate_halt(struct lw_window *w, unsigned int halts, u64 busy_ns,
				    u64 window_ns, u64 lat_ns)
{
	if (busy_ns <= LW_LATE_WINDOWS * window_ns)
		return;
	w->stood_still = halts < LW_LATE_MOST && lw_stood_still(w, busy_ns, lat_ns);
	w->halts = halts + w->stood_still;
}

/**
 * lw_estimate_load() - step 1: counts of this window
 * @w: the window
 * @n: all windows
 * @counters: totals of each class
 * @classes: out: counts of each class in the window
 * @idle_ns: total idle time of the path
 * @window_ns: length of a window
 * @now_ns: end of the window
 * @lat_ns: latency of the path so far
 */
static inline void lw_estimate_load(struct lw_window *w, struct lw_counted *n,
				    const struct lw_counters *counters,
				    struct lw_class_window *classes, u64 idle_ns,
				    u64 window_ns, u64 now_ns, u64 lat_ns)
{
	u64 elapsed = max_t(s64, now_ns - n->closed_ns, 1);
	u64 busy_ns = lw_busy(n, idle_ns, elapsed, window_ns);
	unsigned int halts = w->halts, c;

	*w = (struct lw_window){
		.ewma_shift = w->ewma_shift, .writes_known = w->writes_known,
		.writes = w->writes, .others = w->others, .outliers = w->outliers,
		.found = w->found,
		.elapsed_ns = elapsed, .was_inflight = w->inflight,
	};
	lw_for_each_class(c, n) {
		classes[c] = lw_class_take(w, &n->cls[c], &counters[c], n->closed_ns, now_ns);
		if (lw_class_is_data(c))
			lw_samples_add(&w->stamped_data, classes[c].took_ns, classes[c].done);
	}
	/* Cells have outliers without their time above the base. */
	w->took_ns += w->outliers.of_samples_ns;
	w->stamped_data.sum_ns += w->outliers.of_samples_ns;
	w->stamped_data.sum_ns -= min(w->others.took_ns, w->stamped_data.sum_ns);
	w->stamped_data.count -= min(w->others.count, w->stamped_data.count);
	w->busy_q10 = div64_u64(busy_ns << 10, elapsed);
	lw_estimate_halt(w, halts, busy_ns, window_ns, lat_ns);
	n->closed_ns = now_ns;
	n->idle_ns = idle_ns;
	n->recent_q8 = lw_ewma(n->recent_q8, w->starts << 8, LW_RECENT_SHIFT);
	n->active_ns += min_t(u64, elapsed, 2 * window_ns);
}

/* How a window validated a path. */
enum lw_validation {
	LW_NOT_VALIDATED,	/* not at all, or it already was */
	LW_VALIDATED_NEW,	/* a new or reinstated path, or one that stalled twice */
	LW_VALIDATED_RESUMED,	/* after a stall, keeping base and knee */
};

/**
 * lw_estimate_validity() - step 3: validate the path
 * @s: the path; writes health, and forgets samples of old I/Os
 *
 * A stamped sample was started since the path was invalidated. Without stamps, as many I/Os must
 * end as were in flight, since paths answer roughly in order. Each window in which old I/Os are
 * left, or end, clears the sums of Little's law, so that they exclude the stall. The window that
 * validates does not: its I/O may have begun earlier, and that time counts.
 *
 * Return: how this window validated the path.
 */
static inline enum lw_validation lw_estimate_validity(struct lw_path_state *s)
{
	const struct lw_window *w = &s->w;
	struct lw_health *h = &s->health;
	bool resumes = h->resumes;

	/* Read old before its update, as ends of this window may be old. */
	h->mixed = h->old || (!h->validated && w->ends > w->done);
	h->old = w->inflight ? h->old - min(h->old, w->ends) : 0;
	h->stall_ios = min(h->stall_ios - min(h->stall_ios, h->hung.ends), w->inflight);
	if (w->done)
		h->stamped = w->samples;
	lw_hung_step(&h->hung, w->inflight, s->latency.lat_ns);
	if (h->mixed)
		lw_path_forget(s);
	if (h->validated || (!w->samples && (!w->done || h->mixed)))
		return LW_NOT_VALIDATED;
	h->validated = true;
	h->resumes = false;
	/* A newer I/O came back before those of the stall: nothing waits for lost ones. */
	if (resumes && h->stamped && h->stall_ios)
		lw_hung_begin(&h->hung, h->stall_ios,
			      (h->stall_ios * s->kinds.size.usual_q4) >> 4);
	h->stall_ios = 0;
	return resumes ? LW_VALIDATED_RESUMED : LW_VALIDATED_NEW;
}

/*
 * How much longer writes take than reads of the same length, if the window has both. If they differ
 * in length by so much that this alone explains a difference, none is seen.
 */
static inline void lw_write_learn(struct lw_kinds *k, const struct lw_path_state *s, u64 blocks)
{
	const struct lw_op_samples *w = &s->w.writes;
	const struct lw_samples *all = &s->w.stamped_data;
	u64 reads = all->count - min(w->count, all->count);
	s64 longer_ns, longer_q4, by_length_ns;

	if (!w->count || !reads)
		return;
	longer_ns = div64_u64(w->took_ns, w->count) -
		    div64_u64(all->sum_ns - min(w->took_ns, all->sum_ns), reads);
	longer_q4 = div64_u64(w->blocks << 4, w->count) -
		    div64_u64((blocks - min(w->blocks, blocks)) << 4, reads);
	by_length_ns = longer_q4 * (s64)k->size.block_q4 / 256;
	longer_ns -= by_length_ns;
	if (abs(by_length_ns) > (s64)(s->capacity.base_ns / LW_OP_LENGTH))
		longer_ns = 0;
	lw_op_learn(&k->write, longer_ns, min(w->count, reads));
}

/*
 * Step 4, the kinds of I/O of a window: effects of length and operation, and usual ones. Return
 * by how much longer a usual I/O takes than before.
 */
static inline s64 lw_estimate_kinds(struct lw_kinds *k, const struct lw_path_state *s,
				    const struct lw_data_window *data)
{
	const struct lw_means *means = &s->latency.means;
	u64 mean_q4 = lw_mean_q4(means), raw_ns = lw_means_little_ns(means);
	u32 writes_q16 = lw_mean_writes(s, means);

	lw_size_learn(&k->size, data->sized, data->lengths);
	/* Blocks explain at most all of the latency. */
	k->size.block_q4 = min(k->size.block_q4, div64_u64(raw_ns << 8, mean_q4));
	if (s->w.writes_known)
		lw_write_learn(k, s, data->blocks - min(s->w.others.blocks, data->blocks));
	if (!k->size.usual_q4) {
		k->size.usual_q4 = mean_q4;
		k->writes_q16 = writes_q16;
		return 0;
	}
	return lw_refer_to(k, lw_ewma(k->size.usual_q4, mean_q4, LW_USUAL_SHIFT),
			   k->writes_q16 + ((s32)(writes_q16 - k->writes_q16) >> LW_USUAL_SHIFT));
}

/* Probes that came and went, and were faster: the estimates are out of date. */
static inline bool lw_probe_tells(const struct lw_path_state *s, const struct lw_means *w)
{
	return s->w.done < 4 && !lw_newer_inflight(s) && !w->sum[LW_GREW] &&
	       lw_means_load(w) < 2 * LW_IO &&
	       lw_means_little_ns(w) < lw_means_little_ns(&s->latency.means);
}

/**
 * lw_estimate_means() - step 4: latency of classes, sums over windows, and load
 * @l: the path's latency
 * @s: the path
 * @classes: counts of each class in the window
 * @data: out: the window's data
 * @w: out: sums of the window and of those before without completions
 *
 * The sums forget a part of what was in a window, or in a latency if that is longer: what ends
 * then has been in flight together.
 *
 * Return: true if there were valid completions of data.
 */
static inline bool lw_estimate_means(struct lw_latency *l, const struct lw_path_state *s,
				     const struct lw_class_window *classes,
				     struct lw_data_window *data, struct lw_means *w)
{
	u64 done, part, load = max_t(u64, l->load, LW_IO);

	lw_estimate_classes(l, s, classes, data);
	if (s->w.stood_still)
		return false;
	*w = lw_window_means(s, data);
	/* Stamps have the time in which nothing ended. */
	if (data->by_stamps)
		l->pending.sum[LW_HELD_NS] = 0;
	lw_means_add(&l->pending, w);
	if (!data->done || !s->health.validated)
		return false;
	*w = l->pending;
	l->pending = (struct lw_means){ 0 };
	load = min(load, lw_means_load(w));
	done = min_t(u64, w->sum[LW_DONE], load);
	/* By Little's law alone a window is wrong by up to the I/Os in flight. */
	part = div64_u64((256 >> (s->w.ewma_shift + (s->health.stamped ? 0 : 2))) * done, load);
	part = max_t(u64, part, 1);
	lw_means_fade(&l->means, lw_probe_tells(s, w) ? 256 : part);
	lw_means_add(&l->means, w);
	l->load = lw_means_load(&l->means);
	l->seen_windows++;
	return true;
}

/**
 * lw_estimate_latency() - step 4: latency of a usual I/O
 * @s: the path; writes latency and kinds, and the base for I/Os that are usual now
 * @classes: counts of each class in the window
 * @w: out: sums of the window and of those before without completions
 * Return: true if there were valid completions of data.
 */
static inline bool lw_estimate_latency(struct lw_path_state *s,
				       const struct lw_class_window *classes, struct lw_means *w)
{
	u32 writes_q16 = s->kinds.writes_q16;
	struct lw_data_window data;
	s64 by;

	if (!lw_estimate_means(&s->latency, s, classes, &data, w))
		return false;
	by = lw_estimate_kinds(&s->kinds, s, &data);
	lw_base_lengthen(&s->capacity, by, -lw_writes_longer_ns(&s->kinds, writes_q16));
	lw_estimate_lat(&s->latency, s);
	return true;
}

static inline void lw_op_add(struct lw_kinds *k, enum lw_op op, u64 done, u64 active_ns)
{
	if (!done)
		return;
	k->op[op].done += done;
	k->op[op].seen_ns = active_ns;
}

/* What data takes in this window, or would take if there is none; 0 if nobody knows. */
static inline u64 lw_data_takes(const struct lw_path_state *s, bool seen)
{
	unsigned int c;

	if (seen)
		return s->latency.lat_ns;
	lw_for_each_class(c, &s->counted)
		if (lw_class_is_data(c) && s->counted.cls[c].inflight)
			return 0;
	return s->capacity.base_ns;
}

/**
 * lw_estimate_operations() - step 7: completions of each operation, latency of those without data
 * @k: the path's kinds of I/O
 * @s: the path
 * @seen: there were valid completions of data in this window
 *
 * The last latency of data may be that of a queue which is gone, so it says nothing of flushes that
 * come alone.
 */
static inline void lw_estimate_operations(struct lw_kinds *k, const struct lw_path_state *s,
					  bool seen)
{
	const struct lw_class_latency *other = &s->latency.cls[LW_CLASS_ZERO];
	u64 active_ns = s->counted.active_ns, all = s->w.stamped_data.count;
	u64 data_ns = lw_data_takes(s, seen);

	if (s->w.writes_known) {
		lw_op_add(k, LW_OP_READ, all - min(s->w.writes.count, all), active_ns);
		lw_op_add(k, LW_OP_WRITE, s->w.writes.count, active_ns);
	}
	k->others += s->w.others.count;
	lw_op_add(k, LW_OP_OTHER, s->counted.cls[LW_CLASS_ZERO].was.done + k->others -
				    k->op[LW_OP_OTHER].done, active_ns);
	if (other->seen_ns == active_ns && other->lat_ns && data_ns)
		lw_op_learn(&k->other, other->lat_ns - data_ns, LW_OP_WEIGHT);
}

#endif
