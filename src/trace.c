// SPDX-License-Identifier: GPL-2.0
/* Helpers of the tracepoints, out of line: callers first check that the event is on, at no cost. */
#define CREATE_TRACE_POINTS
#include "trace.h"

/* Why a path was chosen; users see the numbers of lw_reason_text(). */
enum lw_reason {
	LW_REASON_COST,		/* least cost */
	LW_REASON_PROBE,	/* the window wanted a probe */
	LW_REASON_RUN,		/* a run continues, see min_contiguous_kb */
	/* No path is LW_USE; the best is of this eligibility, see enum lw_use: */
	LW_REASON_FULL,
	LW_REASON_AVOID,
	LW_REASON_BACKOFF,
	LW_REASON_STALLED,
	LW_REASON_SUSPECTED,
	LW_REASON_POLICY,	/* the map's policy chose another path than the module */
	LW_REASON_OBSERVED,	/* the rule of another selector, see choose */
};

static unsigned int lw_trace_flags(const struct lw_path_state *s)
{
	return s->health.validated | s->health.stalled << 1 | s->health.stamped << 2;
}

/**
 * lw_trace_window() - trace that a path's window was closed
 * @path: the path, its lock held
 */
void lw_trace_window(const struct lw_device *path)
{
	trace_lw_window(path->known.bdev_nr, &path->state, lw_trace_flags(&path->state));
}

/* @cost: as of lw_cost(), in ticks * LW_ONE; 0 if something else decided. */
static void lw_trace_choice(struct lw_selector *sel, unsigned int index,
			    size_t nr_bytes, enum lw_reason reason, u64 cost)
{
	const struct lw_path_info *m = &sel->member[index];

	trace_lw_choose(m->shown.map_number, m->path->known.bdev_nr, nr_bytes,
			(cost >> (10 - LW_TICK_SHIFT)) / NSEC_PER_USEC,
			lw_flight_ios(atomic64_read(&m->path->line.work)), reason);
}

/**
 * lw_trace_probe() - trace the choice of a path for a probe; called by select_path()
 * @sel: the selector
 * @index: the member
 * @nr_bytes: length of the I/O
 */
void lw_trace_probe(struct lw_selector *sel, unsigned int index, size_t nr_bytes)
{
	lw_trace_choice(sel, index, nr_bytes, LW_REASON_PROBE, 0);
}

/**
 * lw_trace_chosen() - trace a choice by comparison; called by select_path()
 * @sel: the selector
 * @choice: the best path
 * @own: the member that the module chose, which is another one if a run continues
 * @index: the chosen member, which is another one if the map's policy chose it
 * @nr_bytes: length of the I/O
 */
void lw_trace_chosen(struct lw_selector *sel, struct lw_choice choice, unsigned int own,
		     unsigned int index, size_t nr_bytes)
{
	static const enum lw_reason by_use[] = {
		[LW_USE]	= LW_REASON_COST,
		[LW_SUSPECTED]	= LW_REASON_SUSPECTED,
		[LW_FULL]	= LW_REASON_FULL,
		[LW_AVOID]	= LW_REASON_AVOID,
		[LW_BACKOFF]	= LW_REASON_BACKOFF,
		[LW_PAUSED]	= LW_REASON_STALLED,
		[LW_STALLED]	= LW_REASON_STALLED,
	};
	enum lw_use use = lw_choice_use(&choice);
	enum lw_reason reason = by_use[use];

	if (index != own)
		reason = LW_REASON_POLICY;
	else if (index != choice.index)
		reason = LW_REASON_RUN;
	else if (use == LW_USE && !lw_choice_cost(&choice))
		reason = LW_REASON_OBSERVED;
	lw_trace_choice(sel, index, nr_bytes, reason,
			reason == LW_REASON_COST ? lw_choice_cost(&choice) : 0);
}

/**
 * lw_trace_state() - trace a change of state; the path's use_lock is held
 * @m: the member
 * @was: enum lw_state before
 * @is: enum lw_state now
 */
void lw_trace_state(const struct lw_path_info *m, unsigned int was, unsigned int is)
{
	trace_lw_state(m->shown.map_number, m->path->known.bdev_nr, was, is);
}
