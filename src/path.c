// SPDX-License-Identifier: GPL-2.0
/*
 * Paths by device. A path lives as long as any selector uses it; a table reload creates the new
 * selectors first, so nothing that was learned is lost.
 */
#include <linux/hashtable.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/slab.h>

#include "path.h"

/*
 * Protects the hash table, and the users of each path. Allocate nothing under it: that may wait
 * for I/O which is queued until another map loads its table, and the load needs this lock.
 */
static DEFINE_MUTEX(lw_registry_lock);
static DEFINE_HASHTABLE(lw_registry, 8);

static void lw_device_free(struct lw_device *path)
{
	lw_sums_free(&path->sums);
	kfree(path->touched);
	kvfree(path->nodes.of);
	free_percpu(path->counts);
	kfree(path);
}

static struct lw_device *lw_device_alloc(struct block_device *bdev)
{
	struct lw_device *path = kzalloc(sizeof(*path), GFP_KERNEL);
	unsigned int cpu;

	if (!path)
		return NULL;
	path->counts = alloc_percpu(struct lw_counts);
	path->nodes.of = kvcalloc(nr_node_ids, sizeof(*path->nodes.of), GFP_KERNEL);
	/* All CPUs write the bits, so they get a cache line of their own. */
	path->touched = kzalloc(max_t(size_t, BITS_TO_LONGS(nr_cpu_ids) * sizeof(long),
				      L1_CACHE_BYTES), GFP_KERNEL);
	if (lw_sums_alloc(&path->sums) || !path->counts || !path->nodes.of || !path->touched) {
		lw_device_free(path);
		return NULL;
	}
	for_each_possible_cpu(cpu)
		seqcount_init(&per_cpu_ptr(path->counts, cpu)->seq);
	mutex_init(&path->lock);
	spin_lock_init(&path->use_lock);
	path->state.counted.closed_ns = ktime_get_ns();
	path->line.idle_since_ns = path->state.counted.closed_ns;
	path->longest = LW_DATA_MAX;
	path->line.full = U32_MAX;
	path->line.least_ticks = U32_MAX;
	path->line.tags = U32_MAX;
	path->line.limit = U32_MAX;
	path->first_stamp_ns = U64_MAX;
	path->state.health.stall_timeout_ns = LW_STALL_TIMEOUT_NS;
	path->known.since_ns = ktime_get_real_ns();
	path->known.bdev_nr = bdev->bd_dev;
	path->known.disk = bdev->bd_disk;
	return path;
}

/* Look up a path and take a reference; insert @fresh (may be NULL) if there is none. */
static struct lw_device *lw_device_hold(struct block_device *bdev, struct lw_device *fresh)
{
	struct lw_device *path;

	mutex_lock(&lw_registry_lock);
	/* NULL after the last one. */
	hash_for_each_possible(lw_registry, path, known.node, bdev->bd_dev)
		if (path->known.bdev_nr == bdev->bd_dev && path->known.disk == bdev->bd_disk)
			break;
	if (!path && fresh) {
		path = fresh;
		hash_add(lw_registry, &path->known.node, path->known.bdev_nr);
	}
	if (path)
		path->known.users++;
	mutex_unlock(&lw_registry_lock);
	return path;
}

/**
 * lw_device_get() - find or create the path of a device
 * @bdev: the device; the caller keeps it open until lw_device_put()
 * Context: process, may sleep, as all functions here.
 * Return: the path with a reference, or NULL without memory.
 */
struct lw_device *lw_device_get(struct block_device *bdev)
{
	struct lw_device *path = lw_device_hold(bdev, NULL), *fresh;

	if (path)
		return path;
	fresh = lw_device_alloc(bdev);
	if (!fresh)
		return NULL;
	path = lw_device_hold(bdev, fresh);
	if (path != fresh)
		lw_device_free(fresh);
	return path;
}

/**
 * lw_device_put() - drop a reference; the last one frees the path
 * @path: the path, unused by I/Os and windows of the caller
 */
void lw_device_put(struct lw_device *path)
{
	mutex_lock(&lw_registry_lock);
	if (!--path->known.users) {
		hash_del(&path->known.node);
		lw_device_free(path);
	}
	mutex_unlock(&lw_registry_lock);
}
