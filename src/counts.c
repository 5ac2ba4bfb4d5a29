// SPDX-License-Identifier: GPL-2.0
/* What the CPUs counted, added up. */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/prefetch.h>
#include <linux/slab.h>

#include "path.h"

/**
 * lw_sums_alloc() - room for sums, but for those of classes that may never be used
 * @sums: zeroed
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOMEM; then lw_sums_free() is due all the same.
 */
int lw_sums_alloc(struct lw_sums *sums)
{
	sums->node = kvcalloc(nr_node_ids, sizeof(*sums->node), GFP_KERNEL);
	sums->before = kcalloc(BITS_TO_LONGS(nr_cpu_ids), sizeof(long), GFP_KERNEL);
	sums->was[LW_CLASS_32K] = kcalloc(nr_cpu_ids, sizeof(struct lw_cell), GFP_KERNEL);
	sums->was_busy = kcalloc(nr_cpu_ids, sizeof(*sums->was_busy), GFP_KERNEL);
	if (!sums->node || !sums->before || !sums->was_busy || !sums->was[LW_CLASS_32K])
		return -ENOMEM;
	return 0;
}

void lw_sums_free(struct lw_sums *sums)
{
	unsigned int c;

	for (c = 0; c < LW_CLASSES; c++)
		kfree(sums->was[c]);
	kfree(sums->was_busy);
	kfree(sums->before);
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

/**
 * struct lw_fold - a fold under way
 * @classes: those that were used
 * @now: when it began
 * @sum: by class, what the sums of times have grown by on all CPUs, modulo 2^32
 * @left: by class, starts less ends of all CPUs
 */
struct lw_fold {
	unsigned long classes;
	u64 now;
	u32 sum[LW_CLASSES];
	s32 left[LW_CLASSES];
};

/* What a CPU counted of a class since the last fold. */
static void lw_fold_cell(struct lw_sums *sums, struct lw_fold *fold, unsigned int cpu,
			 unsigned int c, const struct lw_cell *is)
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
	flow->took_ns += took_ns;
	fold->left[c] += starts - ends;
	fold->sum[c] += is->sum - was->sum;
	if (lw_class_is_data(c))
		lw_seen_add(&sums->node[max(cpu_to_node(cpu), 0)], took_ns, done);
	*was = *is;
}

/*
 * Without memory a class waits for a later fold, which then looks at all CPUs. The caller
 * may be what frees memory, hence no wait here.
 */
static void lw_fold_begin(struct lw_path *path, struct lw_fold *fold)
{
	unsigned long used = READ_ONCE(path->classes);
	struct lw_cell **was = path->sums.was;
	unsigned int c;

	lockdep_assert_held(&path->lock);
	*fold = (struct lw_fold){ .now = ktime_get_ns() };
	for_each_set_bit(c, &used, LW_CLASSES) {
		if (!was[c])
			was[c] = kcalloc(nr_cpu_ids, sizeof(**was), GFP_ATOMIC | __GFP_NOWARN);
		if (was[c])
			__set_bit(c, &fold->classes);
		else
			path->sums.behind = true;
	}
}

/* What other CPUs have written takes long to come; let all of it come at once. */
static void lw_fold_prefetch(const struct lw_path *path, const struct lw_fold *fold,
			     unsigned int cpu)
{
	unsigned int c;

	prefetch(&per_cpu_ptr(path->counts, cpu)->seq);
	for_each_set_bit(c, &fold->classes, LW_CLASSES) {
		prefetch(&per_cpu_ptr(path->counts, cpu)->cell[c]);
		prefetch(&path->sums.was[c][cpu]);
	}
}

static void lw_fold_cpu(struct lw_path *path, struct lw_fold *fold, unsigned int cpu)
{
	unsigned int c;

	for_each_set_bit(c, &fold->classes, LW_CLASSES) {
		struct lw_cell is = lw_cell_read(path, cpu, c);

		lw_fold_cell(&path->sums, fold, cpu, c, &is);
	}
}

/* One class may start on one CPU and end on others: only the sum over all of them is small. */
static void lw_fold_end(struct lw_path *path, const struct lw_fold *fold)
{
	unsigned int c;

	for_each_set_bit(c, &fold->classes, LW_CLASSES)
		path->sums.flow[c].sum_ns += lw_sum_ns(fold->sum[c], fold->left[c], fold->now);
}

static void lw_fold_touched(struct lw_path *path, struct lw_fold *fold)
{
	unsigned long *before = path->sums.before, *touched = path->touched;
	unsigned int word, bit;

	for (word = 0; word < BITS_TO_LONGS(nr_cpu_ids); word++) {
		unsigned long cpus = before[word];

		before[word] = READ_ONCE(touched[word]);
		if (before[word])
			before[word] = xchg(&touched[word], 0);
		cpus |= before[word];
		for_each_set_bit(bit, &cpus, BITS_PER_LONG)
			lw_fold_prefetch(path, fold, word * BITS_PER_LONG + bit);
		for_each_set_bit(bit, &cpus, BITS_PER_LONG)
			lw_fold_cpu(path, fold, word * BITS_PER_LONG + bit);
	}
}

static void lw_fold_busy(struct lw_path *path, unsigned int cpu)
{
	u32 busy = READ_ONCE(per_cpu_ptr(path->counts, cpu)->busy);
	u32 *was = &path->sums.was_busy[cpu];

	path->sums.busy += (u32)(busy - *was);
	*was = busy;
}

static void lw_fold_all(struct lw_path *path, struct lw_fold *fold)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		lw_fold_cpu(path, fold, cpu);
		lw_fold_busy(path, cpu);
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
	bool behind = path->sums.behind;
	struct lw_fold fold;

	path->sums.behind = false;
	lw_fold_begin(path, &fold);
	lw_fold_touched(path, &fold);
	if (unlikely(behind))
		lw_fold_all(path, &fold);
	lw_fold_end(path, &fold);
}

/**
 * lw_counts_fold_all() - add up all that came, for those who look
 * @path: the path, its lock held
 *
 * Context: process.
 */
void lw_counts_fold_all(struct lw_path *path)
{
	struct lw_fold fold;

	lw_fold_begin(path, &fold);
	lw_fold_all(path, &fold);
	lw_fold_end(path, &fold);
}

/**
 * lw_count_event() - how often something happened on a path
 * @path: the path, its lock held
 * @event: enum lw_event
 */
u64 lw_count_event(struct lw_path *path, unsigned int event)
{
	if (event != LW_EVENT_FULL)
		return atomic64_read(&path->event[event]);
	lw_counts_fold_all(path);
	return path->sums.busy;
}
