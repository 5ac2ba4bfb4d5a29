/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is a path slow? Its state compares it with the other paths, a report (report.h) with what it was.
 *
 * A verdict turns only if each look has found the opposite, for some time and in some windows with
 * completions, so neither one late I/O nor the lack of I/O turns it.
 */
#ifndef LW_SLOW_H
#define LW_SLOW_H

#include "model/constants.h"
#include "model/path_state.h"

/* The verdict, and the looks that speak against it. Protected as the path's estimates. */
struct lw_verdict {
	bool slow;
	u64 since_ns;		/* since when looks find the opposite, 0 if they do not */
	unsigned int looks;	/* how many have found it since then */
	unsigned int seen;	/* lw_latency.seen_windows at the last look */
};

/* Is there anything new since the last look? Of a stalled path, the time without a completion. */
static inline bool lw_verdict_news(struct lw_verdict *v, const struct lw_path_state *s)
{
	bool news = s->health.stalled || v->seen != s->latency.seen_windows;

	v->seen = s->latency.seen_windows;
	return news;
}

/* For how long it has been otherwise; other selectors of the path may have read the clock later. */
static inline u64 lw_verdict_for(const struct lw_verdict *v, u64 now_ns)
{
	return max_t(s64, now_ns - v->since_ns, 0);
}

/**
 * lw_verdict_turns() - does the verdict turn?
 * @v: the verdict
 * @slow: this look's finding, see lw_verdict_news()
 * @hold_ns: how long it has to be so
 * @now_ns: time
 * Return: whether it does, again and again until the caller calls lw_verdict_turn().
 */
static inline bool lw_verdict_turns(struct lw_verdict *v, bool slow, u64 hold_ns, u64 now_ns)
{
	if (slow == v->slow) {
		v->since_ns = 0;
		return false;
	}
	if (!v->since_ns) {
		v->since_ns = now_ns;
		v->looks = 0;
	}
	v->looks++;
	return lw_verdict_for(v, now_ns) >= hold_ns && v->looks >= LW_SLOW_LOOKS;
}

static inline void lw_verdict_turn(struct lw_verdict *v)
{
	v->slow = !v->slow;
	v->since_ns = 0;
}

/* A latency as a multiple of another, in Q8. */
static inline u64 lw_growth(u64 is_ns, u64 than_ns)
{
	return div64_u64(min_t(u64, is_ns, LW_NS_MAX) << 8, max_t(u64, than_ns, 1));
}

/**
 * lw_grew() - does a path look slow?
 * @v: the verdict: it stays slow down to a smaller multiple
 * @s: the path; what varies by itself has to be slower by so much more
 * @growth: its latency as a multiple of the one that it is compared with, in Q8
 * @others: multiple that is nothing special, in Q8
 * @more_ns: by how much it is longer, if @growth is more than 1
 */
static inline bool lw_grew(const struct lw_verdict *v, const struct lw_path_state *s, u64 growth,
			   u64 others, u64 more_ns)
{
	growth = div64_u64(min_t(u64, growth, 1ULL << 47) << 16, (1 << 16) + s->latency.noise_q16);
	if (v->slow)
		return growth >= LW_SLOW_STAYS;
	return growth >= 2 * max_t(u64, others, 1 << 8) && more_ns >= LW_SLOW_LEAST_NS;
}

/**
 * lw_slow_beside() - does the path's state turn, between slow and not?
 * @v: the verdict that is shown
 * @s: the path
 * @base_ns: its base, by which paths are compared; 0 if it is failed or unknown
 * @best_ns: the least base of the paths in use
 * @now_ns: time
 *
 * While a path stalls, its latency is the time since its last completion. If it is the best path,
 * it is compared with its own base.
 */
static inline bool lw_slow_beside(struct lw_verdict *v, const struct lw_path_state *s, u64 base_ns,
				  u64 best_ns, u64 now_ns)
{
	bool news = lw_verdict_news(v, s), slow;

	if (s->health.stalled) {
		best_ns = min(best_ns, base_ns);
		base_ns = base_ns ? max(base_ns, s->health.no_completion_ns) : 0;
	}
	if (!base_ns)
		v->since_ns = 0;
	if (!base_ns || !news)
		return false;
	slow = lw_grew(v, s, lw_growth(base_ns, best_ns), 0, base_ns - best_ns);
	return lw_verdict_turns(v, slow, LW_SLOW_SHOWN_NS, now_ns);
}

#endif
