// SPDX-License-Identifier: GPL-2.0
/* Aggregation of per-CPU counts. The path's lock is held, unless noted otherwise. */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/prefetch.h>
#include <linux/slab.h>

#include "path.h"

/**
 * lw_sums_alloc() - allocate sums, except for classes that may never be used
 * @sums: zeroed; may sleep, no lock is needed
 * Return: 0, or -ENOMEM; lw_sums_free() is due in either case.
 */
int lw_sums_alloc(struct lw_sums *sums)
{
	sums->node = kvcalloc(nr_node_ids, sizeof(*sums->node), GFP_KERNEL);
	sums->before = kvcalloc(BITS_TO_LONGS(nr_cpu_ids), sizeof(long), GFP_KERNEL);
	sums->was[LW_CLASS_32K] = kvcalloc(nr_cpu_ids, sizeof(struct lw_cell), GFP_KERNEL);
	sums->was_found = kvcalloc(nr_cpu_ids, sizeof(*sums->was_found), GFP_KERNEL);
	if (!sums->node || !sums->before || !sums->was_found || !sums->was[LW_CLASS_32K])
		return -ENOMEM;
	return 0;
}

void lw_sums_free(struct lw_sums *sums)
{
	unsigned int c;

	for (c = 0; c < LW_CLASSES; c++)
		kvfree(sums->was[c]);
	kvfree(sums->was_found);
	kvfree(sums->before);
	kvfree(sums->node);
}

/* Copy the CPU's counts, consistent by the seq of the path's counts. */
static __always_inline void lw_copy_cell(const struct lw_device *path, unsigned int cpu,
					 void *to, const void *from, size_t size)
{
	const struct lw_counts *own = per_cpu_ptr(path->counts, cpu);
	unsigned int seq;

	do {
		seq = read_seqcount_begin(&own->seq);
		memcpy(to, from, size);
	} while (read_seqcount_retry(&own->seq, seq));
}

/**
 * lw_cell_read() - read a consistent cell, also while its CPU writes; needs no lock
 * @path: the path
 * @cpu: any possible CPU
 * @c: class
 */
struct lw_cell lw_cell_read(const struct lw_device *path, unsigned int cpu, unsigned int c)
{
	struct lw_cell cell;

	lw_copy_cell(path, cpu, &cell, &per_cpu_ptr(path->counts, cpu)->cell[c], sizeof(cell));
	return cell;
}

/* An aggregation in progress. */
struct lw_aggregation {
	unsigned long classes;	/* classes in use */
	u64 now;		/* its start */
	u32 sum[LW_CLASSES];	/* by class, growth of sums of times on all CPUs, modulo 2^32 */
	s32 left[LW_CLASSES];	/* by class, starts minus ends */
};

static void lw_aggregate_cell(struct lw_sums *sums, struct lw_aggregation *pass, unsigned int cpu,
			      unsigned int c, const struct lw_cell *is)
{
	struct lw_cell *was = &sums->was[c][cpu];
	struct lw_counters *counters = &sums->counters[c];
	s32 starts = is->starts - was->starts, ends = is->ends - was->ends;
	u64 took_ns = (u64)(u32)(is->took - was->took) << LW_SUM_SHIFT;
	u32 done = is->done - was->done;

	/* May be negative, since never-issued I/Os are taken back. */
	counters->starts += starts;
	counters->ends += ends;
	counters->done += done;
	counters->blocks += (s32)(is->blocks - was->blocks);
	counters->took_ns += took_ns;
	pass->left[c] += starts - ends;
	pass->sum[c] += is->sum - was->sum;
	if (lw_class_is_data(c))
		lw_samples_add(&sums->node[max(cpu_to_node(cpu), 0)], took_ns, done);
	*was = *is;
}

/* Defer a class if there is no memory. Do not wait: the caller may be needed to free memory. */
static void lw_aggregate_begin(struct lw_device *path, struct lw_aggregation *pass)
{
	unsigned long used = READ_ONCE(path->classes);
	struct lw_cell **was = path->sums.was;
	unsigned int c;

	lockdep_assert_held(&path->lock);
	*pass = (struct lw_aggregation){ .now = ktime_get_ns() };
	for_each_set_bit(c, &used, LW_CLASSES) {
		if (!was[c])
			was[c] = kcalloc(nr_cpu_ids, sizeof(**was), GFP_ATOMIC | __GFP_NOWARN);
		if (was[c])
			__set_bit(c, &pass->classes);
		else
			path->sums.behind = true;
	}
}

/* Prefetch lines that other CPUs wrote, so that the misses overlap. */
static void lw_aggregate_prefetch(const struct lw_device *path, const struct lw_aggregation *pass,
				  unsigned int cpu)
{
	unsigned int c;

	prefetch(&per_cpu_ptr(path->counts, cpu)->seq);
	prefetch(&path->sums.was_found[cpu]);
	for_each_set_bit(c, &pass->classes, LW_CLASSES) {
		prefetch(&per_cpu_ptr(path->counts, cpu)->cell[c]);
		prefetch(&path->sums.was[c][cpu]);
	}
}

static void lw_aggregate_operation(struct lw_op_samples *to, const struct lw_op_count *was,
				   const struct lw_op_count *is)
{
	to->count += (u32)(is->done - was->done);
	to->blocks += (u32)(is->blocks - was->blocks);
	to->took_ns += (u64)(u32)(is->took - was->took) << LW_SUM_SHIFT;
}

/* Cells are zero when the path gets them, and was_op with them. */
static void lw_aggregate_operations(struct lw_device *path, unsigned int cpu)
{
	struct lw_op_cell is, *was = &path->sums.was_op[cpu];

	lw_copy_cell(path, cpu, &is, per_cpu_ptr(path->op.cells, cpu), sizeof(is));
	lw_aggregate_operation(&path->sums.writes, &was->writes, &is.writes);
	lw_aggregate_operation(&path->sums.others, &was->others, &is.others);
	/* Signed, since each end counts until its operation is known. */
	path->sums.unknown_ops += (s32)(is.unknown - was->unknown);
	*was = is;
}

/* The load found by starts; a start missing in the cells may be in it, which does no harm. */
static void lw_aggregate_found(struct lw_device *path, unsigned int cpu)
{
	u32 found = READ_ONCE(per_cpu_ptr(path->counts, cpu)->found);
	u32 *was = &path->sums.was_found[cpu];

	/* May be negative, since never-issued I/Os are taken back. */
	path->sums.found += (s32)(found - *was);
	*was = found;
}

static void lw_aggregate_cpu(struct lw_device *path, struct lw_aggregation *pass, unsigned int cpu)
{
	unsigned int c;

	lw_aggregate_found(path, cpu);
	if (path->sums.was_op)
		lw_aggregate_operations(path, cpu);
	for_each_set_bit(c, &pass->classes, LW_CLASSES) {
		struct lw_cell is = lw_cell_read(path, cpu, c);

		lw_aggregate_cell(&path->sums, pass, cpu, c, &is);
	}
}

/* Only the sum over all CPUs is small, as I/Os may end on other CPUs than they started on. */
static void lw_aggregate_end(struct lw_device *path, const struct lw_aggregation *pass)
{
	unsigned int c;

	for_each_set_bit(c, &pass->classes, LW_CLASSES)
		path->sums.counters[c].sum_ns += lw_sum_ns(pass->sum[c], pass->left[c], pass->now);
}

/* A CPU whose bit is cleared may still write, so the next window has its turn, too. */
static void lw_aggregate_touched(struct lw_device *path, struct lw_aggregation *pass, bool again)
{
	unsigned long *before = path->sums.before, *touched = path->touched;
	unsigned int word, bit, cpu;

	for (word = 0; word < BITS_TO_LONGS(nr_cpu_ids); word++) {
		unsigned long now = READ_ONCE(touched[word]), cpus;

		/* A full barrier, which pairs with the one in lw_device_touch(). */
		if (now)
			now = xchg(&touched[word], 0);
		cpus = before[word] | now;
		before[word] = again ? cpus : now;
		for_each_set_bit(bit, &cpus, BITS_PER_LONG)
			lw_aggregate_prefetch(path, pass, word * BITS_PER_LONG + bit);
		for_each_set_bit(bit, &cpus, BITS_PER_LONG) {
			cpu = word * BITS_PER_LONG + bit;
			/* First, so that the CPU sets its bit again for later counts. */
			WRITE_ONCE(per_cpu_ptr(path->counts, cpu)->touched, false);
			lw_aggregate_cpu(path, pass, cpu);
		}
	}
}

static void lw_aggregate_all(struct lw_device *path, struct lw_aggregation *pass)
{
	unsigned int cpu;
	u32 full = 0;

	for_each_possible_cpu(cpu) {
		lw_aggregate_cpu(path, pass, cpu);
		full += READ_ONCE(per_cpu_ptr(path->counts, cpu)->full);
	}
	/* The CPUs' sum has 32 bits: extend it by its growth. */
	path->sums.full += full - (u32)path->sums.full;
}

/**
 * lw_counts_aggregate() - aggregate the counts of CPUs that were active; called by each window
 * @path: the path
 *
 * An offline CPU keeps its counts and its bit.
 *
 * Return: the time up to which I/Os are counted, ns.
 */
u64 lw_counts_aggregate(struct lw_device *path)
{
	struct lw_aggregation pass;
	unsigned int tries = 0;

	/* Again if it was interrupted, as later values are not of this time. */
	do {
		bool behind = path->sums.behind;

		path->sums.behind = false;
		lw_aggregate_begin(path, &pass);
		lw_aggregate_touched(path, &pass, tries);
		if (unlikely(behind))
			lw_aggregate_all(path, &pass);
		lw_aggregate_end(path, &pass);
	} while (unlikely(ktime_get_ns() - pass.now > NSEC_PER_MSEC && ++tries < 3));
	return pass.now;
}

/**
 * lw_counts_aggregate_all() - aggregate the counts of all CPUs, for readers of files
 * @path: the path
 */
void lw_counts_aggregate_all(struct lw_device *path)
{
	struct lw_aggregation pass;

	lw_aggregate_begin(path, &pass);
	lw_aggregate_all(path, &pass);
	lw_aggregate_end(path, &pass);
}

/**
 * lw_event_count() - how often an event happened on a path
 * @path: the path
 * @event: enum lw_event
 */
u64 lw_event_count(struct lw_device *path, unsigned int event)
{
	if (event < LW_EVENTS)
		return atomic64_read(&path->ended.event[event]);
	lw_counts_aggregate_all(path);
	return event == LW_EVENT_FULL ? path->sums.full : path->sums.unknown_ops;
}
