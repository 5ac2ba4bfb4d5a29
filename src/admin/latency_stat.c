// SPDX-License-Identifier: GPL-2.0
/*
 * Text of latency_stat, see docs/ABI/testing/debugfs-dm-latency-weighted. debugfs.c keeps what it
 * shows.
 */
#include <linux/nodemask.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "admin/map.h"
#include "status.h"

static void lw_show_totals(struct seq_file *seq, const struct lw_totals *t)
{
	seq_printf(seq, " %12llu %12llu %12llu", t->starts, t->ends, t->done);
}

#define LW_TOTALS_HEAD	"       starts         ends         done"

static void lw_show_cpus(struct seq_file *seq, const struct lw_map_path *at)
{
	unsigned int cpu, c;

	seq_puts(seq, " cpu  node class" LW_TOTALS_HEAD "\n");
	for_each_possible_cpu(cpu)
		for (c = 0; c < LW_CLASSES; c++) {
			struct lw_totals t = lw_totals_cpu(at, cpu, c);

			if (!t.starts && !t.ends)
				continue;
			seq_printf(seq, "%4u %5d %5s", cpu, max(cpu_to_node(cpu), 0),
				   lw_class_names[c]);
			lw_show_totals(seq, &t);
			seq_putc(seq, '\n');
		}
}

/* Latency of data from a node. */
static u64 lw_node_us(const struct lw_map_path *at, unsigned int node, unsigned int c)
{
	u64 ns;

	if (!lw_class_is_data(c))
		return 0;
	mutex_lock(&at->path->lock);
	ns = at->path->nodes.of[node].lat_ns;
	mutex_unlock(&at->path->lock);
	return ns / NSEC_PER_USEC;
}

static void lw_show_nodes(struct seq_file *seq, const struct lw_map_path *at)
{
	unsigned int node, c;

	seq_puts(seq, "node class" LW_TOTALS_HEAD "   latency_us\n");
	for (node = 0; node < nr_node_ids; node++)
		for (c = 0; c < LW_CLASSES; c++) {
			struct lw_totals t = lw_totals_node(at, node, c);

			if (!t.starts && !t.ends)
				continue;
			seq_printf(seq, "%4u %5s", node, lw_class_names[c]);
			lw_show_totals(seq, &t);
			seq_printf(seq, " %12llu\n", lw_node_us(at, node, c));
		}
}

#define LW_CLASS_HEAD							\
	"class" LW_TOTALS_HEAD "   inflight   latency_us       p50_us"	\
	"       p99_us      p999_us\n"

/* Classes ever used have a row, even after a reset. */
static bool lw_class_used(const struct lw_map_path *at, unsigned int c)
{
	return READ_ONCE(at->path->classes) & BIT(c);
}

/* Nanoseconds as microseconds, at least 12 characters. */
static void lw_show_us(struct seq_file *seq, u64 ns)
{
	seq_printf(seq, " %8llu.%03llu", ns / NSEC_PER_USEC, ns % NSEC_PER_USEC);
}

static void lw_show_percentiles(struct seq_file *seq, const u64 *count)
{
	lw_show_us(seq, lw_histogram_ns(count, 500));
	lw_show_us(seq, lw_histogram_ns(count, 990));
	lw_show_us(seq, lw_histogram_ns(count, 999));
	seq_putc(seq, '\n');
}

/* @count: room for the histogram of a class. */
static void lw_show_class(struct seq_file *seq, const struct lw_map_path *at,
			  unsigned int c, u64 *count)
{
	struct lw_totals t = lw_totals_class(at, c);
	u64 inflight, lat_ns;

	mutex_lock(&at->path->lock);
	inflight = at->path->state.counted.cls[c].inflight;
	lat_ns = at->path->state.latency.cls[c].lat_ns;
	mutex_unlock(&at->path->lock);
	seq_printf(seq, "%5s", lw_class_names[c]);
	lw_show_totals(seq, &t);
	seq_printf(seq, " %10llu %12llu", inflight, lat_ns / NSEC_PER_USEC);
	if (lw_totals_histogram(at, c, count))
		lw_show_percentiles(seq, count);
	else
		seq_puts(seq, "            -            -            -\n");
}

/* A row for each class, preceded by @label unless that is NULL. */
static void lw_show_classes(struct seq_file *seq, const struct lw_map_path *at,
			    const char *label, u64 *count)
{
	unsigned int c;

	lw_totals_aggregate(at);
	for (c = 0; c < LW_CLASSES; c++) {
		if (!lw_class_used(at, c))
			continue;
		if (label)
			seq_printf(seq, "%-12s ", label);
		lw_show_class(seq, at, c, count);
	}
}

/* Borders of a bucket; the last one has no upper border. */
static void lw_show_bucket(struct seq_file *seq, unsigned int b)
{
	if (b == LW_BUCKET_UNSTAMPED) {
		seq_puts(seq, "    unstamped            -");
		return;
	}
	lw_show_us(seq, lw_bucket_ns(b));
	if (b == LW_BUCKETS - 1)
		seq_puts(seq, "            -");
	else
		lw_show_us(seq, lw_bucket_ns(b + 1));
}

static void lw_show_row(struct seq_file *seq, unsigned int b,
			const u64 (*count)[LW_HISTOGRAM_SIZE], unsigned int columns)
{
	unsigned int i;

	lw_show_bucket(seq, b);
	for (i = 0; i < columns; i++)
		seq_printf(seq, " %12llu", count[i][b]);
	seq_putc(seq, '\n');
}

/* Read the histograms; return how many there are: none, classes, or operations, too. */
static unsigned int lw_read_histograms(const struct lw_map_path *at,
				       u64 (*count)[LW_HISTOGRAM_SIZE])
{
	unsigned int i, columns = 0;

	for (i = 0; i < LW_HISTOGRAMS; i++)
		if (lw_totals_histogram(at, i, count[i]))
			columns = i + 1;
	return columns;
}

/* A row for each bucket with I/Os, and one for I/Os without stamps. */
static void lw_show_histogram(struct seq_file *seq, const struct lw_map_path *at,
			      u64 (*count)[LW_HISTOGRAM_SIZE])
{
	unsigned int i, b, columns = lw_read_histograms(at, count);

	if (!columns)
		return;
	seq_puts(seq, "\n      from_us     below_us");
	for (i = 0; i < columns; i++)
		seq_printf(seq, " %12s", i < LW_CLASSES ? lw_class_names[i] :
						lw_op_names[i - LW_CLASSES + LW_OP_READ]);
	seq_putc(seq, '\n');
	for (b = 0; b < LW_BUCKETS; b++) {
		u64 any = 0;

		for (i = 0; i < columns; i++)
			any |= count[i][b];
		if (any)
			lw_show_row(seq, b, count, columns);
	}
	lw_show_row(seq, LW_BUCKET_UNSTAMPED, count, columns);
}

/*
 * Allocate histograms. The removal of a table waits for readers, and I/O may wait for the next
 * table.
 */
static void *lw_stat_room(unsigned int histograms)
{
	return kcalloc(histograms, LW_HISTOGRAM_SIZE * sizeof(u64), GFP_NOIO);
}

/**
 * lw_path_stat_show() - write paths/<path>/latency_stat
 * @seq: the text
 * @of: the path
 * Return: 0 or -ENOMEM.
 */
int lw_path_stat_show(struct seq_file *seq, void *of)
{
	u64 (*count)[LW_HISTOGRAM_SIZE] = lw_stat_room(LW_HISTOGRAMS);
	struct lw_map_path *at = of;

	if (!count)
		return -ENOMEM;
	mutex_lock(&at->map->lock);
	lw_show_cpus(seq, at);
	seq_putc(seq, '\n');
	lw_show_nodes(seq, at);
	seq_puts(seq, "\n" LW_CLASS_HEAD);
	lw_show_classes(seq, at, NULL, count[0]);
	lw_show_histogram(seq, at, count);
	mutex_unlock(&at->map->lock);
	kfree(count);
	return 0;
}

/**
 * lw_map_stat_show() - write latency_stat of a map
 * @seq: the text
 * @of: the map
 * Return: 0 or -ENOMEM.
 */
int lw_map_stat_show(struct seq_file *seq, void *of)
{
	struct lw_map *map = of;
	struct lw_map_path *at;
	u64 *count = lw_stat_room(1);

	if (!count)
		return -ENOMEM;
	seq_puts(seq, "path         " LW_CLASS_HEAD);
	mutex_lock(&map->lock);
	list_for_each_entry(at, &map->paths, node)
		lw_show_classes(seq, at, at->label, count);
	mutex_unlock(&map->lock);
	kfree(count);
	return 0;
}
