/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a window makes of its counts: functions over plain structs.
 *
 * counts.c adds up what the CPUs counted, window.c calls the functions in the order in
 * which they stand here, and publish.c publishes the result. Nothing here reads
 * a clock or takes a lock; whoever calls owns the structs (struct lw_path.lock).
 */
#ifndef LW_ESTIMATE_H
#define LW_ESTIMATE_H

#include "model/length.h"

/* Of a path of which nothing is known an I/O may take so long. */
#define LW_PATIENCE_NS	1000000000ULL

/* Start anew with Little's law. */
static inline void lw_path_little_reset(struct lw_path_state *s)
{
	unsigned int c;

	s->data = (struct lw_little){ 0 };
	s->stamps = (struct lw_little){ 0 };
	lw_for_each_class(c, s)
		s->cls[c].little = (struct lw_little){ 0 };
}

/**
 * lw_path_distrust() - believe nothing that was started so far
 * @s: the path
 * @patience_ns: how long a probe may take
 *
 * For a path that stalled or that was failed and reinstated. Latencies are kept
 * for those who want to see them, and as the guess of what a probe will take.
 */
static inline void lw_path_distrust(struct lw_path_state *s, u64 patience_ns)
{
	s->proven = false;
	s->old = s->inflight;
	s->seen_windows = 0;
	s->patience_ns = patience_ns;
	lw_path_little_reset(s);
}

/* What is in flight and what is done in a second, each as so many I/Os of usual length. */
static inline void lw_count_size(struct lw_path_state *s)
{
	u64 held = s->held + ((s->held_blocks * s->block_cost) >> 16);
	u64 done = s->ios * LW_IO + ((s->blocks * s->block_cost) >> 8);

	s->load = div64_u64(held * LW_IO, lw_usual_load(s));
	s->rate = div64_u64(done * LW_IO, lw_usual_load(s));
}

/* One class: what was done with a time stamp. */
static inline void lw_estimate_class_seen(struct lw_path_state *s, unsigned int c,
					  const struct lw_flow *flow)
{
	const struct lw_flow *was = &s->cls[c].was;
	u64 took_ns = flow->took_ns - was->took_ns, done = flow->done - was->done;

	if (took_ns)
		s->samples += done;
	if (lw_class_is_data(c))
		lw_seen_add(&s->seen, took_ns, done);
}

/* One class: what came and went. */
static inline void lw_estimate_class_flow(struct lw_path_state *s, unsigned int c,
					  const struct lw_flow *flow, s64 held_ns,
					  u64 busy_ns)
{
	struct lw_class_state *k = &s->cls[c];
	/* Never-issued I/Os are taken back: the counts can shrink. */
	s64 starts = flow->starts - k->was.starts;
	s64 blocks = flow->blocks - k->was.blocks;
	u64 done = min_t(u64, flow->done - k->was.done, 1U << 20);
	u64 held_q8 = min_t(u64, div64_u64((u64)clamp_t(s64, held_ns, 0, 1LL << 50) << 8, busy_ns),
			    LW_LOAD_LIMIT);

	if (starts > 0 && blocks >= 0)
		k->blocks = min_t(u64, div64_u64(blocks, starts), LW_DATA_MAX >> 12);
	k->inflight = max_t(s64, flow->starts - flow->ends, 0);
	s->inflight += k->inflight;
	s->starts += max_t(s64, starts, 0);
	s->ends += flow->ends - k->was.ends;
	s->done += flow->done - k->was.done;
	s->ios += div64_u64(done * 1000000000ULL, busy_ns);
	s->blocks += div64_u64(done * k->blocks * 1000000000ULL, busy_ns);
	s->held += held_q8;
	s->held_blocks += held_q8 * k->blocks;
}

/*
 * For how long the path held anything in the window. Load and throughput are those of
 * that time: a path that waits half of the time for the others' last I/O, or for a
 * program that thinks, has no less of a queue while it works. At least a 64th, since
 * what little is left may be a matter of who looked first; of two windows at most, for
 * one that comes after a rest has all of the rest in it.
 */
static inline u64 lw_busy(const struct lw_path_state *s, u64 idle_ns, u64 elapsed,
			  u64 window_ns)
{
	s64 idle = idle_ns - s->idle_ns;

	return max_t(u64, elapsed - clamp_t(s64, idle, 0, elapsed),
		     min(elapsed, 2 * window_ns) / 64 + 1);
}

/**
 * lw_estimate_flow() - first step: what came and went in this window
 * @s: the path
 * @flow: totals of each class now
 * @held_ns: out: I/O-nanoseconds of each class in the window
 * @idle_ns: for how long the path has held nothing, all in all
 * @window_ns: length of a window
 * @now_ns: end of the window
 *
 * A path at rest has nothing in flight; its silence does not count. Nor does
 * the time for which a whole machine stood still, hence the limit to what a
 * window, however late, adds to the silence.
 */
static inline void lw_estimate_flow(struct lw_path_state *s,
				    const struct lw_flow *flow, s64 *held_ns,
				    u64 idle_ns, u64 window_ns, u64 now_ns)
{
	u64 elapsed = max_t(s64, now_ns - s->closed_ns, 1);
	u64 busy = lw_busy(s, idle_ns, elapsed, window_ns);
	bool was_empty = !s->inflight;
	unsigned int c;

	s->inflight = 0;
	s->starts = 0;
	s->ends = 0;
	s->done = 0;
	s->samples = 0;
	s->seen = (struct lw_seen){ 0 };
	s->load_met = s->load;
	s->held = 0;
	s->held_blocks = 0;
	s->ios = 0;
	s->blocks = 0;
	lw_for_each_class(c, s) {
		held_ns[c] = lw_flow_held(&s->cls[c].was, &flow[c], s->closed_ns,
					  now_ns);
		lw_estimate_class_flow(s, c, &flow[c], held_ns[c], busy);
		lw_estimate_class_seen(s, c, &flow[c]);
	}
	lw_count_size(s);
	s->load_met = max(s->load_met, s->load);
	s->idle_ns = idle_ns;
	s->busy = div64_u64(busy << 10, elapsed);
	s->elapsed_ns = elapsed;
	s->recent_q8 = lw_ewma(s->recent_q8, s->starts << 8, 3);
	s->active_ns += min_t(u64, elapsed, 2 * window_ns);
	/* A probe that took too long to be believed: the next may take longer. */
	if (!s->proven && s->stalled && s->ends)
		s->patience_ns = 2 * s->silence_ns;
	if (s->ends || was_empty || !s->inflight)
		s->silence_ns = 0;
	else
		s->silence_ns += min_t(u64, elapsed, 2 * window_ns);
}

/* What an I/O of a class may take; one never seen goes by another's, by length. */
static inline u64 lw_class_may_take(const struct lw_path_state *s, unsigned int c)
{
	unsigned int known = lw_class_known(s, c);
	u64 may_take;

	if (known == LW_CLASSES)
		return 0;
	may_take = min_t(u64, s->cls[known].lat_ns, LW_NS_MAX);
	if (s->cls[c].blocks > s->cls[known].blocks)
		may_take = div64_u64(may_take * (s->cls[c].blocks + 4),
				     s->cls[known].blocks + 4);
	return may_take;
}

/**
 * lw_estimate_stall() - second step: is the path hanging?
 * @s: the path
 * @window_ns: length of a window
 *
 * The slowest class that has work in flight tells how long a silence is to be expected;
 * classes without work in flight tell nothing. An I/O started just after a
 * completion may take that long, and the window sees it one window late.
 *
 * Return: true while the path stalls. The caller then has completions ignored
 * that were started before now: they measure the stall, not the path.
 */
static inline bool lw_estimate_stall(struct lw_path_state *s, u64 window_ns)
{
	u64 may_take = s->proven || s->resumes ? 0 : s->patience_ns;
	bool was = s->stalled;
	unsigned int c;

	lw_for_each_class(c, s)
		if (s->cls[c].inflight)
			may_take = max(may_take, lw_class_may_take(s, c));

	s->stalled = s->inflight && s->silence_ns >= may_take + window_ns;
	if (s->stalled && s->proven) {
		lw_path_distrust(s, 0);
		s->resumes = true;
	} else if (s->stalled && !was) {
		s->resumes = false;
	}
	return s->stalled;
}

/* What a window proved. */
enum lw_proof {
	LW_NOT_PROVEN,		/* nothing, or the path was proven before */
	LW_FRESH,		/* a path of which nothing is kept */
	LW_RESUMED,		/* one that only stalled, and keeps base and knee */
};

/**
 * lw_estimate_proof() - third step: can the path be believed again?
 * @s: the path
 *
 * Samples with a stamp are known to have been started since. Without stamps as
 * many have to end as were in flight, since paths answer about in order.
 * As long as there is anything from before, or something ends that does not count,
 * Little's law starts anew, lest the time of the stall be counted; but not otherwise,
 * since the I/O that proves the path may have begun in an earlier window.
 *
 * Return: whether the path is proven by this very window.
 */
static inline enum lw_proof lw_estimate_proof(struct lw_path_state *s)
{
	bool resumes = s->resumes;

	/* From the next window on, for what ended up to now may be old. */
	s->mixed = s->old || (!s->proven && s->ends > s->done);
	s->old = s->inflight ? s->old - min(s->old, s->ends) : 0;
	if (s->done)
		s->stamped = s->samples;
	if (s->mixed)
		lw_path_little_reset(s);
	if (s->proven || (!s->samples && (!s->done || s->mixed)))
		return LW_NOT_PROVEN;
	s->proven = true;
	s->resumes = false;
	return resumes ? LW_RESUMED : LW_FRESH;
}

/* A path that carries next to nothing: what it completes are probes. */
static inline bool lw_path_probed(const struct lw_path_state *s)
{
	return s->done + s->inflight < 4;
}

/*
 * One more window of Little's law. Of a path that carries next to nothing, what was done
 * counts alone: it is from probes on an empty path, and if such a one is fast, the path
 * has healed.
 */
static inline void lw_little_window(const struct lw_path_state *s, struct lw_little *q,
				    s64 held_ns, u64 done, u64 inflight)
{
	if (done && lw_path_probed(s))
		lw_little_restart(q, inflight);
	lw_little_add(q, s->ewma_shift, held_ns, done, inflight);
}

/* One class; its latency is for those who look, and tells what an I/O may take. */
static inline void lw_estimate_class(struct lw_path_state *s, struct lw_class_state *k,
				     u64 done, s64 held_ns)
{
	if (s->mixed)
		return;
	lw_little_window(s, &k->little, held_ns, done, k->inflight);
	if (!done || !s->proven)
		return;
	k->seen_ns = s->active_ns;
	k->lat_ns = lw_little_ns(&k->little);
}

/*
 * Latency of data. Stamps are exact; Little's law is not where few I/Os end in a window,
 * since those that go on are counted with the part of their time that has passed: up to
 * one of them. But a request is stamped when the driver takes it, and Little's law sees
 * waiting before that. The two agree within a few per cent otherwise, hence an eighth.
 */
static inline u64 lw_data_latency(const struct lw_path_state *s)
{
	u64 little = lw_little_ns(&s->data), stamped = lw_little_ns(&s->stamps);
	u64 margin = stamped / 8 + div64_u64(stamped << 4, max_t(u64, s->data.done_q4, 1));

	return stamped && little <= stamped + margin ? stamped : little;
}

/**
 * lw_estimate_latency() - fourth step: latency of the classes, and of data
 * @s: the path
 * @flow: totals of each class now
 * @held_ns: I/O-nanoseconds of each class in the window
 *
 * Return: whether any data was done that counts.
 */
static inline bool lw_estimate_latency(struct lw_path_state *s, const struct lw_flow *flow,
				       const s64 *held_ns)
{
	u64 data_done = 0, inflight = 0, blocks = 0;
	s64 held = 0;
	unsigned int c;

	lw_for_each_class(c, s) {
		struct lw_class_state *k = &s->cls[c];
		u64 done = flow[c].done - k->was.done;

		k->was = flow[c];
		lw_estimate_class(s, k, done, held_ns[c]);
		if (lw_class_is_data(c)) {
			held += held_ns[c];
			data_done += done;
			blocks += min_t(u64, done, 1U << 20) * k->blocks;
			inflight += k->inflight;
		}
	}
	if (data_done) {
		lw_size_learn(s);
		lw_estimate_length(s, blocks, data_done);
		held = lw_of_usual_length(s, held, data_done);
		lw_little_window(s, &s->stamps,
				 lw_of_usual_length(s, s->seen.sum_ns, s->seen.count),
				 s->seen.count, 0);
	}
	if (!s->mixed)
		lw_little_window(s, &s->data, held, data_done, inflight);
	if (!data_done || !s->proven || (s->mixed && !s->seen.count))
		return false;
	s->lat_ns = lw_data_latency(s);
	s->seen_windows++;
	return true;
}

#endif
