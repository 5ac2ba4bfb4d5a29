// SPDX-License-Identifier: GPL-2.0
/*
 * Counts of a path since a reset. Only their own CPU writes counts, so a reset stores them, to be
 * subtracted. The map's lock is held; process context, may sleep.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "admin/map.h"

/* Counts of a path at the last reset. */
struct lw_reset {
	struct lw_counters counters[LW_CLASSES];	/* totals by class */
	u64 (*bucket)[LW_HISTOGRAM_SIZE];	/* by row of the histograms and latency, or NULL */
	unsigned int histogram_nr[LW_HISTOGRAMS];	/* of each row, the histogram; 0 for none */
	struct lw_cell cell[];			/* [cpu * LW_CLASSES + class] */
};

/* Never negative: never-issued I/Os from before the reset may be taken back. */
static u64 lw_since(u64 now, u64 was)
{
	return max_t(s64, now - was, 0);
}

/* The same modulo 2^32; no driver takes back so many at once. */
static u32 lw_since32(u32 now, u32 was)
{
	return now - was > U32_MAX - 65536 ? 0 : now - was;
}

/**
 * lw_totals_cpu() - counts of a CPU, modulo 2^32
 * @at: the path
 * @cpu: any possible CPU
 * @c: class
 */
struct lw_totals lw_totals_cpu(const struct lw_map_path *at, unsigned int cpu, unsigned int c)
{
	struct lw_cell is = lw_cell_read(at->path, cpu, c), was = { 0 };

	if (at->reset)
		was = at->reset->cell[cpu * LW_CLASSES + c];
	return (struct lw_totals){ lw_since32(is.starts, was.starts),
				  lw_since32(is.ends, was.ends),
				  lw_since32(is.done, was.done) };
}

/**
 * lw_totals_node() - counts of a node's CPUs, modulo 2^32
 * @at: the path
 * @node: the node
 * @c: class
 *
 * Includes ends that lw_correct_counts() removes from lw_totals_class().
 */
struct lw_totals lw_totals_node(const struct lw_map_path *at, int node, unsigned int c)
{
	struct lw_totals sum = { 0 };
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct lw_totals t;

		if (node != max(cpu_to_node(cpu), 0))
			continue;
		t = lw_totals_cpu(at, cpu, c);
		sum.starts += t.starts;
		sum.ends += t.ends;
		sum.done += t.done;
	}
	return sum;
}

/**
 * lw_totals_aggregate() - aggregate the counts of all CPUs, for lw_totals_class()
 * @at: the path
 */
void lw_totals_aggregate(const struct lw_map_path *at)
{
	mutex_lock(&at->path->lock);
	lw_counts_aggregate_all(at->path);
	mutex_unlock(&at->path->lock);
}

/**
 * lw_totals_class() - counts of all CPUs at the last aggregation
 * @at: the path
 * @c: class
 */
struct lw_totals lw_totals_class(const struct lw_map_path *at, unsigned int c)
{
	struct lw_counters is, was = { 0 };

	mutex_lock(&at->path->lock);
	is = at->path->sums.counters[c];
	mutex_unlock(&at->path->lock);
	if (at->reset)
		was = at->reset->counters[c];
	return (struct lw_totals){ lw_since(is.starts, was.starts), lw_since(is.ends, was.ends),
				  lw_since(is.done, was.done) };
}

/* Return the number of the histograms that have the row, 0 for none. */
static unsigned int lw_histogram_total(struct lw_device *path, unsigned int row, u64 *count)
{
	const struct lw_histograms *of = &path->histogram;
	unsigned int cpu, b, nr;

	if (row >= LW_CLASSES) {
		of = &path->op.histogram;
		row -= LW_CLASSES;
	}
	memset(count, 0, LW_HISTOGRAM_SIZE * sizeof(*count));
	mutex_lock(&path->lock);
	nr = of->row ? of->nr : 0;
	if (nr)
		for_each_possible_cpu(cpu)
			for (b = 0; b < LW_HISTOGRAM_SIZE; b++)
				count[b] += READ_ONCE(per_cpu_ptr(of->row, cpu)[row].bucket[b]);
	mutex_unlock(&path->lock);
	return nr;
}

/**
 * lw_totals_histogram() - I/Os ended, by latency
 * @at: the path
 * @row: class, or LW_CLASSES for reads, and one more for writes
 * @count: out: LW_HISTOGRAM_SIZE counts
 * Return: true if the path has such a histogram.
 */
bool lw_totals_histogram(const struct lw_map_path *at, unsigned int row, u64 *count)
{
	unsigned int b, nr = lw_histogram_total(at->path, row, count);

	/* Another map may have replaced the histogram meanwhile. */
	if (nr && at->reset && at->reset->histogram_nr[row] == nr)
		for (b = 0; b < LW_HISTOGRAM_SIZE; b++)
			count[b] = lw_since(count[b], at->reset->bucket[row][b]);
	return nr;
}

static void lw_histogram_reset(struct lw_map_path *at)
{
	struct lw_reset *reset = at->reset;
	unsigned int row;

	for (row = 0; row < LW_HISTOGRAMS && reset->bucket; row++)
		reset->histogram_nr[row] = lw_histogram_total(at->path, row, reset->bucket[row]);
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
	lw_counts_aggregate_all(at->path);
	memcpy(reset->counters, at->path->sums.counters, sizeof(reset->counters));
	mutex_unlock(&at->path->lock);
}

/* Allocate memory for lw_path_reset(); latencies only with a histogram. */
static int lw_reset_alloc(struct lw_map_path *at)
{
	size_t cells = (size_t)nr_cpu_ids * LW_CLASSES;

	if (!at->reset)
		at->reset = kvzalloc(struct_size(at->reset, cell, cells), GFP_KERNEL);
	if (!at->reset)
		return -ENOMEM;
	if (!lw_has_histogram(at->path) || at->reset->bucket)
		return 0;
	at->reset->bucket = kvcalloc(LW_HISTOGRAMS, sizeof(*at->reset->bucket), GFP_KERNEL);
	return at->reset->bucket ? 0 : -ENOMEM;
}

/**
 * lw_totals_reset() - reset the counts of all paths of a map
 * @map: the map
 * Return: 0, or -ENOMEM without any reset.
 */
int lw_totals_reset(struct lw_map *map)
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
 * lw_totals_free() - free the counts of a path's last reset
 * @at: the path, no longer shown, so no lock is needed
 */
void lw_totals_free(struct lw_map_path *at)
{
	if (at->reset)
		kvfree(at->reset->bucket);
	kvfree(at->reset);
}
