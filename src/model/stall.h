/* SPDX-License-Identifier: GPL-2.0 */
/* Step 2 of a window, see model/estimate.h: does a path stall? */
#ifndef LW_STALL_H
#define LW_STALL_H

#include "model/estimate.h"

/*
 * Longest latency to expect of a class. If never measured: another class's, scaled by length; but
 * data tells little of flushes and discards, so no less than what a new path may take.
 */
static inline u64 lw_class_may_take(const struct lw_latency *l, const struct lw_counted *n,
				    unsigned int c)
{
	unsigned int known = lw_class_known(l, c);
	u64 may_take;

	if (known == LW_CLASSES)
		return 0;
	may_take = min_t(u64, l->cls[known].lat_ns, LW_NS_MAX);
	if (n->cls[c].blocks > n->cls[known].blocks)
		may_take = div64_u64(may_take * (n->cls[c].blocks + 4), n->cls[known].blocks + 4);
	if (known != c && !lw_class_is_data(c))
		may_take = max_t(u64, may_take, LW_STALL_TIMEOUT_NS);
	return may_take;
}

/* What ended in this window measures a stall, not the path. */
static inline void lw_path_skip(struct lw_path_state *s)
{
	lw_path_forget(s);
	s->w.done = 0;
	s->w.samples = 0;
	s->w.stamped_data = (struct lw_samples){ 0 };
	s->w.writes = (struct lw_op_samples){ 0 };
	s->w.others = (struct lw_op_samples){ 0 };
}

static inline void lw_path_pause(struct lw_path_state *s)
{
	lw_path_invalidate(s, 0);
	lw_path_skip(s);
	s->health.resumes = true;
	s->health.stall_ios = s->w.inflight;
}

/*
 * For how long nothing completed. An idle path does not stall; and limit what a late window adds,
 * as the machine may have stood still.
 */
static inline u64 lw_no_completion(const struct lw_health *h, const struct lw_window *w,
				   u64 window_ns)
{
	if (w->ends || w->was_inflight <= h->hung.ios || w->inflight <= h->hung.ios)
		return 0;
	return h->no_completion_ns + min_t(u64, w->elapsed_ns, 2 * window_ns);
}

/* A path that gets probes alone ends a stall: it lives. Allow the next probe more time. */
static inline void lw_stall_ended(struct lw_health *h, const struct lw_window *w)
{
	bool ended = h->stalled && w->ends;

	h->lives = !h->validated && !h->resumes && (ended || (h->lives && !w->starts));
	if (h->lives && ended)
		h->stall_timeout_ns = 2 * h->no_completion_ns;
}

/*
 * Nothing comes back: what is in flight may be lost until it times out, so one more I/O is tried,
 * and another each time that the silence has doubled; lw_probe_wanted() wants some beside.
 */
static inline void lw_stall_retry(struct lw_health *h)
{
	if (!h->no_completion_ns)
		h->retry_ns = LW_RETRY_NS;
	h->retry = h->no_completion_ns >= h->retry_ns;
	if (h->retry)
		h->retry_ns = 2 * h->no_completion_ns;
}

/**
 * lw_estimate_stall() - step 2: does the path stall?
 * @s: the path; writes health, and forgets the sums
 * @window_ns: length of a window
 *
 * The slowest class with I/O in flight sets the limit, plus a window, since an I/O may have
 * started just after the last completion. What starts during a stall does not end it.
 *
 * If the machine stood still, the path is used as before, but this window tells nothing of it.
 *
 * Return: true while the path stalls, or if the machine stood still. The caller then invalidates
 * I/Os started before now, as they measure that.
 */
static inline bool lw_estimate_stall(struct lw_path_state *s, u64 window_ns)
{
	struct lw_health *h = &s->health;
	bool was = h->stalled;
	unsigned int c;
	u64 may_take;

	lw_hung_add(&h->hung, s->w.held_ns, s->w.took_ns, s->w.samples, s->w.elapsed_ns);
	lw_stall_ended(h, &s->w);
	h->no_completion_ns = lw_no_completion(h, &s->w, window_ns);
	may_take = h->validated || h->resumes ? 0 : h->stall_timeout_ns;
	lw_for_each_class(c, &s->counted)
		if (s->counted.cls[c].inflight)
			may_take = max(may_take, lw_class_may_take(&s->latency, &s->counted, c));

	h->stalled = lw_newer_inflight(s) && ((was && h->no_completion_ns) ||
					      h->no_completion_ns >= may_take + window_ns);
	lw_stall_retry(h);
	if (h->validated && h->stalled) {
		lw_path_pause(s);
		return true;
	}
	if (h->validated && s->w.stood_still) {
		lw_path_skip(s);
		return true;
	}
	if (h->stalled && !was)
		h->resumes = false;
	return h->stalled;
}

#endif
