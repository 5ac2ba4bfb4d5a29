// SPDX-License-Identifier: GPL-2.0
/* What end_io() counts while somebody asks: latencies in histograms, and operations. */
#include <linux/percpu.h>

#include "admin/admin.h"

/**
 * lw_count_latency() - count an I/O by its latency
 * @path: the path; call only if lw_has_histogram() returned true
 * @c: class
 * @stamp: start time, 0 if unknown
 * @now: end time
 *
 * Counts I/Os that are not valid samples, too: their latency is still true.
 *
 * Context: interrupts off; lw_stock_flush() waits for that before it frees.
 */
void lw_count_latency(struct lw_device *path, unsigned int c, u64 stamp, u64 now)
{
	struct lw_histogram __percpu *histogram = READ_ONCE(path->histogram.row);

	if (histogram)
		__this_cpu_inc(histogram[c].bucket[lw_bucket(stamp, now)]);
}

/* This CPU's cell, or NULL if nobody asks. Interrupts are off. */
static struct lw_op_cell *lw_own_op_cell(struct lw_device *path)
{
	struct lw_op_cell __percpu *operations = READ_ONCE(path->op.cells);

	return operations ? this_cpu_ptr(operations) : NULL;
}

/**
 * lw_count_unknown() - count a valid completion of data whose operation is not known, or not yet
 * @path: the path
 *
 * Context: interrupts off, as lw_count_operation().
 */
void lw_count_unknown(struct lw_device *path)
{
	struct lw_op_cell *cell = lw_own_op_cell(path);
	seqcount_t *seq = &this_cpu_ptr(path->counts)->seq;

	if (!cell)
		return;
	write_seqcount_begin(seq);
	cell->unknown++;
	write_seqcount_end(seq);
}

static void lw_count_op_latency(const struct lw_ended *io, enum lw_op op)
{
	struct lw_histogram __percpu *histogram = READ_ONCE(io->path->op.histogram.row);

	if (histogram && (op == LW_OP_READ || op == LW_OP_WRITE))
		__this_cpu_inc(histogram[op - LW_OP_READ].bucket[lw_bucket(io->stamp, io->now)]);
}

/**
 * lw_count_operation() - the operation of a completion became known
 * @io: the completion, after lw_count_unknown() on this CPU
 * @op: its operation
 *
 * Context: interrupts off; who drops cells or histograms waits for that before they are freed.
 */
void lw_count_operation(const struct lw_ended *io, enum lw_op op)
{
	struct lw_device *path = io->path;
	struct lw_op_cell *cell = lw_own_op_cell(path);
	seqcount_t *seq = &this_cpu_ptr(path->counts)->seq;
	struct lw_op_count *count;

	if (!cell)
		return;
	count = op == LW_OP_WRITE ? &cell->writes : &cell->others;
	write_seqcount_begin(seq);
	cell->unknown--;
	if (op != LW_OP_READ && io->took) {
		count->done++;
		count->blocks += io->blocks;
		count->took += io->took;
	}
	write_seqcount_end(seq);
	lw_count_op_latency(io, op);
}
