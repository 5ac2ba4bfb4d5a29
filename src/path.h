/* SPDX-License-Identifier: GPL-2.0 */
/* State of a device. It outlives tables: after a reload, new selectors find what was learned. */
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
#include "model/backoff.h"
#include "model/histogram.h"
#include "model/bracket.h"
#include "model/probe.h"
#include "model/report.h"
#include "model/slow.h"
#include "model/stall.h"
#include "model/traffic.h"

/* Histograms of a path that members asked for; see admin/totals.c. */
struct lw_histograms {
	struct lw_histogram __percpu *row;	/* NULL if unwanted */
	unsigned int users;			/* members that asked; under lw_device.lock */
	unsigned int nr;			/* how often allocated so far; likewise */
};

/* Completions by operation; see admin/operation.c. */
struct lw_op_counts {
	struct lw_op_cell __percpu *cells;	/* NULL if unwanted */
	struct lw_histograms histogram;		/* of reads and of writes */
};

/*
 * The line of a path that start and end write, and select reads as a whole. Racing stores are
 * harmless. The window resets full and suspect.
 */
struct lw_line {
	atomic64_t work;		/* in flight, see lw_flight() */
	u32 limit;			/* I/Os at which select checks full, tags and suspect */
	u32 full;			/* I/Os at which it took no more, or U32_MAX */
	u32 tags;			/* I/Os that the queue has tags for, or U32_MAX */
	u32 least_ticks;		/* least latency of data, or U32_MAX; by end_io(), window */
	u32 bound_ticks;		/* lw_suspect_bound() for end_io(); written by the window */
	u32 suspect;			/* by lw_suspect_step(); the window resets it */
	/* Maintained by the end_io() that leaves nothing and the start_io() that finds nothing. */
	u64 idle_since_ns;		/* when the last I/O ended, 0 while in use */
	u64 idle_ns;			/* total idle time before that */
	u64 first_start_ns;		/* 0: none; by start_io(), lw_device_forget() */
};

/* A NUMA node's view of a path. */
struct lw_node {
	u64 lat_ns;			/* of data, 0 for unknown */
	u32 away;			/* see LW_NODE_AWAY; rises by 1, falls by 4 with a sample */
	u32 weight;			/* samples in Q8; fade by LW_NODE_SHIFT */
	atomic64_t outlier_ticks;	/* lw_outlier_excess() of its samples in the window */
};

/* Latency by NUMA node. */
struct lw_nodes {
	struct lw_node *of;		/* by number */
	u64 lat_ns;			/* their mean latency, by weight; 0 for unknown */
	u64 seen;			/* nodes with samples in the window, a bit each */
	u64 elsewhere;			/* on any path of the selector in the window before */
};

/* Members that asked for a measurement; under lw_device.lock. */
struct lw_measuring {
	unsigned int by_operation;	/* how many */
	unsigned int accounting;	/* how many */
	bool stamps;			/* accounting was asked of the queue */
};

/* What administrators see; decides nothing. */
struct lw_watched {
	struct lw_traffic traffic;
	struct lw_verdict slow;		/* beside the other paths of a selector */
	struct lw_report report;
};

/* What fail_path() and reinstate_path() write. */
struct lw_fails {
	struct lw_backoff backoff;
	u64 failed_ns;			/* time of the last failure */
	u64 work;			/* in flight at the last reinstatement */
	u64 old_ends;			/* of struct lw_ended_counts, at that time */
	bool failed;			/* neither reinstated nor in a new table since */
	bool restart;			/* the next window of any table invalidates the path */
};

/* What all CPUs count together: it is rare, but outliers may be each I/O of a far node. */
struct lw_ended_counts {
	atomic64_t outliers;		/* in the window, */
	atomic64_t outlier_ticks;	/* and their lw_outlier_excess(), but of samples */
	atomic64_t old_ends;		/* ends of I/Os that were started before valid_after_ns */
	atomic64_t event[LW_EVENTS];	/* by enum lw_event */
};

/* Used by the registry (path.c), under its lock unless told otherwise. */
struct lw_known {
	struct hlist_node node;
	unsigned int users;		/* number of members that refer to this path */
	u64 since_ns;			/* wall-clock time of creation; constant */
	dev_t bdev_nr;			/* device number; constant */
	struct gendisk *disk;	/* constant; users keep it open, so its number is not reused */
};

/* A device, by its number and disk. */
struct lw_device {
	/* Read by start and end, rarely written. Any racing store to first_* may win. */

	struct lw_counts __percpu *counts;	/* per-CPU counts */
	unsigned long *touched;		/* CPUs that counted since the window; each sets its bit */
	struct lw_histograms histogram;	/* by class */
	unsigned long classes;		/* bit per class ever used, set by start_io() */
	u64 valid_after_ns;		/* start of the first valid I/O; stored under use_lock */
	/*
	 * First data I/O since the path was invalidated, and its latency. Set by end_io() while a
	 * member is not LW_USE, reset by lw_device_forget(). Without stamps first_start_ns replaces
	 * first_stamp_ns.
	 */
	u64 first_stamp_ns;		/* U64_MAX for none */
	u32 first_ticks;		/* 0 for none */
	u32 longest;			/* bytes of the longest data; any selector publishes it */
	/* Read by end_io() with by_operation alone, so after the line that each I/O reads. */
	struct lw_op_counts op;

	struct lw_line line ____cacheline_aligned;

	/*
	 * Protects the estimates, up to shown, in process context. Taken by windows (two
	 * selectors share a path during a reload), lw_publish() and readers of files.
	 */
	struct mutex lock ____cacheline_aligned;
	struct lw_path_state state;
	struct lw_nodes nodes;
	struct lw_sums sums;		/* aggregated counts */
	struct lw_watched shown;

	/*
	 * Protects fails, valid_after_ns, and use and state of members. fail_path() and
	 * reinstate_path() take it with interrupts off; lw_publish() and windows take it as well.
	 */
	spinlock_t use_lock;
	struct lw_fails fails;

	struct lw_ended_counts ended;
	struct lw_measuring measuring;
	struct lw_known known;
};

struct lw_device *lw_device_get(struct block_device *bdev);
void lw_device_put(struct lw_device *path);

#endif
