// SPDX-License-Identifier: GPL-2.0
/*
 * Detail beyond sysfs, for who looks closely: counts by CPU and node, and histograms.
 *
 *	dm-latency-weighted/dm-0/latency_stat		each path and class
 *	dm-latency-weighted/dm-0/reset			"1": count from here
 *	dm-latency-weighted/dm-0/paths/sda/latency_stat	each CPU, node, class, and latency
 *							where the map's "histogram" is 1
 *
 * docs/ABI/testing/debugfs-dm-latency-weighted has the columns. Directories are made
 * and removed with those in sysfs. If there is no debugfs its functions do nothing,
 * and nobody asks.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/sched/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "admin/map.h"
#include "status.h"

/**
 * struct lw_view - a directory, and what its open files show
 * @users: the directory, and each open file
 * @dir: the directory; constant, as is @show
 * @lock: held while a text is made, or a count reset
 * @of: map or path; NULL once the directory goes; under @lock
 * @show: writes latency_stat
 *
 * A file of debugfs_create_file() is waited for when it goes until the text is copied, too,
 * and a reader's memory may fault for as long as the reader likes. So ours are "unsafe"
 * ones, of which debugfs waits for open() only, and this keeps what they show.
 */
struct lw_view {
	struct kref users;
	struct dentry *dir;
	struct mutex lock;
	void *of;
	int (*show)(struct seq_file *seq, void *of);
};

static struct dentry *lw_debugfs_root;

static void lw_show_tally(struct seq_file *seq, const struct lw_tally *t)
{
	seq_printf(seq, " %12llu %12llu %12llu", t->starts, t->ends, t->done);
}

#define LW_TALLY_HEAD	"       starts         ends         done"

static void lw_show_cpus(struct seq_file *seq, const struct lw_map_path *at)
{
	unsigned int cpu, c;

	seq_puts(seq, " cpu  node class" LW_TALLY_HEAD "\n");
	for_each_possible_cpu(cpu)
		for (c = 0; c < LW_CLASSES; c++) {
			struct lw_tally t = lw_tally_cpu(at, cpu, c);

			if (!t.starts && !t.ends)
				continue;
			seq_printf(seq, "%4u %5d %5s", cpu, max(cpu_to_node(cpu), 0),
				   lw_class_names[c]);
			lw_show_tally(seq, &t);
			seq_putc(seq, '\n');
		}
}

/* What data takes as seen from a node; what moves none has no latency by node. */
static u64 lw_node_us(const struct lw_map_path *at, unsigned int node, unsigned int c)
{
	u64 ns;

	if (!lw_class_is_data(c))
		return 0;
	mutex_lock(&at->path->lock);
	ns = at->path->node_ns[node];
	mutex_unlock(&at->path->lock);
	return ns / NSEC_PER_USEC;
}

static void lw_show_nodes(struct seq_file *seq, const struct lw_map_path *at)
{
	unsigned int node, c;

	seq_puts(seq, "node class" LW_TALLY_HEAD "   latency_us\n");
	for (node = 0; node < nr_node_ids; node++)
		for (c = 0; c < LW_CLASSES; c++) {
			struct lw_tally t = lw_tally_node(at, node, c);

			if (!t.starts && !t.ends)
				continue;
			seq_printf(seq, "%4u %5s", node, lw_class_names[c]);
			lw_show_tally(seq, &t);
			seq_printf(seq, " %12llu\n", lw_node_us(at, node, c));
		}
}

#define LW_CLASS_HEAD							\
	"class" LW_TALLY_HEAD "   inflight   latency_us       p50_us"	\
	"       p99_us      p999_us\n"

/* Was the class ever used? Then it has a row, whatever was reset. */
static bool lw_class_used(const struct lw_map_path *at, unsigned int c)
{
	return READ_ONCE(at->path->classes) & BIT(c);
}

static void lw_show_class(struct seq_file *seq, const struct lw_map_path *at,
			  unsigned int c)
{
	struct lw_tally t = lw_tally_class(at, c);
	u64 count[LW_HISTOGRAM_SIZE];
	struct lw_class_state k;

	mutex_lock(&at->path->lock);
	k = at->path->state.cls[c];
	mutex_unlock(&at->path->lock);
	seq_printf(seq, "%5s", lw_class_names[c]);
	lw_show_tally(seq, &t);
	seq_printf(seq, " %10llu %12llu", k.inflight, k.lat_ns / NSEC_PER_USEC);
	if (lw_tally_histogram(at, c, count))
		seq_printf(seq, " %12llu %12llu %12llu\n", lw_histogram_us(count, 500),
			   lw_histogram_us(count, 990), lw_histogram_us(count, 999));
	else
		seq_puts(seq, "            -            -            -\n");
}

static void lw_show_classes(struct seq_file *seq, const struct lw_map_path *at)
{
	unsigned int c;

	seq_puts(seq, LW_CLASS_HEAD);
	lw_tally_fold(at);
	for (c = 0; c < LW_CLASSES; c++)
		if (lw_class_used(at, c))
			lw_show_class(seq, at, c);
}

/* A bucket's borders; the last one has no upper one. */
static void lw_show_bucket(struct seq_file *seq, unsigned int b)
{
	if (b == LW_BUCKET_UNSTAMPED)
		seq_puts(seq, "unstamped          -");
	else if (b == LW_BUCKETS - 1)
		seq_printf(seq, "%9llu          -", lw_bucket_us(b));
	else
		seq_printf(seq, "%9llu %10llu", lw_bucket_us(b), lw_bucket_us(b + 1));
}

static void lw_show_histogram(struct seq_file *seq, const struct lw_map_path *at,
			      u64 (*count)[LW_HISTOGRAM_SIZE])
{
	bool counted = false;
	unsigned int c, b;

	for (c = 0; c < LW_CLASSES; c++)
		counted = lw_tally_histogram(at, c, count[c]);
	if (!counted)
		return;
	seq_puts(seq, "\n  from_us   below_us");
	for (c = 0; c < LW_CLASSES; c++)
		seq_printf(seq, " %12s", lw_class_names[c]);
	seq_putc(seq, '\n');
	for (b = 0; b < LW_HISTOGRAM_SIZE; b++) {
		lw_show_bucket(seq, b);
		for (c = 0; c < LW_CLASSES; c++)
			seq_printf(seq, " %12llu", count[c][b]);
		seq_putc(seq, '\n');
	}
}

/* Reads paths/<path>/latency_stat: root. */
static int lw_path_stat_show(struct seq_file *seq, void *of)
{
	/* A table that goes waits for its readers, and I/O may wait for the next table. */
	u64 (*count)[LW_HISTOGRAM_SIZE] = kcalloc(LW_CLASSES, sizeof(*count), GFP_NOIO);
	struct lw_map_path *at = of;

	if (!count)
		return -ENOMEM;
	mutex_lock(&at->map->lock);
	lw_show_cpus(seq, at);
	seq_putc(seq, '\n');
	lw_show_nodes(seq, at);
	seq_putc(seq, '\n');
	lw_show_classes(seq, at);
	lw_show_histogram(seq, at, count);
	mutex_unlock(&at->map->lock);
	kfree(count);
	return 0;
}

/* Reads latency_stat of a map: root. */
static int lw_map_stat_show(struct seq_file *seq, void *of)
{
	struct lw_map *map = of;
	struct lw_map_path *at;
	unsigned int c;

	seq_puts(seq, "path         " LW_CLASS_HEAD);
	mutex_lock(&map->lock);
	list_for_each_entry(at, &map->paths, node) {
		lw_tally_fold(at);
		for (c = 0; c < LW_CLASSES; c++)
			if (lw_class_used(at, c)) {
				seq_printf(seq, "%-12s ", at->label);
				lw_show_class(seq, at, c);
			}
	}
	mutex_unlock(&map->lock);
	return 0;
}

static int lw_view_show(struct seq_file *seq, void *unused)
{
	struct lw_view *view = seq->private;
	int err = -EIO;			/* as debugfs itself says */

	mutex_lock(&view->lock);
	if (view->of)
		err = view->show(seq, view->of);
	mutex_unlock(&view->lock);
	return err;
}

static void lw_view_free(struct kref *users)
{
	kfree(container_of(users, struct lw_view, users));
}

static int lw_view_open(struct inode *inode, struct file *file)
{
	struct lw_view *view = inode->i_private;
	/* A table that goes waits for this, and I/O may wait for the next table. */
	unsigned int noio = memalloc_noio_save();
	int err = single_open(file, lw_view_show, view);

	memalloc_noio_restore(noio);
	if (!err)
		kref_get(&view->users);
	return err;
}

static int lw_view_release(struct inode *inode, struct file *file)
{
	struct lw_view *view = inode->i_private;

	kref_put(&view->users, lw_view_free);
	return single_release(inode, file);
}

static const struct file_operations lw_stat_fops = {
	.owner		= THIS_MODULE,
	.open		= lw_view_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= lw_view_release,
};

static int lw_reset(struct lw_map *map)
{
	int err;

	mutex_lock(&map->lock);
	err = lw_tally_reset(map);
	mutex_unlock(&map->lock);
	return err;
}

/* Writes reset: root. */
static ssize_t lw_reset_write(struct file *file, const char __user *text, size_t size,
			      loff_t *pos)
{
	struct lw_view *view = file_inode(file)->i_private;
	unsigned int noio, one;
	int err = kstrtouint_from_user(text, size, 0, &one);

	if (err)
		return err;
	if (one != 1)
		return -EINVAL;
	/* Table loads wait for the locks, and I/O may wait for a table. */
	noio = memalloc_noio_save();
	mutex_lock(&view->lock);
	err = view->of ? lw_reset(view->of) : -EIO;
	mutex_unlock(&view->lock);
	memalloc_noio_restore(noio);
	return err ?: size;
}

static const struct file_operations lw_reset_fops = {
	.owner		= THIS_MODULE,
	.open		= lw_view_open,
	.write		= lw_reset_write,
	.release	= lw_view_release,
};

static struct lw_view *lw_view_add(const char *name, struct dentry *parent, void *of,
				   int (*show)(struct seq_file *seq, void *of))
{
	struct lw_view *view = kzalloc(sizeof(*view), GFP_KERNEL);

	if (!view)
		return NULL;
	kref_init(&view->users);
	mutex_init(&view->lock);
	view->of = of;
	view->show = show;
	view->dir = debugfs_create_dir(name, parent);
	debugfs_create_file_unsafe("latency_stat", 0444, view->dir, view, &lw_stat_fops);
	return view;
}

/* Nobody looks at what it shows afterwards; its open files may outlive it. */
static void lw_view_remove(struct lw_view *view)
{
	if (!view)
		return;
	mutex_lock(&view->lock);
	view->of = NULL;
	mutex_unlock(&view->lock);
	debugfs_remove_recursive(view->dir);
	kref_put(&view->users, lw_view_free);
}

/**
 * lw_debugfs_map_add() - show a map, if it is not shown
 * @map: the map
 *
 * Context: process, may sleep; under the lock of the map's directories, as all here.
 */
void lw_debugfs_map_add(struct lw_map *map)
{
	if (map->view)
		return;
	map->view = lw_view_add(map->label, lw_debugfs_root, map, lw_map_stat_show);
	if (!map->view)
		return;
	map->debug_paths = debugfs_create_dir("paths", map->view->dir);
	debugfs_create_file_unsafe("reset", 0200, map->view->dir, map->view, &lw_reset_fops);
}

/**
 * lw_debugfs_path_add() - show a path, if it is not shown
 * @at: the path
 */
void lw_debugfs_path_add(struct lw_map_path *at)
{
	if (!at->view && at->map->view)
		at->view = lw_view_add(at->label, at->map->debug_paths, at,
				       lw_path_stat_show);
}

/**
 * lw_debugfs_map_remove() - the directory of a map goes
 * @map: a map without paths; its lock is not held, since readers take it
 */
void lw_debugfs_map_remove(struct lw_map *map)
{
	lw_view_remove(map->view);
	map->view = NULL;
}

/**
 * lw_debugfs_path_remove() - the directory of a path goes
 * @at: the path; off its map's list
 */
void lw_debugfs_path_remove(struct lw_map_path *at)
{
	lw_view_remove(at->view);
	kvfree(at->reset);
}

void __init lw_debugfs_init(void)
{
	lw_debugfs_root = debugfs_create_dir("dm-latency-weighted", NULL);
}

void lw_debugfs_exit(void)
{
	debugfs_remove_recursive(lw_debugfs_root);
}
