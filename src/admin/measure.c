// SPDX-License-Identifier: GPL-2.0
/* Measurements that a path makes only on request: time stamps, and the latency histogram. */
#include <linux/percpu.h>
#include <linux/rcupdate.h>

#include "admin/admin.h"
#include "blk-stat.h"

/*
 * Make blk-mq stamp the requests of the path, which it otherwise does only for others, such as
 * writeback throttling. Bio-based devices have no requests. Kernels before 5.17, and RHEL before
 * 9.1, cannot turn it off again and keep stamping.
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

/* Return: whether the path has a histogram now; false if memory ran out. */
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
		/* Publish the pointer after the zeroed buckets. */
		smp_store_release(&path->histogram, fresh);
		fresh = NULL;
	}
	mutex_unlock(&path->lock);
	free_percpu(fresh);
	return true;
}

/* Drop one use of the histogram; the last one frees it and its counts. */
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
 * lw_measure() - start or stop the measurements that the configuration asks for
 * @sel: the selector
 * @m: the path; not in use yet, or the caller holds the map's lock
 *
 * Context: process, may sleep.
 */
void lw_measure(const struct lw_selector *sel, struct lw_path_info *m)
{
	lw_measure_stamps(m, READ_ONCE(sel->config.accounting));
	lw_measure_latencies(m, READ_ONCE(sel->config.histogram));
}

/**
 * lw_measure_end() - stop all measurements of a path that goes away
 * @m: the path
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
 * @path: the path; call only if lw_counts_latency() returned true
 * @c: class
 * @stamp: start time, 0 if unknown
 * @now: end time
 *
 * Counts I/Os that are not valid samples, too: their latency is still true.
 *
 * Context: interrupts off; lw_device_drop_histogram() waits for that before it frees.
 */
void lw_count_latency(struct lw_device *path, unsigned int c, u64 stamp, u64 now)
{
	struct lw_histogram __percpu *histogram = READ_ONCE(path->histogram);

	if (histogram)
		__this_cpu_inc(histogram->bucket[c][lw_bucket(stamp, now)]);
}
