/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When is a path reported as slow, and when as recovered? Looked at several times a second,
 * it has a usual latency: an average over a minute or two. It is slow if its latency is
 * twice the usual one, without the path's own load being the reason (base_ns), for as long
 * as report_ms says, and has recovered once it is below one and a half times.
 *
 * If all paths of a group become slower together it is their device, or the I/O has become
 * another, and no path is to blame. So a slow one also has grown by twice as much as the
 * path that grew least.
 *
 * Plain structs, owned by whoever calls (in the module: struct lw_path.lock).
 */
#ifndef LW_REPORT_H
#define LW_REPORT_H

#include "model/path_state.h"

/* So often at most are paths looked at: noise of single windows is gone, and the price is small. */
#define LW_REPORT_LOOK_NS	(200 * 1000000ULL)
/* Looks after which the usual latency is one, and of which it is the average, about. */
#define LW_REPORT_KNOWN		16
#define LW_REPORT_LOOKS		512
/*
 * I/Os that a report rests on. Where one ends in a window, an outlier is a quarter of the
 * average after it, and by 3/4 less of it after each further one: of 1,000 times as long as
 * usual nothing is left after these.
 */
#define LW_REPORT_IOS		32
/* Less than this more is nobody's trouble, however fast the path usually is. */
#define LW_REPORT_LEAST_NS	(100 * 1000ULL)

enum lw_change {
	LW_CHANGE_NONE,
	LW_CHANGE_SLOW,
	LW_CHANGE_RECOVERED,
};

/**
 * struct lw_report - a path, as reports go by it
 * @usual_ns: its usual latency; stays while the path is slow, or about to be
 * @looks: how many looks that rests on
 * @is_ns: latency at the last look at which anything had ended
 * @slow_ns: the last one that was slow
 * @done: I/Os done by the last look
 * @since_ns: since when the path is other than it was reported, 0 for not
 * @ios: I/Os done since then
 * @slow: it was reported so
 */
struct lw_report {
	u64 usual_ns;
	unsigned int looks;
	u64 is_ns;
	u64 slow_ns;
	u64 done;
	u64 since_ns;
	u64 ios;
	bool slow;
};

/**
 * lw_report_latency() - what a path's latency is, for reports
 * @s: the path
 *
 * A path that stalls is as slow as it has been silent for.
 *
 * Return: in ns, 0 for unknown: new, or not yet measured since it was reinstated.
 */
static inline u64 lw_report_latency(const struct lw_path_state *s)
{
	if (s->stalled)
		return max_t(u64, s->silence_ns, s->base_ns);
	return s->proven ? s->base_ns : 0;
}

/**
 * lw_report_see() - a look at a path
 * @r: the path
 * @lat_ns: lw_report_latency()
 * @done: I/Os done so far
 * @stalled: silence tells something, too
 *
 * Return: how many I/Os this look rests on, 0 if it tells nothing.
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

/* How much slower than usual it is, in Q8; 0 as long as nothing is usual. */
static inline u64 lw_report_growth(const struct lw_report *r)
{
	if (r->looks < LW_REPORT_KNOWN)
		return 0;
	return div64_u64(min_t(u64, r->is_ns, LW_NS_MAX) << 8, max_t(u64, r->usual_ns, 1));
}

static inline bool lw_report_is_slow(const struct lw_report *r, u64 least_growth)
{
	u64 growth = lw_report_growth(r);

	if (r->slow)
		return growth >= 3 << 7;
	return growth >= 2 * max_t(u64, least_growth, 1 << 8) &&
	       r->is_ns - r->usual_ns >= LW_REPORT_LEAST_NS;
}

static inline void lw_report_learn(struct lw_report *r)
{
	r->looks = min_t(unsigned int, r->looks + 1, LW_REPORT_LOOKS);
	r->usual_ns += div64_s64((s64)r->is_ns - (s64)r->usual_ns, r->looks);
}

/**
 * lw_report_change() - is there something to be reported?
 * @r: the path
 * @ios: what lw_report_see() returned
 * @least_growth: lw_report_growth() of the path of the group that has the least; 0 for unknown,
 *	or if there is no other path
 * @hold_ns: how long it has to last, 0: nothing is ever reported
 * @now_ns: time
 *
 * Return: what to report; then lw_report_made() is due once that is done, and until then
 * this is returned again.
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
	if (now_ns - r->since_ns < hold_ns || r->ios < LW_REPORT_IOS)
		return LW_CHANGE_NONE;
	return slow ? LW_CHANGE_SLOW : LW_CHANGE_RECOVERED;
}

/* What it was before: usually, or while it was slow. */
static inline u64 lw_report_was(const struct lw_report *r)
{
	return r->slow ? r->slow_ns : r->usual_ns;
}

/* It was reported. */
static inline void lw_report_made(struct lw_report *r)
{
	r->slow = !r->slow;
	r->slow_ns = r->is_ns;
	r->since_ns = 0;
}

#endif
