// SPDX-License-Identifier: GPL-2.0
/*
 * Paths by device. A path lives as long as any selector uses it; a table reload creates the new
 * selectors first, so nothing that was learned is lost.
 */
#include <linux/hashtable.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "blk-stat.h"
#include "path.h"

/*
 * Protects the hash table, and users and accounting of each path. Allocate nothing under it: that
 * may wait for I/O which is queued until another map loads its table, and the load needs this
 * lock.
 */
static DEFINE_MUTEX(lw_registry_lock);
static DEFINE_HASHTABLE(lw_registry, 8);

static void lw_path_free(struct lw_path *path)
{
	lw_sums_free(&path->sums);
	kfree(path->touched);
	kvfree(path->node_ns);
	free_percpu(path->counts);
	kfree(path);
}

static struct lw_path *lw_path_alloc(struct block_device *bdev)
{
	struct lw_path *path = kzalloc(sizeof(*path), GFP_KERNEL);
	unsigned int cpu;

	if (!path)
		return NULL;
	path->counts = alloc_percpu(struct lw_counts);
	path->node_ns = kvcalloc(nr_node_ids, sizeof(*path->node_ns), GFP_KERNEL);
	/* Each I/O reads the bits, so they get a cache line of their own. */
	path->touched = kzalloc(max_t(size_t, BITS_TO_LONGS(nr_cpu_ids) * sizeof(long),
				      L1_CACHE_BYTES), GFP_KERNEL);
	if (lw_sums_alloc(&path->sums) || !path->counts || !path->node_ns || !path->touched) {
		lw_path_free(path);
		return NULL;
	}
	for_each_possible_cpu(cpu)
		seqcount_init(&per_cpu_ptr(path->counts, cpu)->seq);
	mutex_init(&path->lock);
	spin_lock_init(&path->use_lock);
	path->state.closed_ns = ktime_get_ns();
	path->idle_since_ns = path->state.closed_ns;
	path->full = U32_MAX;
	path->least_ticks = U32_MAX;
	path->tags = U32_MAX;
	path->limit = U32_MAX;
	path->first_start_ns = U64_MAX;
	path->state.patience_ns = LW_PATIENCE_NS;
	path->known_ns = ktime_get_real_ns();
	path->bdev_nr = bdev->bd_dev;
	path->disk = bdev->bd_disk;
	return path;
}

static struct lw_path *lw_path_find(struct block_device *bdev)
{
	struct lw_path *path;

	lockdep_assert_held(&lw_registry_lock);
	hash_for_each_possible(lw_registry, path, node, bdev->bd_dev)
		if (path->bdev_nr == bdev->bd_dev && path->disk == bdev->bd_disk)
			return path;
	return NULL;
}

/* Look up a path and take a reference; insert @fresh (may be NULL) if there is none. */
static struct lw_path *lw_path_hold(struct block_device *bdev, struct lw_path *fresh)
{
	struct lw_path *path;

	mutex_lock(&lw_registry_lock);
	path = lw_path_find(bdev);
	if (!path && fresh) {
		path = fresh;
		hash_add(lw_registry, &path->node, path->bdev_nr);
	}
	if (path)
		path->users++;
	mutex_unlock(&lw_registry_lock);
	return path;
}

/**
 * lw_path_get() - find or create the path of a device
 * @bdev: the device; the caller keeps it open until lw_path_put()
 * Context: process, may sleep, as all functions here.
 * Return: the path with a reference, or NULL without memory.
 */
struct lw_path *lw_path_get(struct block_device *bdev)
{
	struct lw_path *path = lw_path_hold(bdev, NULL), *fresh;

	if (path)
		return path;
	fresh = lw_path_alloc(bdev);
	if (!fresh)
		return NULL;
	path = lw_path_hold(bdev, fresh);
	if (path != fresh)
		lw_path_free(fresh);
	return path;
}

/**
 * lw_path_put() - drop a reference; the last one frees the path
 * @path: the path, unused by I/Os and windows of the caller
 */
void lw_path_put(struct lw_path *path)
{
	mutex_lock(&lw_registry_lock);
	if (!--path->users) {
		hash_del(&path->node);
		lw_path_free(path);
	}
	mutex_unlock(&lw_registry_lock);
}

/**
 * lw_path_account() - have the queue of a device stamp its requests
 * @path: the path
 * @bdev: its device, open
 *
 * Otherwise blk-mq stamps requests only if something else, like writeback throttling, needs it.
 *
 * Return: true if the caller must undo it; false for bio-based devices, which have no requests.
 */
bool lw_path_account(struct lw_path *path, struct block_device *bdev)
{
	struct request_queue *q = bdev_get_queue(bdev);

	if (!queue_is_mq(q))
		return false;
	mutex_lock(&lw_registry_lock);
	if (!path->accounting++)
		blk_stat_enable_accounting(q);
	mutex_unlock(&lw_registry_lock);
	return true;
}

/**
 * lw_path_unaccount() - undo lw_path_account(); no effect before 5.17, and RHEL before 9.1
 * @path: the path
 * @bdev: its device, open
 */
void lw_path_unaccount(struct lw_path *path, struct block_device *bdev)
{
	mutex_lock(&lw_registry_lock);
	if (!--path->accounting)
		blk_stat_disable_accounting(bdev_get_queue(bdev));
	mutex_unlock(&lw_registry_lock);
}

/**
 * lw_path_add_histogram() - count a path's I/Os by latency
 * @path: the path
 * Return: true if the caller must undo it; false without memory.
 */
bool lw_path_add_histogram(struct lw_path *path)
{
	struct lw_histogram __percpu *fresh = alloc_percpu(struct lw_histogram);

	if (!fresh) {
		DMERR("no memory for a histogram of %u:%u; it is not counted by latency",
		      MAJOR(path->bdev_nr), MINOR(path->bdev_nr));
		return false;
	}
	mutex_lock(&path->lock);
	if (!path->histograms++) {
		path->histogram_nr++;
		/* Publish the pointer after the zeroes. */
		smp_store_release(&path->histogram, fresh);
		fresh = NULL;
	}
	mutex_unlock(&path->lock);
	free_percpu(fresh);
	return true;
}

/**
 * lw_path_drop_histogram() - undo lw_path_add_histogram(); the last user frees the counts
 * @path: the path
 */
void lw_path_drop_histogram(struct lw_path *path)
{
	struct lw_histogram __percpu *gone = NULL;

	mutex_lock(&path->lock);
	if (!--path->histograms) {
		gone = path->histogram;
		WRITE_ONCE(path->histogram, NULL);
	}
	mutex_unlock(&path->lock);
	if (!gone)
		return;
	/* end_io() uses the pointer with interrupts off, which delays a grace period. */
	synchronize_rcu();
	free_percpu(gone);
}
