// SPDX-License-Identifier: GPL-2.0
/*
 * What was counted of a path since it was reset. Counts are never set back, since only
 * their own CPU writes them: what they were is subtracted.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "map.h"

/**
 * struct lw_reset - the counts of a path when they were last reset
 * @bucket: by class and latency
 * @cell: by CPU and class, [cpu * LW_CLASSES + class]
 */
struct lw_reset {
	u64 bucket[LW_CLASSES][LW_HISTOGRAM_SIZE];
	struct lw_tally cell[];
};

/* Never below 0: an I/O from before may be taken back, as if it had not been started. */
static u64 lw_since(u64 now, u64 was)
{
	return max_t(s64, now - was, 0);
}

static struct lw_tally lw_tally_total(const struct lw_path *path, unsigned int cpu,
				      unsigned int c, u64 *ewma_ns)
{
	struct lw_flow flow;

	lw_cell_read(&per_cpu_ptr(path->counts, cpu)->cell[c], &flow, ewma_ns);
	return (struct lw_tally){ flow.starts, flow.ends, flow.done };
}

/**
 * lw_tally_cpu() - what a CPU counted
 * @at: the path; its map's lock is held, as for all here
 * @cpu: any possible CPU
 * @c: class
 * @ewma_ns: out: its average latency, 0 for none
 */
struct lw_tally lw_tally_cpu(const struct lw_map_path *at, unsigned int cpu,
			     unsigned int c, u64 *ewma_ns)
{
	struct lw_tally t = lw_tally_total(at->path, cpu, c, ewma_ns);
	const struct lw_tally *was;

	if (!at->reset)
		return t;
	was = &at->reset->cell[cpu * LW_CLASSES + c];
	return (struct lw_tally){ lw_since(t.starts, was->starts),
				  lw_since(t.ends, was->ends),
				  lw_since(t.done, was->done) };
}

/**
 * lw_tally_node() - what the CPUs of a node counted
 * @at: the path
 * @node: the node, or NUMA_NO_NODE for all
 * @c: class
 *
 * Ends that belonged to nothing in flight (struct lw_path.astray) are in there, as they are
 * in the histogram; lw_count_flow() leaves them out.
 */
struct lw_tally lw_tally_node(const struct lw_map_path *at, int node, unsigned int c)
{
	struct lw_tally sum = { 0 };
	unsigned int cpu;
	u64 ewma_ns;

	for_each_possible_cpu(cpu) {
		struct lw_tally t;

		if (node != NUMA_NO_NODE && node != max(cpu_to_node(cpu), 0))
			continue;
		t = lw_tally_cpu(at, cpu, c, &ewma_ns);
		sum.starts += t.starts;
		sum.ends += t.ends;
		sum.done += t.done;
	}
	return sum;
}

static void lw_histogram_total(const struct lw_path *path, unsigned int c, u64 *count)
{
	unsigned int cpu, b;

	memset(count, 0, LW_HISTOGRAM_SIZE * sizeof(*count));
	for_each_possible_cpu(cpu)
		for (b = 0; b < LW_HISTOGRAM_SIZE; b++)
			count[b] += READ_ONCE(per_cpu_ptr(path->counts, cpu)->bucket[c][b]);
}

/**
 * lw_tally_histogram() - I/Os ended, by latency
 * @at: the path
 * @c: class
 * @count: out: LW_HISTOGRAM_SIZE counts
 */
void lw_tally_histogram(const struct lw_map_path *at, unsigned int c, u64 *count)
{
	unsigned int b;

	lw_histogram_total(at->path, c, count);
	if (at->reset)
		for (b = 0; b < LW_HISTOGRAM_SIZE; b++)
			count[b] = lw_since(count[b], at->reset->bucket[c][b]);
}

static void lw_path_reset(struct lw_map_path *at)
{
	unsigned int cpu, c;
	u64 ewma_ns;

	for (c = 0; c < LW_CLASSES; c++) {
		lw_histogram_total(at->path, c, at->reset->bucket[c]);
		for_each_possible_cpu(cpu)
			at->reset->cell[cpu * LW_CLASSES + c] =
				lw_tally_total(at->path, cpu, c, &ewma_ns);
	}
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
	size_t cells = (size_t)nr_cpu_ids * LW_CLASSES;
	struct lw_map_path *at;

	lockdep_assert_held(&map->lock);
	list_for_each_entry(at, &map->paths, node) {
		if (!at->reset)
			at->reset = kvzalloc(struct_size(at->reset, cell, cells), GFP_KERNEL);
		if (!at->reset)
			return -ENOMEM;
	}
	list_for_each_entry(at, &map->paths, node)
		lw_path_reset(at);
	return 0;
}
