/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Estimates of a window, over plain structs that the caller owns (in the module: under struct
 * lw_device.lock). window.c calls the steps by their numbers; 2 is in model/stall.h, 5 and 6 are in
 * model/knee.h.
 */
#ifndef LW_ESTIMATE_H
#define LW_ESTIMATE_H

#include "model/constants.h"
#include "model/usual.h"

static inline void lw_path_little_reset(struct lw_path_state *s)
{
	unsigned int c;

	s->data = (struct lw_little){ 0 };
	s->stamps = (struct lw_little){ 0 };
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
	s->old = s->inflight;
	s->seen_windows = 0;
	s->stall_timeout_ns = stall_timeout_ns;
	lw_path_little_reset(s);
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
	lw_hung_begin(&s->hung, ios, blocks);
}

/* Load in flight and load completed per second, in I/Os of usual length. */
static inline void lw_count_size(struct lw_path_state *s)
{
	u64 held = s->held + ((s->held_blocks * s->block_cost) >> 16);
	u64 done = s->ios * LW_IO + ((s->blocks * s->block_cost) >> 8);

	s->load = div64_u64(held * LW_IO, lw_usual_load(s));
	s->rate = div64_u64(done * LW_IO, lw_usual_load(s));
}

/* Stamped samples of a class; return the sum of their latencies. */
static inline u64 lw_estimate_class_samples(struct lw_path_state *s, unsigned int c,
					    const struct lw_counters *counters)
{
	const struct lw_counters *was = &s->cls[c].was;
	u64 took_ns = counters->took_ns - was->took_ns, done = counters->done - was->done;

	if (took_ns)
		s->samples += done;
	if (lw_class_is_data(c))
		lw_samples_add(&s->stamped_data, took_ns, done);
	return took_ns;
}

/* Starts, ends and load of a class. */
static inline void lw_estimate_class_load(struct lw_path_state *s, unsigned int c,
					  const struct lw_counters *counters, s64 held_ns,
					  u64 busy_ns)
{
	struct lw_class_state *k = &s->cls[c];
	/* May be negative, since never-issued I/Os are taken back. */
	s64 starts = counters->starts - k->was.starts;
	s64 blocks = counters->blocks - k->was.blocks;
	u64 done = min_t(u64, counters->done - k->was.done, 1U << 20);
	u64 held_q8 = min_t(u64, div64_u64((u64)clamp_t(s64, held_ns, 0, 1LL << 50) << 8, busy_ns),
			    LW_LOAD_LIMIT);

	if (starts > 0 && blocks >= 0)
		k->blocks = min_t(u64, div64_u64(blocks, starts), LW_DATA_MAX >> 12);
	k->inflight = max_t(s64, counters->starts - counters->ends, 0);
	s->inflight += k->inflight;
	s->starts += max_t(s64, starts, 0);
	s->ends += counters->ends - k->was.ends;
	s->done += counters->done - k->was.done;
	s->ios += div64_u64(done * 1000000000ULL, busy_ns);
	s->blocks += div64_u64(done * k->blocks * 1000000000ULL, busy_ns);
	s->held += held_q8;
	s->held_blocks += held_q8 * k->blocks;
}

/*
 * Time in which the path was not idle, for load and throughput: a path that waits for its program
 * is no less queued while it works. At least a 64th of the window, as less is chance, but of two
 * windows at most, as a window after a rest includes the rest.
 */
static inline u64 lw_busy(const struct lw_path_state *s, u64 idle_ns, u64 elapsed,
			  u64 window_ns)
{
	s64 idle = idle_ns - s->idle_ns;

	return max_t(u64, elapsed - clamp_t(s64, idle, 0, elapsed),
		     min(elapsed, 2 * window_ns) / 64 + 1);
}

/*
 * Did the machine stand still, as a virtual one that migrates? The window is late, and its I/Os
 * were in flight for more than twice as long as so many take.
 */
static inline bool lw_stood_still(const struct lw_path_state *s, u64 held_ns, u64 busy_ns,
				  u64 window_ns)
{
	u64 take_ns = min_t(u64, s->ends, 1 << 20) * min(s->lat_ns, LW_NS_MAX);

	return busy_ns > max(LW_LATE_WINDOWS * window_ns, LW_LATE_NS) && held_ns / 2 > take_ns;
}

/**
 * lw_estimate_load() - step 1: starts, ends and load in this window
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
	u64 took_ns = 0, held_all_ns = 0;
	unsigned int c;

	s->inflight = 0;
	s->starts = 0;
	s->ends = 0;
	s->done = 0;
	s->samples = 0;
	s->stamped_data = (struct lw_samples){ 0 };
	s->load_met = s->load;
	s->held = 0;
	s->held_blocks = 0;
	s->ios = 0;
	s->blocks = 0;
	lw_for_each_class(c, s) {
		held_ns[c] = lw_counters_held(&s->cls[c].was, &counters[c], s->closed_ns,
					      now_ns);
		held_all_ns += held_ns[c];
		lw_estimate_class_load(s, c, &counters[c], held_ns[c], busy_ns);
		took_ns += lw_estimate_class_samples(s, c, &counters[c]);
	}
	lw_hung_add(&s->hung, held_all_ns, took_ns, s->samples, elapsed);
	lw_leave_out_hung(s);
	lw_count_size(s);
	s->load_met = max(s->load_met, s->load);
	s->idle_ns = idle_ns;
	s->busy_q10 = div64_u64(busy_ns << 10, elapsed);
	s->elapsed_ns = elapsed;
	s->stood_still = lw_stood_still(s, max_t(s64, held_all_ns, 0), busy_ns, window_ns);
	s->recent_q8 = lw_ewma(s->recent_q8, s->starts << 8, 3);
	s->active_ns += min_t(u64, elapsed, 2 * window_ns);
	/* A path that gets probes alone ends a stall: it lives. Allow the next probe more time. */
	ended = s->stalled && s->ends;
	s->lives = !s->validated && !s->resumes && (ended || (s->lives && !s->starts));
	if (s->lives && ended)
		s->stall_timeout_ns = 2 * s->no_completion_ns;
	if (s->ends || was_empty || !lw_newer_inflight(s))
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
	s->mixed = s->old || (!s->validated && s->ends > s->done);
	s->old = s->inflight ? s->old - min(s->old, s->ends) : 0;
	if (s->done)
		s->stamped = s->samples;
	lw_hung_step(&s->hung, s->inflight, s->lat_ns);
	if (s->mixed)
		lw_path_little_reset(s);
	if (s->validated || (!s->samples && (!s->done || s->mixed)))
		return LW_NOT_VALIDATED;
	s->validated = true;
	s->resumes = false;
	s->first_counts = !resumes;
	return resumes ? LW_VALIDATED_RESUMED : LW_VALIDATED_NEW;
}

/* The path gets little more than probes. */
static inline bool lw_path_probed(const struct lw_path_state *s)
{
	return s->done + lw_newer_inflight(s) < 4;
}

/*
 * Add a window to Little's law. If the path gets only probes, these count alone: a fast one on an
 * empty path shows that it has healed.
 */
static inline void lw_little_window(const struct lw_path_state *s, struct lw_little *q,
				    s64 held_ns, u64 done, u64 inflight)
{
	if (done && lw_path_probed(s))
		lw_little_restart(q, inflight);
	lw_little_add(q, s->ewma_shift, held_ns, done, inflight);
}

/* Latency of a class, for display and for stall timeouts. */
static inline void lw_estimate_class(struct lw_path_state *s, struct lw_class_state *k,
				     u64 done, s64 held_ns)
{
	if (s->mixed)
		return;
	lw_little_window(s, &k->little, held_ns, done, k->inflight);
	if (!done || !s->validated)
		return;
	k->seen_ns = s->active_ns;
	k->lat_ns = lw_little_ns(&k->little);
}

/*
 * Latency of data. Stamps are exact, but miss waiting before the driver. Little's law is wrong if
 * few I/Os complete, by up to one I/O in flight. Prefer stamps if both agree within an eighth and
 * that error.
 */
static inline u64 lw_data_latency(const struct lw_path_state *s)
{
	u64 little = lw_little_ns(&s->data), stamped = lw_little_ns(&s->stamps);
	u64 margin = stamped / 8 + div64_u64(stamped << 4, max_t(u64, s->data.done_q4, 1));

	return stamped && little <= stamped + margin ? stamped : little;
}

/**
 * lw_estimate_latency() - step 4: latency of classes and of data
 * @s: the path
 * @counters: totals of each class
 * @held_ns: I/O-nanoseconds of each class in the window
 * Return: true if there were valid completions of data.
 */
static inline bool lw_estimate_latency(struct lw_path_state *s, const struct lw_counters *counters,
				       const s64 *held_ns)
{
	u64 data_done = 0, inflight = 0, blocks = 0;
	s64 held = 0;
	unsigned int c;

	lw_for_each_class(c, s) {
		struct lw_class_state *k = &s->cls[c];
		u64 done = counters[c].done - k->was.done;
		u64 took_ns = counters[c].took_ns - k->was.took_ns;

		k->was = counters[c];
		lw_estimate_class(s, k, done, lw_hung_class(&s->hung, held_ns[c], s->elapsed_ns,
							    took_ns, s->stamped && !done));
		if (lw_class_is_data(c)) {
			held += held_ns[c];
			data_done += done;
			s->seen.classes |= done ? BIT(c) : 0;
			blocks += min_t(u64, done, 1U << 20) * k->blocks;
			inflight += k->inflight;
		}
	}
	held = lw_hung_without(&s->hung, held, s->elapsed_ns);
	if (data_done) {
		lw_size_learn(s);
		lw_estimate_usual(s, blocks, data_done);
		held = lw_of_usual(s, held, data_done);
		lw_little_window(s, &s->stamps,
				 lw_of_usual(s, s->stamped_data.sum_ns, s->stamped_data.count),
				 s->stamped_data.count, 0);
	}
	if (!s->mixed)
		lw_little_window(s, &s->data, held, data_done, inflight);
	if (!data_done || !s->validated || (s->mixed && !s->stamped_data.count))
		return false;
	s->lat_ns = lw_data_latency(s);
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
		lw_op_count(s, LW_OP_READ, s->stamped_data.count -
					   min(s->writes.count, s->stamped_data.count));
		lw_op_count(s, LW_OP_WRITE, s->writes.count);
	}
	lw_op_count(s, LW_OP_OTHER, other->was.done - s->op[LW_OP_OTHER].done);
	if (other->seen_ns == s->active_ns && other->lat_ns && data_ns)
		lw_op_learn(&s->other, other->lat_ns - data_ns, LW_OP_WEIGHT);
}

#endif
