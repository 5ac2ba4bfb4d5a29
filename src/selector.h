/* SPDX-License-Identifier: GPL-2.0 */
/* The selector of one priority group of one table, and its paths. */
#ifndef LW_SELECTOR_H
#define LW_SELECTOR_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/workqueue.h>

#include "dm-path-selector.h"
#include "options.h"
#include "path.h"

struct lw_map;
struct lw_map_path;
struct lw_policy_use;

enum lw_map_kind {
	LW_MAP_UNKNOWN,
	LW_MAP_BY_REQUEST,
	LW_MAP_BY_BIO,
};

/* When the path last completed an operation, counted in its completions. */
struct lw_op_mark {
	u64 done;	/* on this path */
	u64 all;	/* on all paths at that time */
};

/* Measurements that a member asked for; see admin/measure.c. */
struct lw_measured {
	bool accounting;
	bool histogram;
	bool by_operation;
	bool op_histogram;	/* histogram and by_operation */
};

/* What a path costs; the first five as in struct lw_published. */
struct lw_member_cost {
	u32 inv_knee;
	u32 inv_ios;
	u32 block_cost;
	u32 hung;
	u32 hung_ios;
	u32 block_ticks;	/* latency that a block adds, in Q8 ticks, see lw_own_base() */
};

/* What is compared with other paths, to make knees and prices of equal ones equal; knees.c. */
struct lw_compared {
	u32 knee;		/* in I/Os of the selector's usual length, in Q8 */
	bool queues;		/* so knee is what the path carries; else at least that */
	u32 gain;		/* of the published knee, see lw_knee_gain_step(); by the window */
	u32 block_mean;		/* ticks that a block adds, in Q8, averaged over equal paths */
	u32 cost_mean;		/* price of a block, averaged likewise */
};

/* What is shown of a member; status.c. */
struct lw_shown {
	u64 base_ns;		/* by which paths are compared, see lw_show() */
	u32 weight;		/* 0 .. 128 */
	u32 lat_us;
	u32 lat_ns;		/* the same, for policies; at most U32_MAX */
	u32 source;		/* enum lw_source */
	u32 state;		/* enum lw_state, under use_lock */
	u32 map_number;		/* dev_t of the map, 0 if unknown; set by add_path() */
	u64 since_ns;		/* wall-clock time of the last change of state, under use_lock */
};

/*
 * A path as a member of a selector. Unless noted otherwise, lw_publish() writes the fields under
 * lw_selector.publishing. Fields read without a lock are single words: a reader sees the old or
 * the new value.
 */
struct lw_path_info {
	struct lw_device *path;	/* constant */
	int use;	/* enum lw_use; under use_lock, but see lw_resume() */
	int probe;	/* probes that it wants, a bit each; as use, but select_path() clears it */
	u32 outlier_base;	/* by which end_io() finds outliers, in ticks; U32_MAX: none */
	bool returns;		/* reinstated and not used since; under use_lock */
	bool paused;		/* was LW_PAUSED when published, so ticks are what it took before */
	bool unused;		/* gets almost no I/O, or stalls */
	struct lw_measured measured;	/* under the map's lock, until destroy() */
	bool preferred;		/* halve its latency in comparisons; written under the map's lock */
	struct lw_member_cost cost;
	struct lw_compared compared;
	struct lw_shown shown;
	struct lw_map_path *map_path;	/* the path's entry in the map; set by add_path() */
	struct dm_path *dm_path;	/* dm's handle */
	struct lw_op_mark op[LW_OPS];	/* for probes, by lw_publish() alone; not of LW_OP_DATA */
	struct lw_op_mark short_ios;	/* likewise */
	u32 short_below;	/* see lw_short_below() */
};

/* Per CPU and selector, written by its own CPU only. */
struct lw_cpu {
	unsigned int cursor;	/* member after the one chosen last; 0 before the first choice */
	u32 unstarted;		/* selects since the last start_io(), except for ioctls */
	u64 run;		/* member, bytes left (low half) of the run; interrupts may race */
	u64 unknown;		/* selects whose operation was not known */
};

/* When the window of a selector runs. */
struct lw_timer {
	int armed;		/* the window runs or is queued */
	struct delayed_work work;
	unsigned int windows;	/* its length in usual windows, see lw_quiet_windows() */
	u64 nodes_seen;		/* on any path in the last window, a bit each; the window's alone */
	u64 looked_ns;		/* when reports last looked at the paths; the window's alone */
};

/* The selector of one priority group. */
struct lw_selector {
	struct lw_config config;	/* set by create(), add_path(); tuned word by word */
	enum lw_map_kind kind;		/* of the map; unknown until the window sets it */
	unsigned int argc;		/* arguments of the table line, to be echoed */
	char **argv;
	struct lw_map *map;		/* constant after the first add_path() */
	struct list_head of_map;	/* in the map's list of selectors, under its lock */

	unsigned int nr;		/* grows during table load, under the map's lock */
	struct lw_path_info *member;
	unsigned int reinstated;	/* counts reinstatements; written under dm-mpath's lock */
	/* Published by lw_publish(). */
	u32 inv_most;			/* as in struct lw_published */
	u32 usual_q4;			/* usual length in blocks (Q4), to which ticks refer */
	u32 ops;			/* operations with latencies of their own, a bit each */
	u32 *ticks;			/* base latencies, see lw_row() */
	u32 *scratch;			/* scratch space for ticks, under publishing */
	struct lw_cpu __percpu *cpu;	/* state of select_path() */
	struct lw_policy_use __rcu *policy;	/* the map's, or NULL; set under its lock */

	/* Each start_io() reads armed: apart from what select reads. */
	struct lw_timer timer ____cacheline_aligned;
	struct request_queue *map_queue;	/* the map's, NULL if unknown; as map */
	struct mutex publishing;	/* protects scratch, and members while published */
};

/* Length of the window that runs or is queued, ms. */
static inline unsigned int lw_window_ms(const struct lw_selector *sel)
{
	unsigned int usual = READ_ONCE(sel->config.window_ms);

	/* A window that was tuned meanwhile is no reason for more than either. */
	return max(usual, min(usual * READ_ONCE(sel->timer.windows), LW_QUIET_MS));
}

/* Index in ticks of the first member's latency for this node and operation. */
static inline size_t lw_row(const struct lw_selector *sel, unsigned int node, enum lw_op op)
{
	return (node * (size_t)LW_OPS + op) * sel->nr;
}

static inline struct lw_path_info *lw_member_of(const struct dm_path *path)
{
	return path->pscontext;
}

/* Halve the latency of a preferred path, so that only a path twice as fast beats it. */
static inline u64 lw_preferred_latency(const struct lw_path_info *m, u64 lat_ns)
{
	return READ_ONCE(m->preferred) ? lat_ns / 2 : lat_ns;
}

#endif
