// SPDX-License-Identifier: GPL-2.0
/*
 * What is measured of a path only because a member asks for it: stamps of its requests, and
 * how many I/Os took how long.
 */
#include <linux/percpu.h>
#include <linux/rcupdate.h>

#include "admin/admin.h"
#include "blk-stat.h"

/*
 * Without it blk-mq stamps requests only where something else, such as writeback
 * throttling, asked for it. Bio-based devices have no requests. Before 5.17, and RHEL before
 * 9.1, the kernel cannot turn it off again, and stamps go on.
 */
static void lw_measure_stamps(struct lw_path_info *m, bool wanted)
{
	struct request_queue *q = bdev_get_queue(m->dm_path->dev->bdev);
	struct lw_device *path = m->path;

	if (wanted == m->accounting || !queue_is_mq(q))
		return;
	mutex_lock(&path->lock);
	if (wanted && !path->accounting++)
		blk_stat_enable_accounting(q);
	else if (!wanted && !--path->accounting)
		blk_stat_disable_accounting(q);
	mutex_unlock(&path->lock);
	m->accounting = wanted;
}

/* Return: whether lw_device_drop_histogram() is due: there may be no memory. */
static bool lw_device_add_histogram(struct lw_device *path)
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
		/* Zeroes before the pointer. */
		smp_store_release(&path->histogram, fresh);
		fresh = NULL;
	}
	mutex_unlock(&path->lock);
	free_percpu(fresh);
	return true;
}

/* The last user's call forgets what was counted. */
static void lw_device_drop_histogram(struct lw_device *path)
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
	/* lw_count_latency() reads the pointer and counts with interrupts off. */
	synchronize_rcu();
	free_percpu(gone);
}

static void lw_measure_latencies(struct lw_path_info *m, bool wanted)
{
	if (wanted && !m->histogram) {
		m->histogram = lw_device_add_histogram(m->path);
	} else if (!wanted && m->histogram) {
		lw_device_drop_histogram(m->path);
		m->histogram = false;
	}
}

/**
 * lw_measure() - have measured of a member's path what its selector's configuration asks for
 * @sel: the selector
 * @m: the member, or what is to become one; the caller's, or under the map's lock
 *
 * Context: process, may sleep.
 */
void lw_measure(const struct lw_selector *sel, struct lw_path_info *m)
{
	lw_measure_stamps(m, READ_ONCE(sel->config.accounting));
	lw_measure_latencies(m, READ_ONCE(sel->config.histogram));
}

/**
 * lw_measure_end() - a member goes, and asks for nothing any more
 * @m: the member
 *
 * Context: process, may sleep.
 */
void lw_measure_end(struct lw_path_info *m)
{
	lw_measure_stamps(m, false);
	lw_measure_latencies(m, false);
}

/**
 * lw_count_latency() - count an I/O by its latency
 * @path: the path, if lw_counts_latency() says so
 * @c: class
 * @stamp: when it began, 0 for unknown
 * @now: when it ended
 *
 * Also of I/Os that are no samples: how long they took is true all the same.
 *
 * Context: interrupts off, for which who takes the histogram away waits.
 */
void lw_count_latency(struct lw_device *path, unsigned int c, u64 stamp, u64 now)
{
	struct lw_histogram __percpu *histogram = READ_ONCE(path->histogram);

	if (histogram)
		__this_cpu_inc(histogram->bucket[c][lw_bucket(stamp, now)]);
}
