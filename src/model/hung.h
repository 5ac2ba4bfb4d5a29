/* SPDX-License-Identifier: GPL-2.0 */
/*
 * I/Os from before the last reinstatement of a path. They may hang until they time out, although
 * user space says that the path works, so they are no load, and nothing waits for them.
 */
#ifndef LW_HUNG_H
#define LW_HUNG_H

#include "model/path_state.h"

/* I/Os in flight without those that hang. */
static inline u64 lw_newer_inflight(const struct lw_path_state *s)
{
	return s->inflight - min(s->hung, s->inflight);
}

/* Leave them out of what was in flight in the window. */
static inline void lw_leave_out_hung(struct lw_path_state *s)
{
	u64 newer = s->held - min(s->held, s->hung * LW_IO);

	if (newer == s->held)
		return;
	s->held_blocks = div64_u64(s->held_blocks, s->held) * newer;
	s->held = newer;
}

/* Ends that are no samples may be of hung I/Os; without stamps, all ends may. */
static inline void lw_count_hung(struct lw_path_state *s)
{
	u64 ends = s->samples ? s->ends - min(s->done, s->ends) : s->ends;

	s->hung = min(s->hung - min(s->hung, ends), s->inflight);
}

#endif
