/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a window makes of its counts: functions over plain structs.
 *
 * window.c folds the per-CPU cells into these structs, calls the functions in
 * the order in which they stand here; publish.c publishes the result. tests/unit
 * compiles the same file. Nothing here reads a clock or takes a lock; whoever
 * calls owns the structs (in the module: struct lw_path.lock).
 */
#ifndef LW_ESTIMATE_H
#define LW_ESTIMATE_H

#include "lw_state.h"

/* A latency moves a quarter of the way to each new window. */
#define LW_WINDOW_SHIFT	2

/**
 * struct lw_seen - stamped samples of one window, from some CPUs
 * @sum_ns: sum over the CPUs of their EWMA times their completions
 * @count: completions that the EWMAs stand for
 */
struct lw_seen {
	u64 sum_ns;
	u64 count;
};

static inline void lw_seen_add(struct lw_seen *s, u64 ewma_ns, u64 count)
{
	if (!ewma_ns || !count)
		return;
	count = min_t(u64, count, 1U << 20);	/* 2^42 * 2^20 < 2^63 */
	if (s->sum_ns >> 62)
		return;
	s->sum_ns += ewma_ns * count;
	s->count += count;
}

static inline u64 lw_seen_mean(const struct lw_seen *s)
{
	return s->count ? div64_u64(s->sum_ns, s->count) : 0;
}

/* Of a path of which nothing is known an I/O may take so long. */
#define LW_PATIENCE_NS	1000000000ULL

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
	s->clean = !s->old;
	s->patience_ns = patience_ns;
}

/* One class: what came and went, and the work that it held in flight, in Q8. */
static inline u64 lw_estimate_class_flow(struct lw_path_state *s, unsigned int c,
					 const struct lw_flow *flow, s64 held_ns,
					 u64 busy_ns)
{
	struct lw_class_state *k = &s->cls[c];
	/* Never-issued I/Os are taken back: the counts can shrink. */
	s64 starts = flow->starts - k->was.starts;
	s64 work = flow->work - k->was.work;
	u64 ios_q8;

	if (starts > 0 && work > 0)
		k->work = clamp_t(u64, div64_u64(work, starts), LW_WORK_MIN,
				  LW_WORK_MAX);
	k->inflight = max_t(s64, flow->starts - flow->ends, 0);
	s->inflight += k->inflight;
	s->starts += max_t(s64, starts, 0);
	s->ends += flow->ends - k->was.ends;
	s->done += flow->done - k->was.done;
	s->rate += div64_u64(k->work * min_t(u64, flow->done - k->was.done, 1U << 20) *
			     1000000000ULL, busy_ns);
	ios_q8 = div64_u64((u64)clamp_t(s64, held_ns, 0, 1LL << 50) << 8,
			   busy_ns);
	s->ios_q8 += ios_q8;
	return k->work * ios_q8;
}

/* The least knee; large I/Os are remembered for a while, discards do not count. */
static inline u64 lw_least_knee(const struct lw_path_state *s)
{
	u64 largest = 0, work = 0, n = 0;
	unsigned int c;

	for (c = 0; c < LW_CLASS_HUGE; c++) {
		const struct lw_class_state *k = &s->cls[c];
		u64 weight = k->inflight + (k->little.done_q4 >> 4);

		if (k->inflight || k->seen_ns == s->active_ns)
			largest = max(largest, k->work);
		work += k->work * min_t(u64, weight, 1U << 20);
		n += min_t(u64, weight, 1U << 20);
	}
	if (n)
		largest = max(largest, 2 * div64_u64(work, n));
	return max_t(u64, max(largest, s->least - (s->least >> 4)), LW_WORK_MIN);
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
	u64 load_q8 = 0;
	unsigned int c;

	s->inflight = s->starts = s->ends = s->done = s->rate = s->ios_q8 = 0;
	for (c = 0; c < LW_CLASSES; c++) {
		held_ns[c] = lw_flow_held(&s->cls[c].was, &flow[c], s->closed_ns,
					  now_ns);
		load_q8 += lw_estimate_class_flow(s, c, &flow[c], held_ns[c],
						  busy);
	}
	s->idle_ns = idle_ns;
	s->busy = div64_u64(busy << 10, elapsed);
	s->load_met = max(load_q8 >> 8, s->load);
	s->load = load_q8 >> 8;
	s->elapsed_ns = elapsed;
	s->least = lw_least_knee(s);
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

/* What an I/O of a class may take; one never seen goes by another's, by work. */
static inline u64 lw_class_may_take(const struct lw_path_state *s, unsigned int c)
{
	unsigned int known = lw_class_known(s, c);
	u64 may_take;

	if (known == LW_CLASSES)
		return 0;
	may_take = min_t(u64, s->cls[known].lat_ns, LW_NS_MAX);
	if (s->cls[c].work > s->cls[known].work)
		may_take = div64_u64(may_take * s->cls[c].work,
				  max_t(u64, s->cls[known].work, 1));
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
	u64 may_take = s->proven ? 0 : s->patience_ns;
	unsigned int c;

	for (c = 0; c < LW_CLASSES; c++)
		if (s->cls[c].inflight)
			may_take = max(may_take, lw_class_may_take(s, c));

	s->stalled = s->inflight && s->silence_ns >= may_take + window_ns;
	if (s->stalled && s->proven)
		lw_path_distrust(s, 0);
	return s->stalled;
}

/**
 * lw_estimate_proof() - third step: can the path be believed again?
 * @s: the path
 * @stamped: number of stamped samples in this window
 *
 * Samples with a stamp are known to have been started since. Without stamps as
 * many have to end as were in flight, since paths answer about in order.
 * Whoever is not proven starts anew with Little's law, lest the time of the stall
 * be counted.
 *
 * Return: true if the path is proven by this very window; its latencies then
 * are set, not averaged.
 */
static inline bool lw_estimate_proof(struct lw_path_state *s, u64 stamped)
{
	bool fresh = false;
	unsigned int c;

	if (s->done)
		s->stamped = stamped;
	if (s->proven)
		return false;
	if (stamped || (s->done && s->clean)) {
		s->proven = true;
		fresh = true;
	}
	if (!s->clean || stamped)
		for (c = 0; c < LW_CLASSES; c++)
			s->cls[c].little = (struct lw_little){ 0 };
	/* From the next window on, for what ended up to now may be old. */
	s->old -= min(s->old, s->ends);
	if (!s->old || !s->inflight)
		s->clean = true;
	return fresh;
}

/* A path that carries next to nothing: what it completes are probes. */
static inline bool lw_path_probed(const struct lw_path_state *s)
{
	return s->done + s->inflight < 4;
}

/**
 * lw_latency_step() - move a latency towards what a window saw
 * @lat_ns: latency so far, 0 for unknown
 * @seen_ns: mean of the window, 0 for nothing seen
 * @believe: believe a lower value at once
 *
 * A path that is hardly used gives few samples, all of them from probes on an
 * empty path: if such a one is fast, the path has healed.
 *
 * Return: the new latency.
 */
static inline u64 lw_latency_step(u64 lat_ns, u64 seen_ns, bool believe)
{
	if (!seen_ns)
		return lat_ns;
	if (believe && seen_ns < lat_ns)
		return seen_ns;
	return lw_ewma(lat_ns, seen_ns, LW_WINDOW_SHIFT);
}

/**
 * lw_estimate_class() - fourth step: latency of one class
 * @s: the path
 * @c: the class
 * @flow: totals of the class now
 * @held_ns: I/O-nanoseconds of the class in the window
 * @seen: stamped samples of all CPUs
 * @fresh: the window proved the path
 */
static inline void lw_estimate_class(struct lw_path_state *s, unsigned int c,
				     const struct lw_flow *flow, s64 held_ns,
				     const struct lw_seen *seen, bool fresh)
{
	struct lw_class_state *k = &s->cls[c];
	u64 done = flow->done - k->was.done;
	u64 mean = lw_seen_mean(seen), little;

	k->was = *flow;
	if (!s->proven && !s->clean)
		return;
	if (done && lw_path_probed(s))
		lw_little_restart(&k->little, k->inflight);
	lw_little_add(&k->little, held_ns, done, k->inflight);
	if (!done || !s->proven)
		return;

	k->seen_ns = s->active_ns;
	little = lw_little_ns(&k->little);
	k->hidden_ns = mean && !fresh ? lw_hidden_wait(little, mean) : 0;
	k->window_ns = mean ? mean + k->hidden_ns : little;
	if (fresh)
		k->lat_ns = 0;
	k->lat_ns = lw_latency_step(k->lat_ns, k->window_ns, lw_path_probed(s));
}

#endif
