/* SPDX-License-Identifier: GPL-2.0 */
/* Per-CPU counts of a path, and their aggregation. */
#ifndef LW_COUNTS_H
#define LW_COUNTS_H

#include <linux/seqlock.h>

#include "model/operation.h"
#include "model/path_state.h"

/*
 * Counts of one CPU, path and class, modulo 2^32. I/Os may end on another CPU than they started
 * on, so only sums over all CPUs mean anything. Nobody resets counts: lw_counts_aggregate() takes
 * differences.
 */
struct lw_cell {
	u32 starts;	/* I/Os started; never-issued ones are subtracted again */
	u32 ends;	/* I/Os ended for any reason */
	u32 done;	/* valid completions */
	u32 blocks;	/* length of the started I/Os */
	u32 sum;	/* end times minus start times, see LW_SUM_SHIFT */
	u32 took;	/* latencies of stamped valid completions, in the same unit */
};

/*
 * Per CPU and path, written by its own CPU, but the window clears touched; seq, found and cell with
 * interrupts off, since end_io() runs in any context. Other CPUs read consistent cells by seq.
 */
struct lw_counts {
	seqcount_t seq;
	u32 full;	/* how often select_path() found the path full, modulo 2^32 */
	u32 found;	/* I/Os in flight that starts found, themselves included, modulo 2^32 */
	bool touched;	/* this CPU's bit in lw_device.touched is set; the window resets both */
	struct lw_cell cell[LW_CLASSES];
};

/*
 * Completions of one CPU and path by operation, modulo 2^32. Written with interrupts off and under
 * the seq of the path's counts of this CPU, so other CPUs read them whole.
 */
struct lw_op_cell {
	struct lw_op_count {
		u32 done;	/* valid stamped completions */
		u32 blocks;	/* their length */
		u32 took;	/* their latencies, in the unit of lw_cell.took */
	} writes, others;	/* others: as long as data, but without */
	u32 unknown;		/* valid completions of data whose operation was not known */
};

/* Rare events, counted for administrators. */
enum lw_event {
	LW_EVENT_PROBE,			/* selected for a probe */
	LW_EVENT_FAILURE,		/* failed by dm */
	LW_EVENT_OUTLIER,		/* took many times as long as usual */
	LW_EVENT_IGNORED_FAILED,	/* ended on a failed path */
	LW_EVENT_IGNORED_STALE,		/* started before the path was invalidated */
	LW_EVENT_IGNORED_UNISSUED,	/* never taken by the driver */
	LW_EVENTS,
	LW_EVENT_FULL = LW_EVENTS,	/* full in select_path(); counted per CPU */
	LW_EVENT_UNKNOWN_OP,		/* see struct lw_op_cell; counted per CPU */
};

/* What a window remembers for the next one. */
struct lw_closed {
	unsigned int full_windows;	/* windows since full was set */
	bool was_empty;			/* nothing was in flight at its end */
	u64 suspected_ns;		/* see lw_suspect_clear() */
	u64 old_ends;			/* as struct lw_ended_counts has it, at its end */
	struct lw_op_samples writes;	/* as struct lw_sums has it, likewise */
	struct lw_op_samples others;	/* likewise */
};

/*
 * Aggregated counts of a path, under its lock. A CPU that counts and finds lw_counts.touched set
 * does not set its bit; if the window clears touched at that moment, it may not see the count yet.
 * So each window also visits the CPUs of the last one, and counts need no barrier before the read
 * of touched. Between touched and the bit there is one, see lw_device_touch().
 */
struct lw_sums {
	struct lw_cell *was[LW_CLASSES];	/* last cells by CPU; NULL for an unused class */
	u32 *was_found;				/* last lw_counts.found, by CPU */
	u64 full;				/* how often the path was full */
	s64 found;				/* its growth since the last window */
	struct lw_samples *node;		/* stamped data samples since the last window */
	unsigned long *before;			/* CPUs in lw_device.touched at the last window */
	bool behind;	/* no memory for a class: next time visit all CPUs */
	struct lw_op_cell *was_op;		/* as was; NULL while nobody wants by_operation */
	struct lw_op_samples writes;		/* totals of struct lw_op_cell */
	struct lw_op_samples others;		/* likewise */
	u64 unknown_ops;			/* completions whose operation was not known */
	struct lw_closed closed;
	struct lw_counters counters[LW_CLASSES];	/* totals by class */
};

struct lw_device;

int lw_sums_alloc(struct lw_sums *sums);
void lw_sums_free(struct lw_sums *sums);
struct lw_cell lw_cell_read(const struct lw_device *path, unsigned int cpu, unsigned int c);
u64 lw_counts_aggregate(struct lw_device *path);
void lw_counts_aggregate_all(struct lw_device *path);
u64 lw_event_count(struct lw_device *path, unsigned int event);

#endif
