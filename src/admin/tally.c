// SPDX-License-Identifier: GPL-2.0
/*
 * What was counted of a path since it was reset. Counts are never set back, since only
 * their own CPU writes them: what they were is subtracted.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "admin/map.h"

/**
 * struct lw_reset - the counts of a path when they were last reset
 * @flow: totals by class
 * @bucket: by class and latency, NULL as long as there was no histogram at any reset;
 * @histogram_nr: of this histogram of the path, 0 for none
 * @cell: by CPU and class, [cpu * LW_CLASSES + class]
 */
struct lw_reset {
	struct lw_flow flow[LW_CLASSES];
	u64 (*bucket)[LW_HISTOGRAM_SIZE];
	unsigned int histogram_nr;
	struct lw_cell cell[];
};

/* Never below 0: an I/O from before may be taken back, as if it had not been started. */
static u64 lw_since(u64 now, u64 was)
{
	return max_t(s64, now - was, 0);
}

/* The same of what is counted modulo 2^32. No driver takes back so many at once. */
static u32 lw_since32(u32 now, u32 was)
{
	return now - was > U32_MAX - 65536 ? 0 : now - was;
}

/**
 * lw_tally_cpu() - what a CPU counted, modulo 2^32
 * @at: the path; its map's lock is held, as for all here
 * @cpu: any possible CPU
 * @c: class
 */
struct lw_tally lw_tally_cpu(const struct lw_map_path *at, unsigned int cpu, unsigned int c)
{
	struct lw_cell is = lw_cell_read(at->path, cpu, c), was = { 0 };

	if (at->reset)
		was = at->reset->cell[cpu * LW_CLASSES + c];
	return (struct lw_tally){ lw_since32(is.starts, was.starts),
				  lw_since32(is.ends, was.ends),
				  lw_since32(is.done, was.done) };
}

/**
 * lw_tally_node() - what the CPUs of a node counted, each modulo 2^32
 * @at: the path
 * @node: the node
 * @c: class
 *
 * Ends that belonged to nothing in flight (lw_path_settle()) are in there, as they are in
 * what each CPU counted; lw_tally_class() leaves them out.
 */
struct lw_tally lw_tally_node(const struct lw_map_path *at, int node, unsigned int c)
{
	struct lw_tally sum = { 0 };
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct lw_tally t;

		if (node != max(cpu_to_node(cpu), 0))
			continue;
		t = lw_tally_cpu(at, cpu, c);
		sum.starts += t.starts;
		sum.ends += t.ends;
		sum.done += t.done;
	}
	return sum;
}

/**
 * lw_tally_fold() - add up what all CPUs counted, for lw_tally_class()
 * @at: the path
 */
void lw_tally_fold(const struct lw_map_path *at)
{
	mutex_lock(&at->path->lock);
	lw_counts_fold_all(at->path);
	mutex_unlock(&at->path->lock);
}

/**
 * lw_tally_class() - what all CPUs counted, as of the last fold
 * @at: the path
 * @c: class
 */
struct lw_tally lw_tally_class(const struct lw_map_path *at, unsigned int c)
{
	struct lw_flow is, was = { 0 };

	mutex_lock(&at->path->lock);
	is = at->path->sums.flow[c];
	mutex_unlock(&at->path->lock);
	if (at->reset)
		was = at->reset->flow[c];
	return (struct lw_tally){ lw_since(is.starts, was.starts), lw_since(is.ends, was.ends),
				  lw_since(is.done, was.done) };
}

/* @return which histogram it was, 0 for none. */
static unsigned int lw_histogram_total(struct lw_path *path, unsigned int c, u64 *count)
{
	unsigned int cpu, b, nr = 0;

	memset(count, 0, LW_HISTOGRAM_SIZE * sizeof(*count));
	mutex_lock(&path->lock);
	if (path->histogram) {
		nr = path->histogram_nr;
		for_each_possible_cpu(cpu)
			for (b = 0; b < LW_HISTOGRAM_SIZE; b++)
				count[b] += READ_ONCE(per_cpu_ptr(path->histogram, cpu)->bucket[c][b]);
	}
	mutex_unlock(&path->lock);
	return nr;
}

/**
 * lw_tally_histogram() - I/Os ended, by latency
 * @at: the path
 * @c: class
 * @count: out: LW_HISTOGRAM_SIZE counts
 *
 * Return: whether they are counted by latency.
 */
bool lw_tally_histogram(const struct lw_map_path *at, unsigned int c, u64 *count)
{
	unsigned int b, nr = lw_histogram_total(at->path, c, count);

	if (nr && at->reset && at->reset->histogram_nr == nr)
		for (b = 0; b < LW_HISTOGRAM_SIZE; b++)
			count[b] = lw_since(count[b], at->reset->bucket[c][b]);
	return nr;
}

static void lw_histogram_reset(struct lw_map_path *at)
{
	struct lw_reset *reset = at->reset;
	unsigned int c;

	reset->histogram_nr = 0;
	if (!reset->bucket)
		return;
	for (c = 0; c < LW_CLASSES; c++) {
		unsigned int nr = lw_histogram_total(at->path, c, reset->bucket[c]);

		/* One that another map dropped meanwhile, or asked for, is new. */
		reset->histogram_nr = !c || nr == reset->histogram_nr ? nr : 0;
	}
}

static void lw_path_reset(struct lw_map_path *at)
{
	struct lw_reset *reset = at->reset;
	unsigned int cpu, c;

	lw_histogram_reset(at);
	for_each_possible_cpu(cpu)
		for (c = 0; c < LW_CLASSES; c++)
			reset->cell[cpu * LW_CLASSES + c] = lw_cell_read(at->path, cpu, c);
	mutex_lock(&at->path->lock);
	lw_counts_fold_all(at->path);
	memcpy(reset->flow, at->path->sums.flow, sizeof(reset->flow));
	mutex_unlock(&at->path->lock);
}

/* Room for what lw_path_reset() keeps; of latencies, only where they are counted. */
static int lw_reset_alloc(struct lw_map_path *at)
{
	size_t cells = (size_t)nr_cpu_ids * LW_CLASSES;

	if (!at->reset)
		at->reset = kvzalloc(struct_size(at->reset, cell, cells), GFP_KERNEL);
	if (!at->reset)
		return -ENOMEM;
	if (!READ_ONCE(at->path->histogram) || at->reset->bucket)
		return 0;
	at->reset->bucket = kvcalloc(LW_CLASSES, sizeof(*at->reset->bucket), GFP_KERNEL);
	return at->reset->bucket ? 0 : -ENOMEM;
}

/**
 * lw_tally_reset() - count from here, on all paths of a map
 * @map: the map
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOMEM and nothing was reset.
 */
int lw_tally_reset(struct lw_map *map)
{
	struct lw_map_path *at;

	lockdep_assert_held(&map->lock);
	list_for_each_entry(at, &map->paths, node)
		if (lw_reset_alloc(at))
			return -ENOMEM;
	list_for_each_entry(at, &map->paths, node)
		lw_path_reset(at);
	return 0;
}

/**
 * lw_tally_free() - forget what was counted when a path's counts were reset
 * @at: the path; nobody looks at it any more
 */
void lw_tally_free(struct lw_map_path *at)
{
	if (at->reset)
		kvfree(at->reset->bucket);
	kvfree(at->reset);
}
