// SPDX-License-Identifier: GPL-2.0
/*
 * What the tracepoints need and nobody else. Out of line: who calls asks first whether
 * the event is on, which costs an instruction that does nothing.
 */
#define CREATE_TRACE_POINTS
#include "admin/admin.h"
#include "trace.h"

/* Why a path was chosen; what users see are the numbers of lw_show_reason(). */
enum lw_reason {
	LW_REASON_COST,		/* least cost */
	LW_REASON_PROBE,	/* the window wanted a probe */
	LW_REASON_RUN,		/* a run goes on, see min_contiguous_kb */
	LW_REASON_FULL,		/* no path is to be used, and of the others */
	LW_REASON_AVOID,	/* this was the best: see enum lw_use */
	LW_REASON_REST,
	LW_REASON_STALLED,
	LW_REASON_SUSPECTED,
};

static unsigned int lw_trace_flags(const struct lw_path_state *s)
{
	return s->proven | s->stalled << 1 | s->stamped << 2 | s->open << 3;
}

/**
 * lw_trace_window() - a path's window is closed
 * @path: the path
 *
 * Context: process, @path's lock held.
 */
void lw_trace_window(const struct lw_path *path)
{
	trace_lw_window(path->bdev_nr, &path->state, lw_trace_flags(&path->state));
}

/* @cost: of lw_cost(), in ticks times LW_ONE; 0 where something else decided. */
static void lw_trace_choice(struct lw_selector *sel, unsigned int index,
			    size_t nr_bytes, enum lw_reason reason, u64 cost)
{
	const struct lw_member *m = &sel->member[index];

	trace_lw_choose(lw_map_number(m), m->path->bdev_nr, nr_bytes,
			(cost >> (10 - LW_TICK_SHIFT)) / NSEC_PER_USEC,
			lw_flight_ios(atomic64_read(&m->path->work)), reason);
}

/**
 * lw_trace_probe() - a path is chosen because the window wanted a probe
 * @sel: the selector
 * @index: the member
 * @nr_bytes: length of the I/O
 *
 * Context: select_path()'s.
 */
void lw_trace_probe(struct lw_selector *sel, unsigned int index, size_t nr_bytes)
{
	lw_trace_choice(sel, index, nr_bytes, LW_REASON_PROBE, 0);
}

/**
 * lw_trace_settled() - a path is chosen by comparison
 * @sel: the selector
 * @choice: the best path
 * @index: the member that is taken: another one, if a run goes on
 * @nr_bytes: length of the I/O
 *
 * Context: select_path()'s.
 */
void lw_trace_settled(struct lw_selector *sel, struct lw_choice choice,
		      unsigned int index, size_t nr_bytes)
{
	static const enum lw_reason by_use[] = {
		[LW_USE]	= LW_REASON_COST,
		[LW_SUSPECTED]	= LW_REASON_SUSPECTED,
		[LW_FULL]	= LW_REASON_FULL,
		[LW_AVOID]	= LW_REASON_AVOID,
		[LW_REST]	= LW_REASON_REST,
		[LW_STALLED]	= LW_REASON_STALLED,
	};

	if (index != choice.index)
		lw_trace_choice(sel, index, nr_bytes, LW_REASON_RUN, 0);
	else
		lw_trace_choice(sel, index, nr_bytes, by_use[lw_choice_use(&choice)],
				lw_choice_cost(&choice));
}

/**
 * lw_trace_state() - the state of a path is another one
 * @m: the member
 * @was: enum lw_state, before
 * @is: now
 *
 * Context: the path's use_lock held.
 */
void lw_trace_state(const struct lw_member *m, unsigned int was, unsigned int is)
{
	trace_lw_state(lw_map_number(m), m->path->bdev_nr, was, is);
}
