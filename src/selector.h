/* SPDX-License-Identifier: GPL-2.0 */
/* The selector of one priority group of one table, and the paths in it. */
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

/**
 * struct lw_member - a path's place in a selector
 *
 * Where nothing else is said lw_publish() writes, which is called by the window, by
 * add_path() and by who tunes, and holds lw_selector.publishing. What others read without
 * it is a word each.
 */
struct lw_member {
	/** @path: the path's state */
	struct lw_path *path;
	/**
	 * @use: enum lw_use. Written by fail_path() and reinstate_path(), and by lw_publish(),
	 * which leaves a failed path alone; under the path's use_lock
	 */
	int use;
	/**
	 * @probe: 1 if a probe is wanted; set by lw_publish(), cleared by reinstate_path() if it
	 * rests, both under use_lock; taken by select_path()
	 */
	int probe;
	/** @returns: reinstated, and not in use since then; as @use, but fail_path() leaves it */
	bool returns;
	/** @unused: next to no I/O goes there, or it stalls */
	bool unused;
	/** @accounting: this member asked for accounting; see admin/measure.c */
	bool accounting;
	/** @histogram: this member asked for a histogram; likewise */
	bool histogram;
	/** @preferred: its latency counts as half; written under the map's lock */
	bool preferred;
	/** @slope: struct lw_price.slope */
	u32 slope;
	/** @inv_knee: struct lw_price.inv_knee */
	u32 inv_knee;
	/** @block_cost: struct lw_price.block_cost */
	u32 block_cost;
	/** @block_ticks: what a block adds to the latency, in Q8 ticks; see lw_own_base() */
	u32 block_ticks;
	/** @knee: the path's knee, in I/Os of the selector's usual length, in Q8 */
	u32 knee;
	/** @stretch: how much larger it is shown; written by the window, see lw_stretch_step() */
	u32 stretch;
	/** @block_mean: what a block adds to the latency: the path's, or equal ones' mean */
	u32 block_mean;
	/** @cost_mean: what a block counts, likewise */
	u32 cost_mean;
	/** @slope_ticks: the path's slope */
	u32 slope_ticks;
	/** @weight: shown weight, 0 .. 128 */
	u32 weight;
	/** @lat_us: shown latency */
	u32 lat_us;
	/** @source: enum lw_source */
	u32 source;
	/** @state: enum lw_state; under use_lock */
	u32 state;
	/** @since_ns: since when, by the wall clock; likewise */
	u64 since_ns;
	/** @at: the path's place in the map; set by add_path(), then constant */
	struct lw_map_path *at;
	/** @dm_path: dm's handle */
	struct dm_path *dm_path;
	/** @repeat_count: echoed in the table line, otherwise without effect */
	unsigned int repeat_count;
};

/** struct lw_cpu - per CPU and selector, written by its own CPU only */
struct lw_cpu {
	/** @turn: at which member select_path() starts to look */
	unsigned int turn;
	/**
	 * @run: the member to stay with (upper half), and for how many bytes (lower half, 0 for
	 * none), in one word: an I/O that comes meanwhile is not counted, no more
	 */
	u64 run;
};

/** struct lw_selector - the selector of one priority group */
struct lw_selector {
	/** @config: set by create() and add_path(), then tuned (admin/tune.c) word by word */
	struct lw_config config;
	/** @by_bio: the map is bio-based; written by the window, false before */
	bool by_bio;
	/** @argc: number of arguments of the table line */
	unsigned int argc;
	/** @argv: those, to be echoed */
	char **argv;
	/** @map: the map, constant from the first add_path() on */
	struct lw_map *map;
	/** @of_map: in the map's list of selectors, under the map's lock */
	struct list_head of_map;

	/** @nr: number of members; grows during table load, under the map's lock */
	unsigned int nr;
	/** @member: the members */
	struct lw_member *member;
	/** @reinstated: reinstatements so far; written by reinstate_path() under dm-mpath's lock */
	unsigned int reinstated;
	/** @inv_most: struct lw_price.inv_most; written by lw_publish() */
	u32 inv_most;
	/** @usual_q4: usual length of an I/O, in blocks, in Q4, for @ticks; likewise */
	u32 usual_q4;
	/** @ticks: published base latencies of such an I/O [node * nr + member]; likewise */
	u32 *ticks;
	/** @next: scratch of the same shape, under @publishing */
	u32 *next;
	/** @cpu: per CPU: where select_path() is */
	struct lw_cpu __percpu *cpu;

	/**
	 * @armed: 1 while the window runs or is queued; set by start_io(), cleared by the window.
	 * On a line of its own, which each start_io() reads
	 */
	int armed ____cacheline_aligned;
	/** @window: the window */
	struct delayed_work window;
	/** @looked_ns: when its paths were last looked at for reports; the window's alone */
	u64 looked_ns;
	/** @publishing: protects @next, and what of the members lw_publish() writes */
	struct mutex publishing;
};

/* Where the latencies of all members for a node begin. */
static inline size_t lw_row(const struct lw_selector *sel, unsigned int node)
{
	return node * (size_t)sel->nr;
}

/* add_path() left the member with dm's path. */
static inline struct lw_member *lw_member(const struct dm_path *path)
{
	return path->pscontext;
}

/*
 * The latency of a preferred path counts as half: it is taken unless another is
 * more than twice as fast.
 */
static inline u64 lw_counted(const struct lw_member *m, u64 lat_ns)
{
	return READ_ONCE(m->preferred) ? lat_ns / 2 : lat_ns;
}

#endif
