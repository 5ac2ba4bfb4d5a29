// SPDX-License-Identifier: GPL-2.0
/*
 * Counts by CPU and node, and histograms, in debugfs; latency_stat.c writes the text.
 *
 *	dm-latency-weighted/dm-0/latency_stat		each path and class
 *	dm-latency-weighted/dm-0/reset			"1": reset the counts
 *	dm-latency-weighted/dm-0/paths/sda/latency_stat	each CPU, node, class, and latency
 *							where the map's "histogram" is 1
 *
 * Directories come and go with those in sysfs, under the map's dirs; process context, may sleep.
 * Without debugfs its functions do nothing, so errors are ignored.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/sched/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "admin/map.h"

/*
 * A directory and the data of its open files, which may outlive it. With debugfs_create_file()
 * removal would wait for readers, whose memory may fault for as long as they like. With "unsafe"
 * files it waits for open() only, and this struct protects their data.
 */
struct lw_view {
	struct kref users;	/* the directory, and each open file */
	struct dentry *dir;	/* constant */
	struct mutex lock;	/* held while a text is written, or counts are reset */
	void *of;		/* map or path, NULL once removed; under lock */
	int (*show)(struct seq_file *seq, void *of);	/* writes latency_stat; constant */
};

static struct dentry *lw_debugfs_root;

static int lw_view_show(struct seq_file *seq, void *unused)
{
	struct lw_view *view = seq->private;
	int err = -EIO;			/* as debugfs itself returns */

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
	/* The removal of a table waits for this, and I/O may wait for the next table. */
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

static int lw_reset_map(struct lw_map *map)
{
	int err;

	mutex_lock(&map->lock);
	err = lw_totals_reset(map);
	mutex_unlock(&map->lock);
	return err;
}

/* Called when root writes to reset. */
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
	err = view->of ? lw_reset_map(view->of) : -EIO;
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
	debugfs_create_file_unsafe("latency_stat", 0400, view->dir, view, &lw_stat_fops);
	return view;
}

/* Afterwards its data is not read, though its files may stay open. */
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
 * lw_debugfs_map_add() - create the directory of a map, unless it exists
 * @map: the map
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
 * lw_debugfs_path_add() - create the directory of a path, unless it exists
 * @at: the path
 */
void lw_debugfs_path_add(struct lw_map_path *at)
{
	if (!at->view && at->map->view)
		at->view = lw_view_add(at->label, at->map->debug_paths, at,
				       lw_path_stat_show);
}

/**
 * lw_debugfs_map_remove() - remove the directory of a map
 * @map: the map, without paths; not locked, since readers lock it
 */
void lw_debugfs_map_remove(struct lw_map *map)
{
	if (!map->view)
		return;
	/*
	 * By itself: before 5.6, and so in RHEL 8, removal of the map's directory would never end
	 * while a file of a removed path is open, since "paths" is not empty then.
	 */
	debugfs_remove_recursive(map->debug_paths);
	lw_view_remove(map->view);
	map->view = NULL;
}

/**
 * lw_debugfs_path_remove() - remove the directory of a path
 * @at: the path, no longer in its map's list
 */
void lw_debugfs_path_remove(struct lw_map_path *at)
{
	lw_view_remove(at->view);
	lw_totals_free(at);
}

void __init lw_debugfs_init(void)
{
	lw_debugfs_root = debugfs_create_dir("dm-latency-weighted", NULL);
}

void lw_debugfs_exit(void)
{
	debugfs_remove_recursive(lw_debugfs_root);
}
