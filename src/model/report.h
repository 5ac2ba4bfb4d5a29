/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports of paths that became slow, or recovered. A path is slow if its base latency, without the
 * effect of its own load, is twice its usual one (an average over a minute or two) for report_ms;
 * it recovers below 1.5 times. If all paths become slower together, none is to blame, so a slow
 * path must also have grown by twice as much as the path that grew least. Plain structs under
 * struct lw_device.lock.
 */
#ifndef LW_REPORT_H
#define LW_REPORT_H

#include "model/slow.h"

/* Interval of looks at paths; it smooths single windows. */
#define LW_REPORT_LOOK_NS	(200 * 1000000ULL)
/* Looks until the usual latency is known, and looks that it averages over. */
#define LW_REPORT_KNOWN		16
#define LW_REPORT_LOOKS		512

enum lw_change {
	LW_CHANGE_NONE,
	LW_CHANGE_SLOW,
	LW_CHANGE_RECOVERED,
};

/* How many reports were made in a period. */
struct lw_report_limit {
	u64 begin_ns;		/* when it began; 0 before the first period */
	unsigned int made;
};

/**
 * lw_report_room() - is there room for one more report? A new period begins when the last is over
 * @l: the limit
 * @most: reports in a period
 * @period_ns: its length
 * @now_ns: time, which the callers may have read in another order
 */
static inline bool lw_report_room(struct lw_report_limit *l, unsigned int most, u64 period_ns,
				  u64 now_ns)
{
	if (!l->begin_ns || (s64)(now_ns - l->begin_ns) >= (s64)period_ns)
		*l = (struct lw_report_limit){ .begin_ns = now_ns };
	return l->made < most;
}

/* Reports on a path. */
struct lw_report {
	u64 baseline_ns;	/* usual latency; constant while the path is or becomes slow */
	unsigned int looks;	/* number of looks it rests on */
	u64 is_ns;		/* latency at the last look with completions */
	u64 slow_ns;		/* last slow latency */
	struct lw_verdict told;	/* what was reported */
};

/**
 * lw_report_latency() - latency of a path for reports; of a stalled one, how long it has stalled
 * @s: the path
 * Return: in ns; 0 for unknown: new, or not measured since it was reinstated.
 */
static inline u64 lw_report_latency(const struct lw_path_state *s)
{
	if (s->health.stalled)
		return max_t(u64, s->health.no_completion_ns, s->capacity.base_ns);
	return s->health.validated ? s->capacity.base_ns : 0;
}

/**
 * lw_report_see() - look at a path
 * @r: its reports
 * @s: the path; if it stalls, the time without a completion counts, too
 * @failed: failed by dm, which reports that itself
 * Return: whether it tells anything.
 */
static inline bool lw_report_see(struct lw_report *r, const struct lw_path_state *s, bool failed)
{
	bool news = lw_verdict_news(&r->told, s);
	u64 lat_ns = lw_report_latency(s);

	if (failed)
		r->told.since_ns = 0;
	if (failed || !lat_ns || !news)
		return false;
	r->is_ns = lat_ns;
	return true;
}

/* Latency relative to the usual one, in Q8; 0 while that is unknown. */
static inline u64 lw_report_growth(const struct lw_report *r)
{
	return r->looks < LW_REPORT_KNOWN ? 0 : lw_growth(r->is_ns, r->baseline_ns);
}

static inline void lw_report_learn(struct lw_report *r)
{
	r->looks = min_t(unsigned int, r->looks + 1, LW_REPORT_LOOKS);
	r->baseline_ns += div64_s64((s64)r->is_ns - (s64)r->baseline_ns, r->looks);
}

/**
 * lw_report_change() - is there something to report?
 * @r: the path
 * @s: the path's estimates, seen by lw_report_see()
 * @least_growth: least lw_report_growth() of the group; 0 if unknown, or without another path
 * @hold_ns: how long it must last, 0 to report nothing
 * @now_ns: time
 * Return: what to report, again and again until the caller calls lw_report_made().
 */
static inline enum lw_change lw_report_change(struct lw_report *r, const struct lw_path_state *s,
					      u64 least_growth, u64 hold_ns, u64 now_ns)
{
	bool was = r->told.slow, slow = was;

	if (hold_ns)
		slow = lw_grew(&r->told, s, lw_report_growth(r), least_growth,
			       r->is_ns - r->baseline_ns);
	if (slow && was)
		r->slow_ns = r->is_ns;
	if (!slow && !was)
		lw_report_learn(r);
	if (!lw_verdict_turns(&r->told, slow, hold_ns, now_ns))
		return LW_CHANGE_NONE;
	return slow ? LW_CHANGE_SLOW : LW_CHANGE_RECOVERED;
}

/* Latency before the change. */
static inline u64 lw_report_was(const struct lw_report *r)
{
	return r->told.slow ? r->slow_ns : r->baseline_ns;
}

/* Note that the change was reported. */
static inline void lw_report_made(struct lw_report *r)
{
	lw_verdict_turn(&r->told);
	r->slow_ns = r->is_ns;
}

#endif
