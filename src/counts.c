// SPDX-License-Identifier: GPL-2.0
/* What the CPUs counted, added up. */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/prefetch.h>
#include <linux/slab.h>

#include "lw.h"

/**
 * lw_sums_alloc() - room for sums, but for those of classes not yet used
 * @sums: zeroed
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOMEM; then lw_sums_free() is due all the same.
 */
int lw_sums_alloc(struct lw_sums *sums)
{
	size_t words = BITS_TO_LONGS(nr_cpu_ids);

	sums->node = kvcalloc(nr_node_ids, sizeof(*sums->node), GFP_KERNEL);
	sums->touched = kcalloc(words, sizeof(long), GFP_KERNEL);
	sums->before = kcalloc(words, sizeof(long), GFP_KERNEL);
	return sums->node && sums->touched && sums->before ? 0 : -ENOMEM;
}

void lw_sums_free(struct lw_sums *sums)
{
	unsigned int c;

	for (c = 0; c < LW_CLASSES; c++)
		kfree(sums->was[c]);
	kfree(sums->before);
	kfree(sums->touched);
	kvfree(sums->node);
}

/**
 * lw_cell_read() - a cell as its CPU left it
 * @path: the path
 * @cpu: any possible CPU; it may be writing right now
 * @c: class
 */
struct lw_cell lw_cell_read(const struct lw_path *path, unsigned int cpu, unsigned int c)
{
	const struct lw_counts *own = per_cpu_ptr(path->counts, cpu);
	struct lw_cell cell;
	unsigned int seq;

	do {
		seq = read_seqcount_begin(&own->seq);
		cell = own->cell[c];
	} while (read_seqcount_retry(&own->seq, seq));
	return cell;
}

/* What a CPU counted of a class since the last fold. */
static void lw_fold_cell(struct lw_sums *sums, unsigned int cpu, unsigned int c,
			 const struct lw_cell *is, u64 now)
{
	struct lw_cell *was = &sums->was[c][cpu];
	struct lw_flow *flow = &sums->flow[c];
	s32 starts = is->starts - was->starts, ends = is->ends - was->ends;
	u64 took_ns = (u64)(u32)(is->took - was->took) << LW_SUM_SHIFT;
	u32 done = is->done - was->done;

	/* Never-issued I/Os are taken back: there may be less than there were. */
	flow->starts += starts;
	flow->ends += ends;
	flow->done += done;
	flow->blocks += (s32)(is->blocks - was->blocks);
	flow->sum_ns += lw_sum_ns(is->sum - was->sum, starts - ends, now);
	flow->took_ns += took_ns;
	if (lw_class_is_data(c))
		lw_seen_add(&sums->node[max(cpu_to_node(cpu), 0)], took_ns, done);
	*was = *is;
}

/*
 * Classes that were used. One that has just been is left for the next fold if there is no
 * memory: its CPUs have counted it. The caller may be what frees memory, hence no wait.
 */
static unsigned long lw_fold_classes(struct lw_path *path)
{
	unsigned long classes = READ_ONCE(path->classes), used = classes;
	struct lw_cell **was = path->sums.was;
	unsigned int c;

	for_each_set_bit(c, &used, LW_CLASSES) {
		if (!was[c])
			was[c] = kcalloc(nr_cpu_ids, sizeof(**was), GFP_ATOMIC | __GFP_NOWARN);
		if (!was[c])
			__clear_bit(c, &classes);
	}
	return classes;
}

/* What other CPUs have written takes long to come; let all of it come at once. */
static void lw_fold_prefetch(const struct lw_path *path, unsigned int cpu,
			     unsigned long classes)
{
	unsigned int c;

	prefetch(&per_cpu_ptr(path->counts, cpu)->seq);
	for_each_set_bit(c, &classes, LW_CLASSES) {
		prefetch(&per_cpu_ptr(path->counts, cpu)->cell[c]);
		prefetch(&path->sums.was[c][cpu]);
	}
}

static void lw_fold_cpu(struct lw_path *path, unsigned int cpu, unsigned long classes, u64 now)
{
	unsigned int c;

	for_each_set_bit(c, &classes, LW_CLASSES) {
		struct lw_cell is = lw_cell_read(path, cpu, c);

		lw_fold_cell(&path->sums, cpu, c, &is, now);
	}
}

/**
 * lw_counts_fold() - add up what came since the last time
 * @path: the path, its lock held
 *
 * Only the CPUs that did something: it is called by each window. A CPU that goes offline
 * keeps its counts and its bit.
 *
 * Context: process.
 */
void lw_counts_fold(struct lw_path *path)
{
	unsigned long classes = lw_fold_classes(path), *before = path->sums.before;
	unsigned int word, bit;
	u64 now = ktime_get_ns();

	lockdep_assert_held(&path->lock);
	for (word = 0; word < BITS_TO_LONGS(nr_cpu_ids); word++) {
		unsigned long cpus = before[word];

		before[word] = READ_ONCE(path->sums.touched[word]);
		if (before[word])
			before[word] = xchg(&path->sums.touched[word], 0);
		cpus |= before[word];
		for_each_set_bit(bit, &cpus, BITS_PER_LONG)
			lw_fold_prefetch(path, word * BITS_PER_LONG + bit, classes);
		for_each_set_bit(bit, &cpus, BITS_PER_LONG)
			lw_fold_cpu(path, word * BITS_PER_LONG + bit, classes, now);
	}
}

/**
 * lw_counts_fold_all() - add up all that came, for those who look
 * @path: the path, its lock held
 *
 * Context: process.
 */
void lw_counts_fold_all(struct lw_path *path)
{
	unsigned long classes = lw_fold_classes(path);
	u64 now = ktime_get_ns();
	unsigned int cpu;

	lockdep_assert_held(&path->lock);
	for_each_possible_cpu(cpu)
		lw_fold_cpu(path, cpu, classes, now);
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

	if (event != LW_EVENT_BUSY)
		return atomic64_read(&path->event[event]);
	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(path->counts, cpu)->busy);
	return sum;
}
