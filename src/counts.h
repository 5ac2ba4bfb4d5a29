/* SPDX-License-Identifier: GPL-2.0 */
/* What each CPU counts of a path. */
#ifndef LW_COUNTS_H
#define LW_COUNTS_H

#include <linux/cache.h>
#include <linux/seqlock.h>

#include "histogram.h"

/**
 * struct lw_cell - counts of one CPU, path and class: one cache line
 * @seq: lets the window read a consistent cell
 * @ewma_ticks: average of stamped samples, 0 for none
 * @last_ns: time of the last one
 * @flow: totals; I/Os may start on one CPU and end on another, so only the sum
 *	over the CPUs means anything
 *
 * Written by its own CPU only, with interrupts off, because end_io() comes in
 * task, softirq and hard interrupt context. Totals only grow (but for
 * never-issued I/Os, which are taken back), and nobody resets them: the window
 * keeps what it saw last and takes differences. A cell whose CPU goes offline
 * keeps its counts.
 */
struct lw_cell {
	seqcount_t seq;
	u32 ewma_ticks;
	u64 last_ns;
	struct lw_flow flow;
} ____cacheline_aligned;

/* What happens now and then, and is counted for those who look. */
enum lw_event {
	LW_EVENT_PROBE,			/* selected for a probe */
	LW_EVENT_BUSY,			/* full, when select_path() looked */
	LW_EVENT_FAILURE,		/* failed by dm */
	LW_EVENT_IGNORED_FAILED,	/* ended on a failed path: no sample */
	LW_EVENT_IGNORED_STALE,		/* started before it was distrusted: none */
	LW_EVENT_IGNORED_UNISSUED,	/* never taken by the driver: none */
	LW_EVENTS
};

/**
 * struct lw_counts - per CPU and path
 * @cell: by class
 * @event: by enum lw_event, only growing; written by its own CPU only
 * @bucket: I/Os ended, by class and latency; not those that were never issued. Written
 *	as cells are; each is a total of its own, which any CPU may read at any time
 */
struct lw_counts {
	struct lw_cell cell[LW_CLASSES];
	u64 event[LW_EVENTS] ____cacheline_aligned;
	u64 bucket[LW_CLASSES][LW_HISTOGRAM_SIZE];
};

struct lw_path;

void lw_cell_read(const struct lw_cell *cell, struct lw_flow *flow, u64 *ewma_ns);
void lw_flow_add(struct lw_flow *sum, const struct lw_flow *flow);
void lw_count_flow(struct lw_path *path, unsigned int c, struct lw_flow *flow);
u64 lw_count_event(struct lw_path *path, unsigned int event);

#endif
