/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data, in the order in which an I/O meets it:
 *
 *   lw_selector -> lw_member -> lw_path -> lw_counts (per CPU)	start, end
 *   lw_counts -> lw_sums -> lw_path_state -> lw_selector.ticks	window
 *   lw_selector.ticks + lw_path.work				select
 *
 * A selector belongs to one priority group of one table. A path belongs to a
 * device and outlives selectors: a table reload makes new selectors, and
 * they find the paths with all that was learned (registry.c).
 *
 * Locks, each taken inside of those above it; those on one line never meet:
 *
 *   lw_maps_lock, lw_map.dirs (map.c)	all maps; the paths and directories of one
 *     lw_view.lock (debugfs.c)		what the files of a directory show
 *       lw_map.lock				selectors of a map, and who reads or tunes them
 *         lw_selector.publishing, lw_registry_lock (registry.c)
 *           lw_path.lock			estimates
 *             lw_path.use_lock		what may be done with a path
 *
 * dm-mpath's own spinlock is held where it calls fail_path(), reinstate_path() and
 * status(); of these only use_lock is taken then. Files take lw_view.lock and below, the
 * window publishing and below, start, select and end none.
 */
#ifndef LW_H
#define LW_H

#include <linux/atomic.h>
#include <linux/blkdev.h>
#include <linux/cache.h>
#include <linux/device-mapper.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "counts.h"
#include "dm-path-selector.h"
#include "histogram.h"
#include "lw_choose.h"
#include "lw_flap.h"
#include "lw_knee.h"
#include "lw_probe.h"
#include "lw_report.h"
#include "lw_suspect.h"
#include "options.h"
#include "traffic.h"

#define DM_MSG_PREFIX "multipath latency-weighted"

/**
 * struct lw_path - what is known of a device
 * @counts: the CPUs' counts
 * @histogram: the CPUs' histograms, NULL unless somebody asked for them; see tally.c
 * @classes: bit per class that was ever used; set by start_io(), spares the
 *	window the cells of the others
 * @believe_after_ns: samples of I/Os that were started earlier are ignored;
 *	written by the window and by reinstate_path() under @use_lock, and only
 *	ever to a later time
 * @first_start_ns: when the I/O with data was started that was the first since the
 *	path was distrusted, U64_MAX for none; written by end_io() of an earlier one,
 *	and back by the window and reinstate_path(). Of two CPUs either I/O will do
 * @first_ticks: the latency of that I/O, 0 for none; likewise
 * @sent_ns: when the first I/O with data since then was started, 0 for none: what there is
 *	without time stamps. Written by start_io(), and back by the window,
 *	reinstate_path() and end_io() of a never-issued I/O. Of CPUs that start at once
 *	either time will do; if a start is lost to one who writes back, a later one is noted
 * @touched: CPUs that counted something since the last window; set by them
 * @work: what is in flight, see lw_flight()
 * @limit: I/Os in flight from which on select_path() looks at @full, @tags and @suspect
 * @full: I/Os in flight, its own not counted, at which the driver lately was too
 *	busy for an I/O, U32_MAX for none; written by end_io() when that happens,
 *	and back by the window
 * @tags: I/Os for which the queue has tags, U32_MAX for any number; written by
 *	lw_publish(), since sysfs may change it
 * @least_ticks: least latency of a stamped I/O with data so far, U32_MAX for none; written
 *	by end_io()
 * @bound_ticks: lw_suspect_bound(), for end_io(); written by the window
 * @suspect: see lw_suspect_step(); written by end_io(), and back by the window
 * @idle_since_ns: when the last I/O in flight ended, 0 for in use; written by the end_io()
 *	that left nothing, by the start_io() that found nothing, and by the window
 *	if the former was late
 * @idle_ns: for how long nothing was in flight before that, all in all; written by that
 *	start_io(). Of two that meet a few microseconds may be lost
 * @lock: protects @state to @report; taken by the windows of the selectors that
 *	share the path (two during a reload), by lw_publish(), and by who reads; in
 *	process context
 * @state: the estimates
 * @node_ns: latency of data by node, 0 for unknown
 * @sums: what the CPUs' counts come to
 * @full_windows: windows since @full was set
 * @was_empty: nothing was in flight at the end of the last window
 * @traffic: I/Os started lately
 * @suspicion: since when the path is too fast to be true
 * @histograms: number of members that asked for @histogram
 * @histogram_nr: how many there were so far
 * @report: is it slow? See report.c
 * @use_lock: protects @flap to @restart and writes of @believe_after_ns, and of the path's
 *	members what may be done with them and their state; taken by fail_path() and
 *	reinstate_path() with interrupts off, by the window, lw_publish() and add_path()
 * @flap: failures soon after reinstatement
 * @failed_ns: when it was last failed
 * @restart: reinstated: a window is to distrust the path; set by reinstate_path(), taken
 *	by the window, whichever table's it is
 * @event: how often something happened, by enum lw_event
 * @node: in the registry; this and what follows, but constants, under its lock
 * @users: number of members that refer to it
 * @accounting: how many of them asked for accounting
 * @known_ns: since when there is this struct, by the wall clock; constant, as is the key:
 * @bdev_nr: device number, and
 * @disk: its disk. Users keep it open, so no new one with its number is taken for it
 */
struct lw_path {
	/* read by start and end, hardly ever written */
	struct lw_counts __percpu *counts;
	struct lw_histogram __percpu *histogram;
	unsigned long classes;
	u64 believe_after_ns;
	u64 first_start_ns;
	u32 first_ticks;
	u64 sent_ns;
	unsigned long *touched;

	/* written by every start and end; a line that select reads as a whole */
	atomic64_t work ____cacheline_aligned;
	u32 limit;
	u32 full;
	u32 tags;
	u32 least_ticks;
	u32 bound_ticks;
	u32 suspect;
	u64 idle_since_ns;
	u64 idle_ns;

	/* the window's */
	struct mutex lock ____cacheline_aligned;
	struct lw_path_state state;
	u64 *node_ns;
	struct lw_sums sums;
	unsigned int full_windows;
	bool was_empty;
	struct lw_traffic traffic;
	struct lw_suspicion suspicion;
	unsigned int histograms;
	unsigned int histogram_nr;
	struct lw_report report;

	/* fail_path()'s and reinstate_path()'s */
	spinlock_t use_lock;
	struct lw_flap flap;
	u64 failed_ns;
	bool restart;

	atomic64_t event[LW_EVENTS];

	/* the registry's */
	struct hlist_node node;
	unsigned int users;
	unsigned int accounting;
	u64 known_ns;
	dev_t bdev_nr;
	struct gendisk *disk;
};

/**
 * struct lw_member - a path's place in a selector
 * @path: the path's state
 * @use: enum lw_use. Written by fail_path() and reinstate_path(), and by lw_publish(),
 *	which leaves a failed path alone; under the path's use_lock
 * @returns: reinstated, and not in use since then; likewise, but fail_path() leaves it
 * @probe: 1 if a probe is wanted; set by lw_publish(), cleared by reinstate_path() if it
 *	rests, both under use_lock; taken by select_path()
 * @unused: next to no I/O goes there, or it stalls
 * @accounting, @histogram: this member asked for them; under the map's lock
 * @preferred: its latency counts as half; written under the map's lock
 * @slope: struct lw_price.slope
 * @inv_knee: struct lw_price.inv_knee
 * @block_cost: struct lw_price.block_cost
 * @block_ticks: what a block adds to the latency, in Q8 ticks; see lw_own_base()
 * @knee: the path's knee, in I/Os of the selector's usual length, in Q8
 * @stretch: how much larger it is shown; written by the window, see lw_stretch_step()
 * @block_mean, @cost_mean: what a block adds and counts: the path's, or equal ones' mean
 * @slope_ticks: the path's slope
 * @weight: shown weight, 0 .. 128
 * @lat_us: shown latency
 * @witness: enum lw_witness
 * @state, @since_ns: enum lw_state, and since when by the wall clock; under use_lock
 * @at: the path's place in the map; set by add_path(), then constant
 * @dm_path: dm's handle
 * @repeat_count: echoed in the table line, otherwise without effect
 *
 * Where nothing else is said lw_publish() writes, which is called by the window, by
 * add_path() and by who tunes, and holds lw_selector.publishing. What others read without
 * it is a word each.
 */
struct lw_member {
	struct lw_path *path;
	int use;
	int probe;
	bool returns;
	bool unused;
	bool accounting;
	bool histogram;
	bool preferred;
	u32 slope;
	u32 inv_knee;
	u32 block_cost;
	u32 block_ticks;
	u32 knee;
	u32 stretch;
	u32 block_mean;
	u32 cost_mean;
	u32 slope_ticks;
	u32 weight;
	u32 lat_us;
	u32 witness;
	u32 state;
	u64 since_ns;
	struct lw_map_path *at;
	struct dm_path *dm_path;
	unsigned int repeat_count;
};

/**
 * struct lw_cpu - per CPU and selector, written by its own CPU only
 * @turn: at which member select_path() starts to look
 * @run: the member to stay with (upper half), and for how many bytes (lower half, 0 for
 *	none), in one word: an I/O that comes meanwhile is not counted, no more
 */
struct lw_cpu {
	unsigned int turn;
	u64 run;
};

/**
 * struct lw_selector - the selector of one priority group
 * @config: set by create() and add_path(), then by who tunes (tune.c) word by word
 * @by_bio: the map is bio-based; written by the window, false before
 * @map: the map, constant from the first add_path() on
 * @of_map: in the map's list of selectors, under the map's lock
 * @argc, @argv: arguments of the table line, to be echoed
 * @nr: number of members; grows during table load, under the map's lock
 * @member: the members
 * @reinstated: number of reinstatements; written by reinstate_path() under dm-mpath's lock
 * @inv_most: struct lw_price.inv_most; written by lw_publish()
 * @usual_q4: usual length of an I/O, in blocks, in Q4, for @ticks; likewise
 * @ticks: published base latencies of such an I/O [node * nr + member]; likewise
 * @next: scratch of the same shape, its own
 * @cpu: per CPU: where select_path() is
 * @armed: 1 while the window runs or is queued; set by start_io(), cleared by
 *	the window
 * @window: the window
 * @looked_ns: when its paths were last looked at for reports; the window's alone
 * @publishing: protects @next, and what of the members lw_publish() writes
 */
struct lw_selector {
	struct lw_config config;
	bool by_bio;
	unsigned int argc;
	char **argv;
	struct lw_map *map;
	struct list_head of_map;

	unsigned int nr;
	struct lw_member *member;
	unsigned int reinstated;
	u32 inv_most;
	u32 usual_q4;
	u32 *ticks;
	u32 *next;
	struct lw_cpu __percpu *cpu;

	int armed ____cacheline_aligned;
	struct delayed_work window;
	u64 looked_ns;
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

/* state.c */
enum lw_use lw_member_turn(struct lw_member *m, bool probe);
void lw_path_forget(struct lw_path *path, bool sent);
void lw_fail_path(struct path_selector *ps, struct dm_path *dm_path);
int lw_reinstate_path(struct path_selector *ps, struct dm_path *dm_path);

/* map.c */
int lw_map_join(struct lw_selector *sel, struct lw_member *m, char **error);
void lw_map_part(struct lw_member *m);
void lw_map_announce(struct lw_member *m);
void lw_map_leave(struct lw_selector *sel);
void lw_map_put_selector(struct lw_selector *sel);
void lw_map_lock(struct lw_selector *sel);
void lw_map_unlock(struct lw_selector *sel);
bool lw_map_by_bio(const struct lw_selector *sel);
dev_t lw_map_number(const struct lw_member *m);

/* sysfs.c */
int lw_sysfs_init(void);
void lw_sysfs_exit(void);

/* debugfs.c */
void lw_debugfs_init(void);
void lw_debugfs_exit(void);

/* registry.c */
struct lw_path *lw_path_get(struct block_device *bdev);
void lw_path_put(struct lw_path *path);
bool lw_path_account(struct lw_path *path, struct block_device *bdev);
void lw_path_unaccount(struct lw_path *path, struct block_device *bdev);
bool lw_path_add_histogram(struct lw_path *path);
void lw_path_drop_histogram(struct lw_path *path);

/* sample.c */
int lw_start_io(struct path_selector *ps, struct dm_path *dm_path,
		size_t nr_bytes);
int lw_end_io(struct path_selector *ps, struct dm_path *dm_path,
	      size_t nr_bytes, u64 start_time);

/* window.c */
int lw_window_init(void);
void lw_window_exit(void);
void lw_window_prepare(struct lw_selector *sel);
void lw_window_queue(struct lw_selector *sel);
void lw_window_hasten(struct lw_selector *sel);

/* publish.c */
void lw_publish(struct lw_selector *sel);

/* report.c */
void lw_report(struct lw_selector *sel, u64 now_ns);

/* notice.c */
int lw_notice_init(void);
void lw_notice_exit(void);
bool lw_notice_send(const struct lw_member *m, const struct lw_report *r,
		    enum lw_change change, u64 now_ns);

/* knees.c */
void lw_adapt_knees(struct lw_selector *sel);
void lw_publish_knees(struct lw_selector *sel, const u32 *ticks);

/* select.c */
struct dm_path *lw_select_path(struct path_selector *ps, size_t nr_bytes);

/* status.c */
extern const char * const lw_class_names[LW_CLASSES];
const char *lw_state_name(unsigned int state);
const char *lw_witness_name(unsigned int witness);
void lw_member_note(struct lw_member *m);
void lw_show(struct lw_selector *sel);
int lw_status(struct path_selector *ps, struct dm_path *dm_path,
	      status_type_t type, char *result, unsigned int maxlen);
#define LW_INFO_ARGS 5

/* trace.c; for whoever finds the event on */
void lw_trace_window(const struct lw_path *path);
void lw_trace_probe(struct lw_selector *sel, unsigned int index, size_t nr_bytes);
void lw_trace_settled(struct lw_selector *sel, struct lw_choice choice,
		      unsigned int index, size_t nr_bytes);
void lw_trace_state(const struct lw_member *m, unsigned int was, unsigned int is);

/* args.c */
void lw_args_inherit(struct lw_selector *sel, const struct lw_config *config);
int lw_args_parse(struct lw_selector *sel, unsigned int argc, char **argv);
void lw_args_free(struct lw_selector *sel);
bool lw_args_prefer(const struct lw_selector *sel, dev_t dev);
int lw_path_args_parse(struct lw_member *m, int argc, char **argv, char **error);

#endif
