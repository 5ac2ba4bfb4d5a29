/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a window makes of its counts: functions over plain structs.
 *
 * window.c folds the per-CPU cells into these structs, calls the functions in
 * the order in which they stand here and publishes the result. tests/unit
 * compiles the same file. Nothing here reads a clock or takes a lock; whoever
 * calls owns the structs (in the module: struct lw_path.lock).
 */
#ifndef LW_ESTIMATE_H
#define LW_ESTIMATE_H

#include "lw_math.h"

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

/**
 * struct lw_class_state - one path and class, over all CPUs
 * @was: totals at the end of the last window
 * @little: latency by Little's law
 * @hidden_ns: waiting that stamps do not see
 * @work: mean work of an I/O, in units
 * @lat_ns: latency, all nodes together; 0 as long as unknown
 * @base_ns: the part of it that the path's own load does not explain
 * @seen_ns: time of the last window with a completion, 0 for never
 * @inflight: I/Os in flight at the end of the last window
 */
struct lw_class_state {
	struct lw_flow was;
	struct lw_little little;
	u64 hidden_ns;
	u64 work;
	u64 lat_ns;
	u64 base_ns;
	u64 seen_ns;
	u64 inflight;
};

/**
 * struct lw_path_state - one path, over all CPUs and classes
 * @cls: its classes
 * @closed_ns: end of the last window
 * @quiet_since_ns: last time that a completion was seen, or that the path was
 *	empty
 * @inflight: I/Os in flight at the end of the last window
 * @load: mean work in flight in the last window, in units
 * @largest: mean work of an I/O in the largest class in use, in units
 * @knee: work that the path holds in flight before it queues, in units
 * @slope_ns: mean base of the classes, by completions
 * @recent_q8: I/Os started per window, moving average, in 1/256
 * @starts: I/Os started in the last window
 * @ends: I/Os ended in the last window
 * @done: I/Os done in the last window
 * @stamped: the last samples carried a time stamp (else: Little's law alone)
 * @proven: its latencies can be believed. Not so for a new path, and for one that
 *	came back from a stall or a failure, until a first I/O started since then
 *	is done: meanwhile it gets probes only
 * @stalled: work in flight, and nothing completes
 * @clean: since @proven was lost the path was empty once, so that what completes
 *	without time stamp was started afterwards
 */
struct lw_path_state {
	struct lw_class_state cls[LW_CLASSES];
	u64 closed_ns;
	u64 quiet_since_ns;
	u64 inflight;
	u64 load;
	u64 largest;
	u64 knee;
	u64 slope_ns;
	u64 recent_q8;
	u64 starts;
	u64 ends;
	u64 done;
	bool stamped;
	bool proven;
	bool stalled;
	bool clean;
};

/**
 * lw_path_distrust() - believe nothing that was started so far
 * @s: the path
 *
 * For a path that stalled or that was failed and reinstated. Latencies are kept
 * for those who want to see them, and as the guess of what a probe will take.
 */
static inline void lw_path_distrust(struct lw_path_state *s)
{
	s->proven = false;
	s->clean = false;
}

/**
 * lw_estimate_flow() - first step: what came and went in this window
 * @s: the path
 * @flow: totals of each class now
 * @held_ns: out: I/O-nanoseconds of each class in the window
 * @now_ns: end of the window
 *
 * A path at rest has nothing in flight; its silence does not count.
 */
static inline void lw_estimate_flow(struct lw_path_state *s,
				    const struct lw_flow *flow, s64 *held_ns,
				    u64 now_ns)
{
	u64 inflight = 0, starts = 0, ends = 0, done = 0, load_q8 = 0, largest = 0;
	u64 elapsed = max_t(s64, now_ns - s->closed_ns, 1);
	bool was_empty = !s->inflight;
	unsigned int c;

	for (c = 0; c < LW_CLASSES; c++) {
		struct lw_class_state *k = &s->cls[c];
		u64 new;

		held_ns[c] = lw_flow_held(&k->was, &flow[c], s->closed_ns, now_ns);
		k->inflight = max_t(s64, flow[c].starts - flow[c].ends, 0);
		inflight += k->inflight;
		/* Never-issued I/Os are taken back: the count can shrink. */
		new = max_t(s64, flow[c].starts - k->was.starts, 0);
		if (new)
			k->work = div64_u64(flow[c].work - k->was.work, new);
		if (new || k->inflight)
			largest = max(largest, k->work);
		load_q8 += k->work * div64_u64(clamp_t(s64, held_ns[c], 0, 1LL << 55) << 8,
					       elapsed);
		starts += new;
		ends += flow[c].ends - k->was.ends;
		done += flow[c].done - k->was.done;
	}
	s->load = load_q8 >> 8;
	s->largest = max(largest, s->largest - (s->largest >> 4));
	s->inflight = inflight;
	s->starts = starts;
	s->ends = ends;
	s->done = done;
	s->recent_q8 = lw_ewma(s->recent_q8, starts << 8, 3);
	if (ends || was_empty || !inflight)
		s->quiet_since_ns = now_ns;
}

/**
 * lw_estimate_stall() - second step: is the path hanging?
 * @s: the path
 * @window_ns: length of a window
 * @now_ns: end of the window
 *
 * The slowest class that has work in flight tells how long a silence is usual;
 * classes without work in flight tell nothing. An I/O started just after a
 * completion may take that long, and the window sees it one window late.
 *
 * Return: true while the path stalls. The caller then has completions ignored
 * that were started before now: they measure the stall, not the path.
 */
static inline bool lw_estimate_stall(struct lw_path_state *s, u64 window_ns,
				     u64 now_ns)
{
	u64 usual = 0;
	unsigned int c;

	for (c = 0; c < LW_CLASSES; c++)
		if (s->cls[c].inflight)
			usual = max(usual, s->cls[c].lat_ns);

	s->stalled = s->inflight &&
		     (s64)(now_ns - s->quiet_since_ns) >= (s64)(usual + window_ns);
	if (s->stalled && s->proven)
		lw_path_distrust(s);
	return s->stalled;
}

/**
 * lw_estimate_proof() - third step: can the path be believed again?
 * @s: the path
 * @stamped: number of stamped samples in this window
 *
 * Samples with a stamp are known to have been started since; without stamps
 * the path has to have been empty once. Whoever is not proven starts anew with
 * Little's law, lest the time of the stall be counted.
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
	/* What ended up to now may have been started before. */
	if (!s->inflight)
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
 * @now_ns: end of the window
 */
static inline void lw_estimate_class(struct lw_path_state *s, unsigned int c,
				     const struct lw_flow *flow, s64 held_ns,
				     const struct lw_seen *seen, bool fresh,
				     u64 now_ns)
{
	struct lw_class_state *k = &s->cls[c];
	u64 done = flow->done - k->was.done;
	u64 mean = lw_seen_mean(seen), little;

	k->was = *flow;
	if (!s->proven && !s->clean)
		return;
	if (done && lw_path_probed(s))
		lw_little_restart(&k->little);
	lw_little_add(&k->little, held_ns, done);
	if (!done || !s->proven)
		return;

	k->seen_ns = now_ns;
	little = lw_little_ns(&k->little);
	k->hidden_ns = mean && !fresh ? lw_hidden_wait(little, mean) : 0;
	if (fresh)
		k->lat_ns = 0;
	k->lat_ns = lw_latency_step(k->lat_ns, mean ? mean + k->hidden_ns : little,
				    lw_path_probed(s));
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

/**
 * struct lw_probing - limits of probing, for a map
 * @min_ms: shortest period
 * @max_ms: longest period
 * @inflight: I/Os in flight on all paths of the map
 * @recent_q8: sum of lw_path_state.recent_q8 of all paths of the map
 */
struct lw_probing {
	unsigned int min_ms;
	unsigned int max_ms;
	u64 inflight;
	u64 recent_q8;
};

/* Less than 1/64 of the traffic: the path lives on probes. */
static inline bool lw_path_unused(const struct lw_path_state *s, u64 recent_q8)
{
	return s->recent_q8 < recent_q8 >> 6;
}

/**
 * lw_probes_wanted() - the classes for which the path wants a probe
 * @s: the path
 * @p: the map's limits
 * @now_ns: time
 *
 * A path with work in flight that completes nothing is never probed: the work in
 * flight is the probe, and each further I/O would be stuck like it.
 *
 * Return: bit per class.
 */
static inline unsigned int lw_probes_wanted(const struct lw_path_state *s,
					    const struct lw_probing *p,
					    u64 now_ns)
{
	unsigned int shift = lw_path_unused(s, p->recent_q8) ? 0 : 2;
	unsigned int c, wanted = 0;

	if (s->inflight && (s->stalled || !s->proven || !s->ends))
		return 0;
	if (!s->proven)
		return LW_CLASS_ALL;
	for (c = 0; c < LW_CLASSES; c++) {
		unsigned int known = lw_class_known(s, c);
		u64 lat = known < LW_CLASSES ? s->cls[known].lat_ns : 0;
		u64 ms = lw_probe_period_ms(lat << shift, p->inflight,
					    p->min_ms, p->max_ms);

		if (now_ns - s->cls[c].seen_ns >= ms * 1000000)
			wanted |= 1U << c;
	}
	return wanted;
}

#endif
