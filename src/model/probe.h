/* SPDX-License-Identifier: GPL-2.0 */
/* Probing of paths that are unused or not validated. */
#ifndef LW_PROBE_H
#define LW_PROBE_H

#include "model/constants.h"
#include "model/path_state.h"

/* The bit of a probe with a short I/O, after the operations. */
#define LW_PROBE_SHORT	LW_OPS

/* Limits of probing, and sums over the paths of a selector. */
struct lw_probing {
	unsigned int min_ms;	/* shortest period */
	unsigned int max_ms;	/* longest period */
	unsigned int unused;	/* number of unused paths; they share 1/64 of the I/Os */
	u64 inflight;		/* I/Os in flight on all paths that work */
	u64 recent_q8;		/* sum of lw_counted.recent_q8 */
	u64 usual_q4;		/* usual length of I/Os in blocks, in Q4; 0 for unknown */
	u64 window_ns;		/* length of a window */
	u64 done[LW_CLASSES];	/* completions by class so far */
	u64 op_done[LW_OPS];	/* completions by operation so far; not of LW_OP_DATA */
	unsigned long ops;	/* operations that occur, a bit each */
	u64 least_ns;		/* least latency of a path */
};

/* Reads are told apart only together with writes. */
static inline unsigned long lw_ops_done(const struct lw_probing *p)
{
	unsigned long ops = BIT(LW_OP_DATA);

	if (p->op_done[LW_OP_WRITE])
		ops |= BIT(LW_OP_READ) | BIT(LW_OP_WRITE);
	if (p->op_done[LW_OP_OTHER])
		ops |= BIT(LW_OP_OTHER);
	return ops;
}

/* Its I/Os in flight complete, as far as is known. */
static inline bool lw_path_works(const struct lw_path_state *s)
{
	return s->health.validated && !s->health.stalled;
}

/*
 * Less than 1/64 of the traffic: little more than probes. Or nothing at all: lw_ewma() then ends
 * within half of its step above 1.
 */
static inline bool lw_path_unused(const struct lw_path_state *s, u64 recent_q8)
{
	return s->counted.recent_q8 < max_t(u64, recent_q8 >> 6, 2 + (1 << LW_RECENT_SHIFT >> 1));
}

/* Time between probes, in ns of active time; of a probe's own time outliers are a part. */
static inline u64 lw_probe_period_ns(const struct lw_path_state *s, const struct lw_probing *p)
{
	u64 lat = (lw_path_lat(s) + lw_outliers_ns(&s->capacity.outliers)) *
		  (lw_path_unused(s, p->recent_q8) ? max(p->unused, 1U) : LW_PROBE_USED);

	if (s->latency.seen_windows < LW_PROBE_SOON)
		return p->min_ms * 1000000ULL;
	return lw_probe_period_ms(lat, p->inflight, p->min_ms, p->max_ms) * 1000000ULL;
}

/* Last completion in the classes from .. to - 1. */
static inline u64 lw_seen_ns(const struct lw_path_state *s, unsigned int from, unsigned int to)
{
	u64 seen = 0;
	unsigned int c;

	lw_for_each_class(c, &s->counted)
		if (c >= from && c < to)
			seen = max(seen, s->latency.cls[c].seen_ns);
	return seen;
}

/**
 * lw_probe_wanted() - does the path want a probe?
 * @s: the path
 * @p: limits of probing
 *
 * Periods count time with traffic only, or rare I/Os would all be probes. I/O in flight that does
 * not complete is the probe; but see lw_stall_retry(). If that one ends, it shows that the path
 * lives, but not its latency: try another.
 */
static inline bool lw_probe_wanted(const struct lw_path_state *s, const struct lw_probing *p)
{
	const struct lw_health *h = &s->health;
	u64 inflight = lw_newer_inflight(s);

	if (inflight && !h->lives && (h->stalled || !h->validated || !s->w.ends))
		return h->retry && p->inflight >= LW_RETRY_BESIDE +
						  (lw_path_works(s) ? inflight : 0);
	return !h->validated ||
	       s->counted.active_ns - lw_seen_ns(s, LW_CLASS_32K, LW_CLASSES) >=
	       lw_probe_period_ns(s, p);
}

/*
 * Have others had so many I/Os of a kind, since the path had one, that its probe takes a 64th of
 * their time?
 */
static inline bool lw_missed_enough(const struct lw_path_state *s, const struct lw_probing *p,
				    u64 missed)
{
	return s->health.validated && !s->health.stalled &&
	       min_t(u64, missed, 1 << 20) * p->least_ns >= LW_OP_MISSED * lw_path_lat(s);
}

/**
 * lw_op_probe_wanted() - does the path want a probe of an operation that others have?
 * @s: the path
 * @op: the operation; not LW_OP_DATA
 * @p: limits of probing
 * @missed: completions of the operation on all paths since the last one of this path
 *
 * By time as any probe; and by I/Os, as the operation may be rare, so that probes take a 64th of
 * the time that the operation takes.
 */
static inline bool lw_op_probe_wanted(const struct lw_path_state *s, enum lw_op op,
				      const struct lw_probing *p, u64 missed)
{
	return lw_missed_enough(s, p, missed) &&
	       s->counted.active_ns - s->kinds.op[op].seen_ns >= lw_probe_period_ns(s, p);
}

/*
 * The class below which I/Os are short for the path: the class of its usual length, a moving
 * average, which ends a little above the length of equal I/Os if it comes from above.
 */
static inline unsigned int lw_short_below(const struct lw_path_state *s)
{
	u64 usual_q4 = s->kinds.size.usual_q4;

	return lw_class(min_t(u64, (usual_q4 - usual_q4 / 32) << 8, LW_DATA_MAX));
}

/* Completions of I/Os that are short for this path, on all paths or, without @p, on it. */
static inline u64 lw_short_done(const struct lw_path_state *s, const struct lw_probing *p)
{
	unsigned int c;
	u64 done = 0;

	for (c = LW_CLASS_32K; c < lw_short_below(s); c++)
		done += p ? p->done[c] : s->counted.cls[c].was.done;
	return done;
}

/**
 * lw_short_probe_wanted() - does the path want a probe with a short I/O?
 * @s: the path
 * @p: limits of probing
 * @missed: short completions on all paths since the last one of this path
 *
 * A path that gets long I/Os alone forgets the effect of size, so short ones seem to take as long
 * there, and would never come. Long ones come by themselves, as they seem to be short. By time and
 * by I/Os, as lw_op_probe_wanted(), but no sooner than what a probe tells is forgotten.
 */
static inline bool lw_short_probe_wanted(const struct lw_path_state *s,
					 const struct lw_probing *p, u64 missed)
{
	u64 least_ns = max(p->window_ns, lw_path_lat(s)) << LW_SIZE_MEMORY;
	unsigned int c, below = lw_short_below(s);

	if (lw_path_unused(s, p->recent_q8) || !lw_missed_enough(s, p, missed))
		return false;
	for (c = LW_CLASS_32K; c < below; c++)
		if (s->counted.cls[c].inflight)
			return false;
	return s->counted.active_ns - lw_seen_ns(s, LW_CLASS_32K, below) >=
	       max(least_ns, lw_probe_period_ns(s, p));
}

#endif
