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

/* Forget the sums: what is in flight waited for something else than the path's load. */
static inline void lw_path_forget(struct lw_path_state *s)
{
	unsigned int c;

	s->means = (struct lw_means){ 0 };
	s->pending = (struct lw_means){ 0 };
	s->forgot_ns = s->active_ns;
	lw_trend_begin(&s->trend, 0, false);
	lw_for_each_class(c, s)
		s->cls[c].little = (struct lw_little){ 0 };
}

/**
 * lw_path_invalidate() - invalidate a path that stalled or was reinstated
 * @s: the path; latencies stay for display and as estimates of a probe's latency
 * @stall_timeout_ns: how long a probe may take
 */
static inline void lw_path_invalidate(struct lw_path_state *s, u64 stall_timeout_ns)
{
	s->validated = false;
	s->old = s->w.inflight;
	s->seen_windows = 0;
	s->stall_timeout_ns = stall_timeout_ns;
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
	lw_path_invalidate(s, LW_STALL_TIMEOUT_NS);
	s->resumes = false;
	s->stalled = false;
	s->lives = false;
	s->no_completion_ns = 0;
	s->stall_ios = 0;
	lw_hung_begin(&s->hung, ios, blocks);
}

/* Stamped samples of a class; return the sum of their latencies. */
static inline u64 lw_estimate_class_samples(struct lw_path_state *s, unsigned int c,
					    const struct lw_counters *counters)
{
	const struct lw_counters *was = &s->cls[c].was;
	u64 took_ns = counters->took_ns - was->took_ns, done = counters->done - was->done;

	if (took_ns)
		s->w.samples += done;
	if (lw_class_is_data(c))
		lw_samples_add(&s->w.stamped_data, took_ns, done);
	return took_ns;
}

/* Starts and ends of a class. */
static inline void lw_estimate_class_load(struct lw_path_state *s, unsigned int c,
					  const struct lw_counters *counters)
{
	struct lw_class_state *k = &s->cls[c];
	/* May be negative, since never-issued I/Os are taken back. */
	s64 starts = counters->starts - k->was.starts;
	s64 blocks = counters->blocks - k->was.blocks;

	if (starts > 0 && blocks >= 0)
		k->blocks = min_t(u64, div64_u64(blocks, starts), LW_DATA_MAX >> 12);
	k->inflight = max_t(s64, counters->starts - counters->ends, 0);
	s->w.inflight += k->inflight;
	s->w.starts += max_t(s64, starts, 0);
	s->w.ends += counters->ends - k->was.ends;
	s->w.done += counters->done - k->was.done;
}

/*
 * Time in which the path was not idle. At least a 64th of the window, as less is chance, but of
 * two windows at most, as a window after a rest includes the rest.
 */
static inline u64 lw_busy(const struct lw_path_state *s, u64 idle_ns, u64 elapsed,
			  u64 window_ns)
{
	s64 idle = idle_ns - s->idle_ns;

	return max_t(u64, elapsed - clamp_t(s64, idle, 0, elapsed),
		     min(elapsed, 2 * window_ns) / 64 + 1);
}

/*
 * Did the machine stand still, as a virtual one that migrates? The window is late, by far more than
 * an I/O takes, and its I/Os were in flight for more than twice as long as so many take.
 */
static inline bool lw_stood_still(const struct lw_path_state *s, u64 held_ns, u64 busy_ns,
				  u64 window_ns)
{
	u64 take_ns = min_t(u64, s->w.ends, 1 << 20) * min(s->lat_ns, LW_NS_MAX);

	return busy_ns > LW_LATE_WINDOWS * window_ns &&
	       busy_ns > LW_LATE_LATENCIES * s->lat_ns && held_ns / 2 > take_ns;
}

/**
 * lw_estimate_load() - step 1: what was counted in this window
 * @s: the path
 * @counters: totals of each class
 * @held_ns: out: I/O-nanoseconds of each class in the window
 * @idle_ns: total idle time of the path
 * @window_ns: length of a window
 * @now_ns: end of the window
 *
 * An idle path does not stall. Limit what a late window adds to a stall, as the machine may
 * have stood still.
 */
static inline void lw_estimate_load(struct lw_path_state *s,
				    const struct lw_counters *counters, s64 *held_ns,
				    u64 idle_ns, u64 window_ns, u64 now_ns)
{
	u64 elapsed = max_t(s64, now_ns - s->closed_ns, 1);
	u64 busy_ns = lw_busy(s, idle_ns, elapsed, window_ns);
	bool was_empty = !lw_newer_inflight(s), ended;
	const struct lw_op_samples writes = s->w.writes, others = s->w.others;
	s64 found = s->w.found;
	u64 took_ns = 0, held_all_ns = 0;
	unsigned int c;

	s->w = (struct lw_window){
		.elapsed_ns = elapsed, .writes = writes, .others = others, .found = found,
	};
	lw_for_each_class(c, s) {
		held_ns[c] = lw_counters_held(&s->cls[c].was, &counters[c], s->closed_ns,
					      now_ns);
		held_all_ns += held_ns[c];
		lw_estimate_class_load(s, c, &counters[c]);
		took_ns += lw_estimate_class_samples(s, c, &counters[c]);
	}
	s->w.stamped_data.sum_ns -= min(others.took_ns, s->w.stamped_data.sum_ns);
	s->w.stamped_data.count -= min(others.count, s->w.stamped_data.count);
	lw_hung_add(&s->hung, held_all_ns, took_ns, s->w.samples, elapsed);
	s->idle_ns = idle_ns;
	s->w.busy_q10 = div64_u64(busy_ns << 10, elapsed);
	s->w.stood_still = lw_stood_still(s, max_t(s64, held_all_ns, 0), busy_ns, window_ns);
	s->recent_q8 = lw_ewma(s->recent_q8, s->w.starts << 8, 3);
	s->active_ns += min_t(u64, elapsed, 2 * window_ns);
	/* A path that gets probes alone ends a stall: it lives. Allow the next probe more time. */
	ended = s->stalled && s->w.ends;
	s->lives = !s->validated && !s->resumes && (ended || (s->lives && !s->w.starts));
	if (s->lives && ended)
		s->stall_timeout_ns = 2 * s->no_completion_ns;
	if (s->w.ends || was_empty || !lw_newer_inflight(s))
		s->no_completion_ns = 0;
	else
		s->no_completion_ns += min_t(u64, elapsed, 2 * window_ns);
}

/* How a window validated a path. */
enum lw_validation {
	LW_NOT_VALIDATED,	/* not at all, or it already was */
	LW_VALIDATED_NEW,	/* a new or reinstated path, without history */
	LW_VALIDATED_RESUMED,	/* after a stall, keeping base and knee */
};

/**
 * lw_estimate_validity() - step 3: validate the path
 * @s: the path
 *
 * A stamped sample was started since the path was invalidated. Without stamps, as many I/Os must
 * end as were in flight, since paths answer roughly in order. While old I/Os are left, or invalid
 * ones end, restart Little's law, so that it excludes the stall; but not later, as the validating
 * I/O may have begun in an earlier window.
 *
 * Return: how this window validated the path.
 */
static inline enum lw_validation lw_estimate_validity(struct lw_path_state *s)
{
	bool resumes = s->resumes;

	/* Read old before its update, as what ended in this window may be old. */
	s->w.mixed = s->old || (!s->validated && s->w.ends > s->w.done);
	s->old = s->w.inflight ? s->old - min(s->old, s->w.ends) : 0;
	s->stall_ios = min(s->stall_ios - min(s->stall_ios, s->hung.ends), s->w.inflight);
	if (s->w.done)
		s->stamped = s->w.samples;
	lw_hung_step(&s->hung, s->w.inflight, s->lat_ns);
	if (s->w.mixed)
		lw_path_forget(s);
	if (s->validated || (!s->w.samples && (!s->w.done || s->w.mixed)))
		return LW_NOT_VALIDATED;
	s->validated = true;
	s->resumes = false;
	/* A newer I/O came back before what the stall held: nothing waits for what may be lost. */
	if (resumes && s->stamped && s->stall_ios)
		lw_hung_begin(&s->hung, s->stall_ios, (s->stall_ios * s->size.usual_q4) >> 4);
	s->stall_ios = 0;
	return resumes ? LW_VALIDATED_RESUMED : LW_VALIDATED_NEW;
}

/*
 * How much longer writes take than reads of the same length, if the window has both. If they differ
 * in length by so much that this alone explains a difference, none is seen.
 */
static inline void lw_write_learn(struct lw_path_state *s, u64 blocks)
{
	const struct lw_op_samples *w = &s->w.writes;
	u64 reads = s->w.stamped_data.count - min(w->count, s->w.stamped_data.count);
	s64 longer_ns, longer_q4, by_length_ns;

	if (!w->count || !reads)
		return;
	longer_ns = div64_u64(w->took_ns, w->count) -
		    div64_u64(s->w.stamped_data.sum_ns - min(w->took_ns, s->w.stamped_data.sum_ns),
			      reads);
	longer_q4 = div64_u64(w->blocks << 4, w->count) -
		    div64_u64((blocks - min(w->blocks, blocks)) << 4, reads);
	by_length_ns = longer_q4 * (s64)s->size.block_q4 / 256;
	longer_ns -= by_length_ns;
	if (abs(by_length_ns) > (s64)(s->base_ns / LW_OP_LENGTH))
		longer_ns = 0;
	lw_op_learn(&s->write, longer_ns, min(w->count, reads));
}

/* The kinds of I/O of a window: what length and operation add, and which are usual. */
static inline void lw_estimate_kinds(struct lw_path_state *s, const struct lw_data_window *data)
{
	u64 mean_q4 = lw_mean_q4(&s->means), raw_ns = lw_means_little_ns(&s->means);
	u32 writes_q16 = lw_mean_writes(s, &s->means);

	lw_size_learn(&s->size, data->sized, data->lengths);
	/* Blocks explain at most all of the latency. */
	s->size.block_q4 = min(s->size.block_q4, div64_u64(raw_ns << 8, mean_q4));
	if (s->writes_known)
		lw_write_learn(s, data->blocks - min(s->w.others.blocks, data->blocks));
	if (!s->size.usual_q4) {
		s->size.usual_q4 = mean_q4;
		s->writes_q16 = writes_q16;
		return;
	}
	lw_refer_to(s, lw_ewma(s->size.usual_q4, mean_q4, LW_USUAL_SHIFT),
		    s->writes_q16 + ((s32)(writes_q16 - s->writes_q16) >> LW_USUAL_SHIFT));
}

/* Probes that came and went, and were faster: what was known is out of date. */
static inline bool lw_probe_tells(const struct lw_path_state *s, const struct lw_means *w)
{
	return s->w.done < 4 && !lw_newer_inflight(s) && !w->sum[LW_GREW] &&
	       lw_means_load(w) < 2 * LW_IO &&
	       lw_means_little_ns(w) < lw_means_little_ns(&s->means);
}

/**
 * lw_estimate_latency() - step 4: latency and load, of classes and of data
 * @s: the path
 * @counters: totals of each class
 * @held_ns: I/O-nanoseconds of each class in the window
 * @w: out: sums of the window and of those before without completions
 *
 * The sums forget a part of what was in a window, or in a latency if that is longer: what ends
 * then has been in flight together.
 *
 * Return: true if there were valid completions of data.
 */
static inline bool lw_estimate_latency(struct lw_path_state *s, const struct lw_counters *counters,
				       const s64 *held_ns, struct lw_means *w)
{
	struct lw_data_window data;
	u64 done, part, load = max_t(u64, s->load, LW_IO);

	lw_estimate_classes(s, counters, held_ns, &data);
	if (s->w.stood_still)
		return false;
	*w = lw_window_means(s, &data);
	lw_means_add(&s->pending, w);
	if (!data.done || !s->validated)
		return false;
	*w = s->pending;
	s->pending = (struct lw_means){ 0 };
	load = min(load, lw_means_load(w));
	done = min_t(u64, w->sum[LW_DONE], load);
	/* By Little's law alone a window is wrong by up to the I/Os in flight. */
	part = div64_u64((256 >> (s->ewma_shift + (s->stamped ? 0 : 2))) * done, load);
	part = max_t(u64, part, 1);
	lw_means_fade(&s->means, lw_probe_tells(s, w) ? 256 : part);
	lw_means_add(&s->means, w);
	s->load = lw_means_load(&s->means);
	lw_estimate_kinds(s, &data);
	lw_estimate_lat(s);
	s->seen_windows++;
	return true;
}

static inline void lw_op_count(struct lw_path_state *s, enum lw_op op, u64 done)
{
	if (!done)
		return;
	s->op[op].done += done;
	s->op[op].seen_ns = s->active_ns;
}

/* What data takes in this window, or would take if there is none; 0 if nobody knows. */
static inline u64 lw_data_takes(const struct lw_path_state *s, bool seen)
{
	unsigned int c;

	if (seen)
		return s->lat_ns;
	lw_for_each_class(c, s)
		if (lw_class_is_data(c) && s->cls[c].inflight)
			return 0;
	return s->base_ns;
}

/**
 * lw_estimate_operations() - step 7: completions of each operation, latency of those without data
 * @s: the path
 * @seen: there were valid completions of data in this window
 *
 * The last latency of data may be that of a queue which is gone, so it says nothing of flushes that
 * come alone.
 */
static inline void lw_estimate_operations(struct lw_path_state *s, bool seen)
{
	const struct lw_class_state *other = &s->cls[LW_CLASS_ZERO];
	u64 data_ns = lw_data_takes(s, seen);

	if (s->writes_known) {
		lw_op_count(s, LW_OP_READ, s->w.stamped_data.count -
					   min(s->w.writes.count, s->w.stamped_data.count));
		lw_op_count(s, LW_OP_WRITE, s->w.writes.count);
	}
	s->others += s->w.others.count;
	lw_op_count(s, LW_OP_OTHER, other->was.done + s->others - s->op[LW_OP_OTHER].done);
	if (other->seen_ns == s->active_ns && other->lat_ns && data_ns)
		lw_op_learn(&s->other, other->lat_ns - data_ns, LW_OP_WEIGHT);
}

#endif
