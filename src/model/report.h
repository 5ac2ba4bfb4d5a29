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

#include "model/path_state.h"

/* Interval of looks at paths; it smooths single windows. */
#define LW_REPORT_LOOK_NS	(200 * 1000000ULL)
/* Looks until the usual latency is known, and looks that it averages over. */
#define LW_REPORT_KNOWN		16
#define LW_REPORT_LOOKS		512
/*
 * I/Os that a report rests on. With one in each window, an outlier weighs a quarter in the average
 * and fades by a quarter with each further I/O: after these, nothing is left of 1,000 times the
 * usual latency.
 */
#define LW_REPORT_IOS		32
/* Least increase worth reporting, however fast the path is. */
#define LW_REPORT_LEAST_NS	(100 * 1000ULL)

enum lw_change {
	LW_CHANGE_NONE,
	LW_CHANGE_SLOW,
	LW_CHANGE_RECOVERED,
};

/* Reports on a path. */
struct lw_report {
	u64 baseline_ns;	/* usual latency; constant while the path is or becomes slow */
	unsigned int looks;	/* number of looks it rests on */
	u64 is_ns;		/* latency at the last look with completions */
	u64 slow_ns;		/* last slow latency */
	u64 done;		/* I/Os completed by the last look */
	u64 since_ns;		/* since when the path differs from the report, 0 if it does not */
	u64 ios;		/* I/Os completed since then */
	bool slow;		/* reported as slow */
};

/**
 * lw_report_latency() - latency of a path for reports; of a stalled one, how long it has stalled
 * @s: the path
 * Return: in ns; 0 for unknown: new, or not measured since it was reinstated.
 */
static inline u64 lw_report_latency(const struct lw_path_state *s)
{
	if (s->stalled)
		return max_t(u64, s->no_completion_ns, s->base_ns);
	return s->validated ? s->base_ns : 0;
}

/**
 * lw_report_see() - look at a path
 * @r: the path
 * @lat_ns: lw_report_latency()
 * @done: I/Os completed so far
 * @stalled: the time without a completion counts, too
 * Return: I/Os that this look rests on, 0 if it tells nothing.
 */
static inline u64 lw_report_see(struct lw_report *r, u64 lat_ns, u64 done, bool stalled)
{
	u64 ios = stalled ? LW_REPORT_IOS : done - r->done;

	r->done = done;
	if (!lat_ns || !ios)
		return 0;
	r->is_ns = lat_ns;
	return ios;
}

/* Latency relative to the usual one, in Q8; 0 while that is unknown. */
static inline u64 lw_report_growth(const struct lw_report *r)
{
	if (r->looks < LW_REPORT_KNOWN)
		return 0;
	return div64_u64(min_t(u64, r->is_ns, LW_NS_MAX) << 8, max_t(u64, r->baseline_ns, 1));
}

static inline bool lw_report_is_slow(const struct lw_report *r, u64 least_growth)
{
	u64 growth = lw_report_growth(r);

	if (r->slow)
		return growth >= 3 << 7;
	return growth >= 2 * max_t(u64, least_growth, 1 << 8) &&
	       r->is_ns - r->baseline_ns >= LW_REPORT_LEAST_NS;
}

static inline void lw_report_learn(struct lw_report *r)
{
	r->looks = min_t(unsigned int, r->looks + 1, LW_REPORT_LOOKS);
	r->baseline_ns += div64_s64((s64)r->is_ns - (s64)r->baseline_ns, r->looks);
}

/* For how long it has been otherwise; other selectors of the path may have read the clock later. */
static inline u64 lw_report_for(const struct lw_report *r, u64 now_ns)
{
	return max_t(s64, now_ns - r->since_ns, 0);
}

/**
 * lw_report_change() - is there something to report?
 * @r: the path
 * @ios: result of lw_report_see()
 * @least_growth: least lw_report_growth() of the group; 0 if unknown, or without another path
 * @hold_ns: how long it must last, 0 to report nothing
 * @now_ns: time
 * Return: what to report, again and again until the caller calls lw_report_made().
 */
static inline enum lw_change lw_report_change(struct lw_report *r, u64 ios, u64 least_growth,
					      u64 hold_ns, u64 now_ns)
{
	bool slow;

	if (!ios)
		return LW_CHANGE_NONE;
	slow = hold_ns ? lw_report_is_slow(r, least_growth) : r->slow;
	if (slow && r->slow)
		r->slow_ns = r->is_ns;
	if (slow == r->slow) {
		r->since_ns = 0;
		if (!slow)
			lw_report_learn(r);
		return LW_CHANGE_NONE;
	}
	if (!r->since_ns) {
		r->since_ns = now_ns;
		r->ios = 0;
	}
	r->ios += ios;
	if (lw_report_for(r, now_ns) < hold_ns || r->ios < LW_REPORT_IOS)
		return LW_CHANGE_NONE;
	return slow ? LW_CHANGE_SLOW : LW_CHANGE_RECOVERED;
}

/* Latency before the change. */
static inline u64 lw_report_was(const struct lw_report *r)
{
	return r->slow ? r->slow_ns : r->baseline_ns;
}

/* Note that the change was reported. */
static inline void lw_report_made(struct lw_report *r)
{
	r->slow = !r->slow;
	r->slow_ns = r->is_ns;
	r->since_ns = 0;
}

#endif
