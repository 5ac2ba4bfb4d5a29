/* SPDX-License-Identifier: GPL-2.0 */
/* What each CPU counts of a path, and what that comes to. */
#ifndef LW_COUNTS_H
#define LW_COUNTS_H

#include <linux/seqlock.h>

#include "model/path_state.h"

/**
 * struct lw_cell - counts of one CPU, path and class, each modulo 2^32
 * @starts: I/Os started
 * @ends: I/Os ended, for whatever reason
 * @done: I/Os that really were done
 * @blocks: length of those started
 * @sum: times of the ends less those of the starts, see LW_SUM_SHIFT
 * @took: latencies of those done that had a time stamp, likewise
 *
 * I/Os may start on one CPU and end on another, so only the sum over the CPUs means
 * anything. Counts only grow (but for never-issued I/Os, which are taken back), and
 * nobody resets them: lw_counts_fold() keeps what it saw last and takes differences.
 */
struct lw_cell {
	u32 starts;
	u32 ends;
	u32 done;
	u32 blocks;
	u32 sum;
	u32 took;
};

/**
 * struct lw_counts - per CPU and path
 * @seq: lets others read consistent cells
 * @busy: how often the path was full when select_path() looked, modulo 2^32
 * @cell: by class
 *
 * Written by its own CPU only; @seq and @cell with interrupts off, because end_io() comes
 * in task, softirq and hard interrupt context.
 */
struct lw_counts {
	seqcount_t seq;
	u32 busy;
	struct lw_cell cell[LW_CLASSES];
};

/* What happens now and then, and is counted for those who look. */
enum lw_event {
	LW_EVENT_PROBE,			/* selected for a probe */
	LW_EVENT_FAILURE,		/* failed by dm */
	LW_EVENT_IGNORED_FAILED,	/* ended on a failed path: no sample */
	LW_EVENT_IGNORED_STALE,		/* started before it was distrusted: none */
	LW_EVENT_IGNORED_UNISSUED,	/* never taken by the driver: none */
	LW_EVENTS,
	LW_EVENT_FULL = LW_EVENTS,	/* full, when select_path() looked; by CPU */
};

/**
 * struct lw_sums - what the CPUs counted of a path, added up
 * @was: what each CPU's cell was at the last fold, by class; NULL before a class was used
 * @was_busy: what each CPU's busy was
 * @busy: how often the path was full, as of the last lw_counts_fold_all()
 * @node: stamped samples of data by node since the last window
 * @before: CPUs that had counted something (lw_path.touched) by the time of the last window
 * @behind: a class was left out for want of memory: the next fold looks at all CPUs
 * @flow: totals by class, as of the last fold
 *
 * Under the path's lock. A CPU may find its bit of lw_path.touched set just when the window
 * clears it and looks at the cell: what it then counts is found by the next window, which
 * looks at the CPUs of @before, too. So no barrier is needed.
 */
struct lw_sums {
	struct lw_cell *was[LW_CLASSES];
	u32 *was_busy;
	u64 busy;
	struct lw_seen *node;
	unsigned long *before;
	bool behind;
	struct lw_flow flow[LW_CLASSES];
};

struct lw_path;

int lw_sums_alloc(struct lw_sums *sums);
void lw_sums_free(struct lw_sums *sums);
struct lw_cell lw_cell_read(const struct lw_path *path, unsigned int cpu, unsigned int c);
void lw_counts_fold(struct lw_path *path);
void lw_counts_fold_all(struct lw_path *path);
u64 lw_count_event(struct lw_path *path, unsigned int event);

#endif
