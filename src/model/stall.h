/* SPDX-License-Identifier: GPL-2.0 */
/* Step 2 of a window, see model/estimate.h: does a path stall? */
#ifndef LW_STALL_H
#define LW_STALL_H

#include "model/estimate.h"

/*
 * Longest latency to expect of a class. If never measured: another class's, scaled by length; but
 * data tells little of flushes and discards, so no less than what a new path may take.
 */
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
	s->resumes = true;
	s->stall_ios = s->w.inflight;
}

/*
 * Nothing comes back: what is in flight may be lost until it times out, so one more I/O is tried,
 * and another each time that the silence has doubled; lw_probe_wanted() wants some beside.
 */
static inline void lw_stall_retry(struct lw_path_state *s)
{
	if (!s->no_completion_ns)
		s->retry_ns = LW_RETRY_NS;
	s->retry = s->no_completion_ns && s->no_completion_ns >= s->retry_ns;
	if (s->retry)
		s->retry_ns = 2 * s->no_completion_ns;
}

/**
 * lw_estimate_stall() - step 2: does the path stall?
 * @s: the path
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
	u64 may_take = s->validated || s->resumes ? 0 : s->stall_timeout_ns;
	bool was = s->stalled;
	unsigned int c;

	lw_for_each_class(c, s)
		if (s->cls[c].inflight)
			may_take = max(may_take, lw_class_may_take(s, c));

	s->stalled = lw_newer_inflight(s) && ((was && s->no_completion_ns) ||
					      s->no_completion_ns >= may_take + window_ns);
	lw_stall_retry(s);
	if (s->validated && s->stalled) {
		lw_path_pause(s);
		return true;
	}
	if (s->validated && s->w.stood_still) {
		lw_path_skip(s);
		return true;
	}
	if (s->stalled && !was)
		s->resumes = false;
	return s->stalled;
}

#endif
