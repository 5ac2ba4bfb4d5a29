/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Maps with few I/Os. Their paths are idle most of the time, so there is no queue to keep an eye
 * on, and a window tells little. With a thousand of them windows are what costs most, so these
 * have longer ones. A path that hangs or slows down is busy, which makes windows short again.
 */
#ifndef LW_QUIET_H
#define LW_QUIET_H

#include "model/constants.h"
#include "model/path_state.h"

/* What the paths of a selector did in a window. */
struct lw_quiet {
	u64 ends;	/* I/Os that ended */
	u64 busy_q10;	/* parts of the window in which paths had I/O in flight, in Q10 */
	bool stirs;	/* some path has to be looked at again soon */
};

/**
 * lw_quiet_add() - add a path
 * @q: the selector's paths so far
 * @s: the path, after its window
 * @window_ns: length of a window
 *
 * The first window after a rest has the rest in its times, so it tells nothing of quiet; nor does
 * one in which I/Os began and none ended.
 */
static inline void lw_quiet_add(struct lw_quiet *q, const struct lw_path_state *s, u64 window_ns)
{
	q->stirs |= !s->health.validated || s->health.stalled || s->capacity.dip.left ||
		    s->latency.load > 2 * LW_IO || s->w.elapsed_ns > 2 * window_ns ||
		    (s->w.inflight && !s->w.ends);
	if (!s->w.starts && !s->w.ends && !s->w.inflight)
		return;
	q->ends += s->w.ends;
	q->busy_q10 += s->w.busy_q10;
}

/**
 * lw_quiet_windows() - length of the next window
 * @q: all paths of the selector
 * @windows: length of this window, in usual windows
 * @window_ms: length of a usual window
 * Return: in usual windows; more than one makes LW_QUIET_MS at most.
 */
static inline unsigned int lw_quiet_windows(const struct lw_quiet *q, unsigned int windows,
					    unsigned int window_ms)
{
	bool quiet = !q->stirs && q->ends <= LW_QUIET_ENDS * windows && q->busy_q10 <= LW_ONE / 2;

	return quiet ? max(LW_QUIET_MS / window_ms, 1U) : 1;
}

#endif
