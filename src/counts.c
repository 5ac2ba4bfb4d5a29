// SPDX-License-Identifier: GPL-2.0
/* What the CPUs counted, added up for those who look. Nothing here is ever reset. */
#include "lw.h"

/**
 * lw_cell_read() - a cell as its CPU left it
 * @cell: the cell; its CPU may be writing it right now
 * @flow: out: its totals
 * @ewma_ns: out: its average
 */
void lw_cell_read(const struct lw_cell *cell, struct lw_flow *flow, u64 *ewma_ns)
{
	unsigned int seq;

	do {
		seq = read_seqcount_begin(&cell->seq);
		*flow = cell->flow;
		*ewma_ns = (u64)cell->ewma_ticks << LW_TICK_SHIFT;
	} while (read_seqcount_retry(&cell->seq, seq));
}

/**
 * lw_flow_add() - add up totals
 * @sum: what they are added to
 * @flow: those of another CPU, or class
 */
void lw_flow_add(struct lw_flow *sum, const struct lw_flow *flow)
{
	sum->starts += flow->starts;
	sum->start_ns += flow->start_ns;
	sum->ends += flow->ends;
	sum->end_ns += flow->end_ns;
	sum->done += flow->done;
	sum->blocks += flow->blocks;
}

/**
 * lw_count_flow() - totals of a path and class
 * @path: the path
 * @c: the class
 * @flow: what they are added to
 *
 * The CPUs are read one after the other: an I/O may have ended on one and not yet have
 * started on another.
 */
void lw_count_flow(struct lw_path *path, unsigned int c, struct lw_flow *flow)
{
	struct lw_flow own;
	unsigned int cpu;
	u64 ewma_ns;

	for_each_possible_cpu(cpu) {
		lw_cell_read(&per_cpu_ptr(path->counts, cpu)->cell[c], &own, &ewma_ns);
		lw_flow_add(flow, &own);
	}
	flow->ends -= READ_ONCE(path->astray[c]);
}

/**
 * lw_count_event() - how often something happened on a path
 * @path: the path
 * @event: enum lw_event
 */
u64 lw_count_event(struct lw_path *path, unsigned int event)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(path->counts, cpu)->event[event]);
	return sum;
}
