// SPDX-License-Identifier: GPL-2.0
/*
 * The window: every 20 ms while there is traffic, what the CPUs counted becomes
 * latencies, bases and knees.
 */
#include <linux/ktime.h>
#include <linux/nodemask.h>
#include <linux/prefetch.h>

#include "admin/admin.h"
#include "eligibility.h"
#include "knees.h"
#include "publish.h"
#include "trace.h"
#include "window.h"

/*
 * Of its own, since I/O that frees memory must not wait for memory: a hanging
 * path is left by the window.
 */
static struct workqueue_struct *lw_workqueue;

/*
 * Nothing is in flight, nor was at the last time, nor has anything come or gone since.
 * A class that has something all the same, or less than nothing, got or gave ends that
 * were another's (lw_path_mend()). An end that was out of flight's count and not yet in
 * its cell at the last time is there by now.
 */
static void lw_path_settle(struct lw_path *path)
{
	unsigned int c;

	lw_for_each_class(c, &path->state) {
		struct lw_flow *was = &path->state.cls[c].was, *is = &path->sums.flow[c];

		if (is->starts == was->starts && is->ends == was->ends) {
			is->ends = is->starts;
			was->ends = is->starts;
		}
	}
}

/* The nodes that saw something in this window: their own latencies before and after. */
static void lw_nodes_step(struct lw_path *path, bool fresh, struct lw_seen *was,
			  struct lw_seen *is)
{
	unsigned int node;

	for (node = 0; node < nr_node_ids; node++) {
		const struct lw_seen *seen = &path->sums.node[node];
		u64 *lat = &path->node_ns[node];
		u64 mean = lw_seen_mean(seen), before = *lat;
		u64 known = before ? min_t(u64, seen->count, 1U << 20) : 0;

		if (!mean)
			continue;
		mean = lw_of_usual_length(&path->state, mean, 1);
		if (fresh || (lw_path_probed(&path->state) && mean < before))
			*lat = mean;
		else
			*lat = lw_ewma(before, mean, path->state.ewma_shift);
		lw_seen_add(was, before * known, known);
		lw_seen_add(is, *lat * known, known);
	}
}

/*
 * A node's own latency, from the CPUs of the node. That of a node which saw nothing
 * while others did changes as theirs did: the path may have become slower, but the
 * node is no nearer, not even after a stall. Not as the latency of all nodes did, for
 * that changes already if the nearer ones rest. Without stamps there are no samples
 * by node.
 */
static void lw_estimate_nodes(struct lw_path *path, bool fresh)
{
	struct lw_seen was = { 0 }, is = { 0 };
	unsigned int node;

	lw_nodes_step(path, fresh, &was, &is);
	for (node = 0; node < nr_node_ids; node++) {
		u64 *lat = &path->node_ns[node];

		if (path->sums.node[node].count)
			continue;
		if (!path->state.stamped || (fresh && !was.count))
			*lat = 0;
		else if (*lat && was.count)
			*lat = lw_scaled(*lat, lw_seen_mean(&is), lw_seen_mean(&was));
	}
}

/* Try a full path again, in the sixth window after it was first found so: 100 ms by default. */
static void lw_path_unfull(struct lw_path *path)
{
	if (READ_ONCE(path->full) == U32_MAX) {
		path->full_windows = 0;
	} else if (++path->full_windows > 5) {
		WRITE_ONCE(path->full, U32_MAX);
		path->full_windows = 0;
	}
}

/*
 * For how long the path has held nothing, all in all. An end that was late to say that
 * it was the last one is put right here: something had been started meanwhile. If that
 * start is just about to say so itself, some idle time is lost, which does no harm.
 */
static u64 lw_path_idle(struct lw_path *path, u64 now_ns)
{
	u64 since = READ_ONCE(path->idle_since_ns), idle = READ_ONCE(path->idle_ns);

	if (!since || now_ns <= since)
		return idle;
	if (!atomic64_read(&path->work))
		return idle + now_ns - since;
	WRITE_ONCE(path->idle_since_ns, 0);
	return idle;
}

/* From when on; a path that was reinstated meanwhile is not believed sooner than that. */
static void lw_path_believe(struct lw_path *path, u64 now_ns)
{
	spin_lock_irq(&path->use_lock);
	if (path->believe_after_ns < now_ns)
		WRITE_ONCE(path->believe_after_ns, now_ns);
	spin_unlock_irq(&path->use_lock);
}

/*
 * Faster than ever? Where there are no stamps end_io() cannot tell, and the window's
 * latency decides.
 */
static void lw_path_bound(struct lw_path *path, bool seen)
{
	const struct lw_path_state *s = &path->state;
	u32 ticks = lw_ticks(s->lat_ns);

	if (seen && !s->stamped) {
		WRITE_ONCE(path->suspect, ticks < path->bound_ticks ? LW_SUSPECT : 0);
		WRITE_ONCE(path->least_ticks, min(ticks, path->least_ticks));
	}
	if (!lw_suspect_clear(&path->suspicion, READ_ONCE(path->suspect), s->active_ns))
		return;
	WRITE_ONCE(path->suspect, 0);
	WRITE_ONCE(path->bound_ticks, lw_suspect_bound(READ_ONCE(path->least_ticks), s->active_ns));
}

/* One path's window, stage by stage. */
static void lw_path_close(struct lw_path *path, u64 window_ns, u64 now_ns)
{
	struct lw_path_state *s = &path->state;
	const struct lw_flow *flow = path->sums.flow;
	s64 held_ns[LW_CLASSES] = { 0 };
	enum lw_proof proof;
	bool empty, seen;

	lockdep_assert_held(&path->lock);
	lw_path_unfull(path);
	empty = !atomic64_read(&path->work);
	lw_counts_fold(path);
	s->classes = READ_ONCE(path->classes);
	if (empty && path->was_empty)
		lw_path_settle(path);
	path->was_empty = empty;
	lw_estimate_flow(s, flow, held_ns, lw_path_idle(path, now_ns), window_ns, now_ns);
	lw_traffic_add(&path->traffic, s->starts, now_ns);
	if (lw_estimate_stall(s, window_ns))
		lw_path_believe(path, now_ns);
	proof = lw_estimate_proof(s);
	seen = lw_estimate_latency(s, flow, held_ns);
	if (seen || proof)
		lw_estimate_nodes(path, proof == LW_FRESH);
	memset(path->sums.node, 0, nr_node_ids * sizeof(*path->sums.node));
	if (seen)
		lw_estimate_base(s, (u64)READ_ONCE(path->first_ticks) << LW_TICK_SHIFT, proof);
	lw_estimate_knee(s, seen, proof == LW_FRESH);
	lw_path_bound(path, seen);
	/* What hangs is no measure, nor what ends among I/Os from before. */
	if (!s->proven)
		lw_path_forget(path, s->stalled || s->mixed || s->old);
	s->closed_ns = now_ns;
	if (trace_lw_window_enabled())
		lw_trace_window(path);
}

/*
 * What was noted of the first I/O since the reinstatement stays: later ones may have begun
 * in a queue. But without stamps its end may have been that of one from before.
 */
static void lw_path_restart(struct lw_path *path)
{
	lw_path_distrust(&path->state, LW_PATIENCE_NS);
	path->state.resumes = false;
	if (path->state.old && !path->state.stamped)
		lw_path_forget(path, true);
}

/*
 * Close a path's window if it is due, and distrust the path if it was reinstated: before
 * that, so that a first I/O that is done by now proves it; but if it was also failed in
 * this window, what was done before is in there, too, and proves nothing. A reinstatement
 * that comes meanwhile has the next window.
 */
static void lw_window_path(struct lw_path *path, bool due, u64 window_ns, u64 now_ns)
{
	bool mixed, restart;

	spin_lock_irq(&path->use_lock);
	mixed = (s64)(path->failed_ns - path->state.closed_ns) >= 0;
	restart = path->restart && (due || !mixed);
	if (restart)
		path->restart = false;
	spin_unlock_irq(&path->use_lock);

	if (restart && !mixed)
		lw_path_restart(path);
	if (due)
		lw_path_close(path, window_ns, now_ns);
	if (restart && mixed)
		lw_path_restart(path);
}

/* The next path's lines come while this one is worked on: of many maps none is in a cache. */
static void lw_window_prefetch(struct lw_path *path)
{
	prefetch_range(&path->work, offsetof(struct lw_path, state.cls[LW_CLASS_32K + 1]) -
				    offsetof(struct lw_path, work));
	prefetch_range(&path->sums, offsetof(struct lw_path, event) -
				    offsetof(struct lw_path, sums));
}

/*
 * Close the window of every member; is there anything going on? A path that
 * another selector (the old table's, during a reload) has just closed is left:
 * what came since is for the next window, so there has to be one.
 */
static bool lw_window_close(struct lw_selector *sel, u64 now_ns)
{
	u64 window_ns = READ_ONCE(sel->config.window_ms) * NSEC_PER_MSEC;
	bool busy = false;
	unsigned int i;

	for (i = 0; i < sel->nr; i++) {
		struct lw_member *m = &sel->member[i];
		struct lw_path_state *s = &m->path->state;
		bool due, again;

		if (i + 1 < sel->nr)
			lw_window_prefetch(m[1].path);
		mutex_lock(&m->path->lock);
		/* The other selector may have looked at the clock later. */
		due = (s64)(now_ns - s->closed_ns) >= (s64)(window_ns / 2);
		/* A table may have a path twice. */
		again = now_ns == s->closed_ns;
		s->ewma_shift = READ_ONCE(sel->config.ewma_shift);
		lw_window_path(m->path, due, window_ns, now_ns);
		busy |= (!due && !again) || s->inflight || s->starts;
		mutex_unlock(&m->path->lock);
	}
	return busy;
}

/**
 * lw_window_queue() - run the window one window length from now
 * @sel: the selector, armed
 *
 * Context: any.
 */
void lw_window_queue(struct lw_selector *sel)
{
	queue_delayed_work(lw_workqueue, &sel->window,
			   msecs_to_jiffies(READ_ONCE(sel->config.window_ms)));
}

/**
 * lw_window_hasten() - windows have become shorter: also the one that is waited for
 * @sel: the selector; not to be stopped meanwhile
 *
 * A window that is just about to rest runs once more, which does no harm.
 *
 * Context: process.
 */
void lw_window_hasten(struct lw_selector *sel)
{
	if (READ_ONCE(sel->armed))
		mod_delayed_work(lw_workqueue, &sel->window,
				 msecs_to_jiffies(READ_ONCE(sel->config.window_ms)));
}

/* On the module's workqueue, one CPU at a time; may sleep. */
static void lw_window_work(struct work_struct *work)
{
	struct lw_selector *sel = container_of(to_delayed_work(work),
					       struct lw_selector, window);
	/* Timers are coarse and late: estimates go by the time that passed. */
	u64 now_ns = ktime_get_ns();
	bool busy = lw_window_close(sel, now_ns), by_bio = lw_map_by_bio(sel);

	/* Once: each end_io() in a task reads the line. */
	if (READ_ONCE(sel->by_bio) != by_bio)
		WRITE_ONCE(sel->by_bio, by_bio);
	lw_adapt_knees(sel);
	lw_publish(sel);
	lw_report(sel, now_ns);
	/*
	 * Nothing in flight and nothing started: rest. An I/O that started since
	 * its CPU was read saw @armed and did not queue the window; the next one
	 * does. Until then there is no choice to make.
	 */
	if (busy)
		lw_window_queue(sel);
	else
		WRITE_ONCE(sel->armed, 0);
}

/**
 * lw_window_prepare() - prepare the window of a new selector
 * @sel: the selector
 */
void lw_window_prepare(struct lw_selector *sel)
{
	INIT_DELAYED_WORK(&sel->window, lw_window_work);
}

int __init lw_window_init(void)
{
	lw_workqueue = alloc_workqueue("dm_latency_weighted",
				       WQ_UNBOUND | WQ_HIGHPRI | WQ_MEM_RECLAIM, 0);
	return lw_workqueue ? 0 : -ENOMEM;
}

void lw_window_exit(void)
{
	destroy_workqueue(lw_workqueue);
}
