/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is known of a device. It belongs to the device, not to a selector, and outlives tables:
 * a table reload makes new selectors, which find the paths with all that was learned.
 */
#ifndef LW_PATH_H
#define LW_PATH_H

#include <linux/atomic.h>
#include <linux/blkdev.h>
#include <linux/cache.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>

#include "counts.h"
#include "lw.h"
#include "model/choose.h"
#include "model/flap.h"
#include "model/histogram.h"
#include "model/knee.h"
#include "model/probe.h"
#include "model/report.h"
#include "model/suspect.h"
#include "model/traffic.h"

/** struct lw_path - a device, by its number and disk */
struct lw_path {
	/* Read by start and end, and hardly ever written. */

	/** @counts: the CPUs' counts */
	struct lw_counts __percpu *counts;
	/** @histogram: the CPUs' histograms, NULL unless a member asked (admin/measure.c) */
	struct lw_histogram __percpu *histogram;
	/**
	 * @classes: a bit for each class that was ever used; set by start_io(), spares the
	 * window the cells of the others
	 */
	unsigned long classes;
	/**
	 * @believe_after_ns: samples of I/Os that were started earlier are ignored; written by
	 * the window and by reinstate_path() under @use_lock, and only ever to a later time
	 */
	u64 believe_after_ns;
	/**
	 * @first_start_ns: when the I/O with data was started that was the first since the path
	 * was distrusted, U64_MAX for none; written by end_io() of an earlier one, and back by
	 * the window and reinstate_path(). Of two CPUs either I/O will do
	 */
	u64 first_start_ns;
	/** @first_ticks: the latency of that I/O, 0 for none; likewise */
	u32 first_ticks;
	/**
	 * @sent_ns: when the first I/O with data since then was started, 0 for none: what there
	 * is without time stamps. Written by start_io(), and back by the window,
	 * reinstate_path() and end_io() of a never-issued I/O. Of CPUs that start at once either
	 * time will do; if a start is lost to one who writes back, a later one is noted
	 */
	u64 sent_ns;
	/** @touched: CPUs that counted something since the last window; set by them */
	unsigned long *touched;

	/* Written by every start and end; a line that select reads as a whole. */

	/** @work: what is in flight, see lw_flight() */
	atomic64_t work ____cacheline_aligned;
	/** @limit: I/Os in flight from which on select_path() looks at @full, @tags and @suspect */
	u32 limit;
	/**
	 * @full: I/Os in flight, its own not counted, at which the driver lately was too busy for
	 * an I/O, U32_MAX for none; written by end_io() when that happens, and back by the window
	 */
	u32 full;
	/**
	 * @tags: I/Os for which the queue has tags, U32_MAX for any number; written by
	 * lw_publish(), since sysfs may change it
	 */
	u32 tags;
	/**
	 * @least_ticks: least latency of a stamped I/O with data so far, U32_MAX for none; written
	 * by end_io()
	 */
	u32 least_ticks;
	/** @bound_ticks: lw_suspect_bound(), for end_io(); written by the window */
	u32 bound_ticks;
	/** @suspect: see lw_suspect_step(); written by end_io(), and back by the window */
	u32 suspect;
	/**
	 * @idle_since_ns: when the last I/O in flight ended, 0 for in use; written by the end_io()
	 * that left nothing, by the start_io() that found nothing, and by the window if the former
	 * was late
	 */
	u64 idle_since_ns;
	/**
	 * @idle_ns: for how long nothing was in flight before that, all in all; written by that
	 * start_io(). Of two that meet a few microseconds may be lost
	 */
	u64 idle_ns;

	/* The window's. */

	/**
	 * @lock: protects what follows, down to fail_path()'s; taken by the windows of the
	 * selectors that share the path (two during a reload), by lw_publish(), and by who reads;
	 * in process context
	 */
	struct mutex lock ____cacheline_aligned;
	/** @state: the estimates */
	struct lw_path_state state;
	/** @node_ns: latency of data by node, 0 for unknown */
	u64 *node_ns;
	/** @sums: what the CPUs' counts come to */
	struct lw_sums sums;
	/** @full_windows: windows since @full was set */
	unsigned int full_windows;
	/** @was_empty: nothing was in flight at the end of the last window */
	bool was_empty;
	/** @traffic: I/Os started lately */
	struct lw_traffic traffic;
	/** @suspicion: since when the path is too fast to be true */
	struct lw_suspicion suspicion;
	/** @histograms: number of members that asked for @histogram */
	unsigned int histograms;
	/** @histogram_nr: how many there were so far */
	unsigned int histogram_nr;
	/** @report: is it slow? See admin/report.c */
	struct lw_report report;

	/* fail_path()'s and reinstate_path()'s. */

	/**
	 * @use_lock: protects what follows up to @restart and writes of @believe_after_ns, and of
	 * the path's members what may be done with them and their state; taken by fail_path() and
	 * reinstate_path() with interrupts off, by the window, lw_publish() and add_path()
	 */
	spinlock_t use_lock;
	/** @flap: failures soon after reinstatement */
	struct lw_flap flap;
	/** @failed_ns: when it was last failed */
	u64 failed_ns;
	/**
	 * @restart: reinstated: a window is to distrust the path; set by reinstate_path(), taken
	 * by the window, whichever table's it is
	 */
	bool restart;

	/** @event: how often something happened, by enum lw_event */
	atomic64_t event[LW_EVENTS];

	/* The registry's (path.c): under its lock, but for what is constant. */

	/** @node: in the registry */
	struct hlist_node node;
	/** @users: number of members that refer to it */
	unsigned int users;
	/** @accounting: how many of them asked for accounting; under @lock */
	unsigned int accounting;
	/** @known_ns: since when there is this struct, by the wall clock; constant */
	u64 known_ns;
	/** @bdev_nr: device number; constant */
	dev_t bdev_nr;
	/**
	 * @disk: its disk; constant. Users keep it open, so no new one with its number is taken
	 * for it
	 */
	struct gendisk *disk;
};

struct lw_path *lw_path_get(struct block_device *bdev);
void lw_path_put(struct lw_path *path);

#endif
