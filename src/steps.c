// SPDX-License-Identifier: GPL-2.0
/* A path's window: the steps that make latency, base and knee of counts. */
#include <linux/nodemask.h>

#include "eligibility.h"
#include "model/suspect.h"
#include "trace.h"
#include "window.h"

/*
 * Correct counts of classes after lw_undo_end(). The path was empty at the end of this and of the
 * last window, and this class counted nothing between, so ends that do not match its starts were
 * another class's; an end that was late for the last window has reached its cell by now.
 */
static void lw_correct_counts(struct lw_device *path)
{
	unsigned int c;

	lw_for_each_class(c, &path->state.counted) {
		struct lw_counters *was = &path->state.counted.cls[c].was;
		struct lw_counters *is = &path->sums.counters[c];

		if (is->starts == was->starts && is->ends == was->ends) {
			is->ends = is->starts;
			was->ends = is->starts;
		}
	}
}

/*
 * Update nodes with samples in this window, and sum up their latencies: @now of all, @was and @is
 * before and after, of nodes whose change is the path's.
 */
static void lw_nodes_step(struct lw_device *path, struct lw_samples *now, struct lw_samples *was,
			  struct lw_samples *is)
{
	const struct lw_path_state *s = &path->state;
	unsigned int node;

	for (node = 0; node < nr_node_ids; node++) {
		const struct lw_samples *seen = &path->sums.node[node];
		struct lw_node *of = &path->nodes.of[node];
		u64 mean = lw_samples_mean(seen), before = of->lat_ns;
		unsigned int shift;
		u64 weight;

		if (!mean)
			continue;
		/* Nodes that share a bit are taken for one. */
		path->nodes.seen |= BIT_ULL(node % 64);
		mean = lw_of_usual(s, &s->latency.means, mean);
		/* What has faded counts less: nothing after LW_NODE_AWAY. */
		shift = LW_NODE_SHIFT - LW_NODE_SHIFT * of->away / LW_NODE_AWAY;
		if (s->capacity.fresh || (s->w.done < 4 && mean < before))
			of->lat_ns = mean;
		else
			of->lat_ns = lw_ewma(before, mean, shift);
		if (!before)
			of->away = LW_NODE_AWAY;
		of->away -= min(of->away, LW_NODE_AWAY / 4);
		weight = min_t(u64, seen->count, 1U << 20);
		lw_samples_add(now, of->lat_ns * weight, weight);
		if (of->away)
			continue;
		lw_samples_add(was, before * weight, weight);
		lw_samples_add(is, of->lat_ns * weight, weight);
	}
}

/* Weights fade, not latencies: the mean changes with the path, as each node's latency does. */
static void lw_nodes_mean(struct lw_device *path)
{
	struct lw_samples all = { 0 };
	unsigned int node;

	for (node = 0; node < nr_node_ids; node++) {
		struct lw_node *of = &path->nodes.of[node];

		of->weight -= of->weight >> LW_NODE_SHIFT;
		of->weight += min_t(u64, path->sums.node[node].count, 1U << 10) << 8;
		if (of->lat_ns)
			lw_samples_add(&all, of->lat_ns * of->weight, of->weight);
	}
	path->nodes.lat_ns = lw_samples_mean(&all);
}

/*
 * Estimate latency by node, from the CPUs of the node. Scale idle nodes as the active ones changed:
 * the path may be slower, but the node is no nearer. Without stamps there are no samples by node. A
 * node has no probes of its own: while it uses other paths only, its latency fades towards the
 * mean. Its next samples correct the faded value, so they move no other node's.
 */
static void lw_estimate_nodes(struct lw_device *path)
{
	struct lw_samples now = { 0 }, was = { 0 }, is = { 0 };
	unsigned int node;

	lw_nodes_step(path, &now, &was, &is);
	for (node = 0; node < nr_node_ids; node++) {
		struct lw_node *of = &path->nodes.of[node];

		if (path->sums.node[node].count)
			continue;
		if (!path->state.health.stamped || (path->state.capacity.fresh && !was.count))
			of->lat_ns = 0;
		if (!of->lat_ns || !now.count)
			continue;
		if (was.count)
			of->lat_ns = lw_scaled(of->lat_ns, lw_samples_mean(&is),
					       lw_samples_mean(&was));
		if (!(path->nodes.elsewhere & BIT_ULL(node % 64)))
			continue;
		of->lat_ns = lw_ewma(of->lat_ns, lw_samples_mean(&now), LW_NODE_FORGET);
		of->away = min(of->away + 1, LW_NODE_AWAY);
	}
	lw_nodes_mean(path);
}

/* Retry a full path in the sixth window after it was first found full, by default after 100 ms. */
static void lw_retry_full(struct lw_device *path)
{
	if (READ_ONCE(path->line.full) == U32_MAX) {
		path->sums.closed.full_windows = 0;
	} else if (++path->sums.closed.full_windows > 5) {
		WRITE_ONCE(path->line.full, U32_MAX);
		path->sums.closed.full_windows = 0;
	}
}

/*
 * Total idle time. Correct an end that set idle_since_ns late, after a new start, but not a newer
 * idle period. If a start is just about to end the idle period, that period is lost: one window
 * looks diluted.
 */
static u64 lw_device_idle(struct lw_device *path, u64 now_ns)
{
	u64 since = READ_ONCE(path->line.idle_since_ns), idle = READ_ONCE(path->line.idle_ns);

	if (!since || now_ns <= since)
		return idle;
	if (!atomic64_read(&path->line.work))
		return idle + now_ns - since;
	cmpxchg(&path->line.idle_since_ns, since, 0);
	return idle;
}

/* Invalidate samples of I/Os started before @now_ns. A reinstatement may have set a later time. */
static void lw_device_invalidate_before(struct lw_device *path, u64 now_ns)
{
	spin_lock_irq(&path->use_lock);
	if (path->valid_after_ns < now_ns)
		WRITE_ONCE(path->valid_after_ns, now_ns);
	spin_unlock_irq(&path->use_lock);
}

/* Update the suspicion. Without stamps end_io() cannot judge, so use the window's latency. */
static void lw_device_suspicion(struct lw_device *path, bool seen)
{
	const struct lw_path_state *s = &path->state;
	u32 ticks = lw_ticks(s->latency.lat_ns);
	u64 active_ns = s->counted.active_ns;
	struct lw_line *line = &path->line;

	if (seen && !s->health.stamped) {
		WRITE_ONCE(line->suspect, ticks < line->bound_ticks ? LW_SUSPECT : 0);
		WRITE_ONCE(line->least_ticks, min(ticks, READ_ONCE(line->least_ticks)));
	}
	if (!lw_suspect_clear(&path->sums.closed.suspected_ns, READ_ONCE(line->suspect), active_ns))
		return;
	WRITE_ONCE(line->suspect, 0);
	WRITE_ONCE(line->bound_ticks, lw_suspect_bound(READ_ONCE(line->least_ticks), active_ns));
}

/* Writes of this window, and I/Os without data; none unless by_operation is on. */
static void lw_device_operations(struct lw_device *path)
{
	struct lw_sums *sums = &path->sums;

	path->state.w.writes = lw_take_op_samples(&sums->writes, &sums->closed.writes);
	path->state.w.others = lw_take_op_samples(&sums->others, &sums->closed.others);
}

/* What end_io() added since the last call, most often nothing. */
static u64 lw_take(atomic64_t *added)
{
	return atomic64_read(added) ? atomic64_xchg(added, 0) : 0;
}

/*
 * Outliers that ended since the last call. Cells are without their time above the base; nodes get
 * this time back, as all I/Os of a node that is far from the path may be outliers.
 */
static struct lw_outlier_ends lw_take_outliers(struct lw_device *path)
{
	struct lw_outlier_ends ends = {
		.number = lw_take(&path->ended.outliers),
		.of_others_ns = lw_take(&path->ended.outlier_ticks) << LW_TICK_SHIFT,
	};
	unsigned int node;
	u64 above_ns;

	for (node = 0; node < nr_node_ids; node++) {
		above_ns = lw_take(&path->nodes.of[node].outlier_ticks) << LW_TICK_SHIFT;
		path->sums.node[node].sum_ns += above_ns;
		ends.of_samples_ns += above_ns;
	}
	return ends;
}

/* I/Os from before the last reinstatement that ended since the last call. */
static u64 lw_take_old_ends(struct lw_device *path)
{
	u64 is = atomic64_read(&path->ended.old_ends), was = path->sums.closed.old_ends;

	path->sums.closed.old_ends = is;
	return is - was;
}

/* A path that was reinstated, or is new, has a fresh start. */
static void lw_device_outliers(struct lw_path_state *s, bool fresh)
{
	struct lw_health *h = &s->health;

	/* Neither the path nor its link took the time in which the machine stood still. */
	if (s->w.stood_still || (h->halted && h->hung.ends))
		s->w.outliers = (struct lw_outlier_ends){ 0 };
	h->halted = s->w.stood_still ? s->w.inflight :
		    min(h->halted - min(h->halted, h->hung.ends), s->w.inflight);
	if (fresh)
		s->capacity.outliers = (struct lw_outliers){ 0 };
	lw_outliers_add(&s->capacity.outliers, s->w.ends, &s->w.outliers, s->capacity.base_ns,
			s->latency.lat_ns,
			s->health.mixed || s->health.hung.were || s->health.hung.ends);
}

/* The window ends when its I/Os are counted, as it may have waited for the lock. */
static u64 lw_device_count(struct lw_device *path)
{
	struct lw_path_state *s = &path->state;
	bool empty = !atomic64_read(&path->line.work);
	u64 now_ns = lw_counts_aggregate(path);

	/* After it, too: an I/O that started meanwhile may leave before its end is counted. */
	empty = empty && !atomic64_read(&path->line.work);
	lw_device_operations(path);
	s->w.outliers = lw_take_outliers(path);
	s->w.found = path->sums.found;
	path->sums.found = 0;
	s->counted.classes = READ_ONCE(path->classes);
	if (empty && path->sums.closed.was_empty)
		lw_correct_counts(path);
	path->sums.closed.was_empty = empty;
	s->health.hung.ends = lw_take_old_ends(path);
	return now_ns;
}

/*
 * The steps of a window. Each gets the struct that it writes, and reads those of the steps
 * before it; a stall and a reinstatement also reset those of later steps.
 */
static void lw_device_close(struct lw_device *path, u64 window_ns)
{
	struct lw_class_window classes[LW_CLASSES];
	struct lw_path_state *s = &path->state;
	u64 now_ns, idle_ns, first_ns;
	enum lw_validation validation;
	struct lw_means window;
	bool seen;

	lockdep_assert_held(&path->lock);
	lw_retry_full(path);
	now_ns = lw_device_count(path);
	idle_ns = lw_device_idle(path, now_ns);
	lw_estimate_load(&s->w, &s->counted, path->sums.counters, classes, idle_ns, window_ns,
			 now_ns, s->latency.lat_ns);
	lw_traffic_add(&path->shown.traffic, s->w.starts, now_ns);
	if (lw_estimate_stall(s, window_ns))
		lw_device_invalidate_before(path, now_ns);
	validation = lw_estimate_validity(s);
	s->capacity.fresh |= validation == LW_VALIDATED_NEW;
	seen = lw_estimate_latency(s, classes, &window);
	path->nodes.seen = 0;
	if (seen) {
		first_ns = (u64)READ_ONCE(path->first_ticks) << LW_TICK_SHIFT;
		lw_estimate_nodes(path);
		lw_estimate_base(&s->capacity, s, first_ns);
		lw_estimate_knee(&s->capacity, s, &window, window_ns);
	}
	memset(path->sums.node, 0, nr_node_ids * sizeof(*path->sums.node));
	lw_estimate_operations(&s->kinds, s, seen);
	lw_device_suspicion(path, seen);
	lw_device_outliers(s, validation == LW_VALIDATED_NEW);
	/* Neither a hung I/O nor the end of an old one may become the first sample. */
	if (!s->health.validated)
		lw_device_forget(path, s->health.stalled || s->health.mixed || s->health.old);
	if (trace_lw_window_enabled())
		lw_trace_window(path);
}

/*
 * Keep the first I/O noted since the reinstatement, as later ones may have queued; but without
 * stamps its end may have been an old I/O's.
 */
static void lw_device_restart(struct lw_device *path, u64 work, u64 old_ends)
{
	lw_path_restart(&path->state, lw_flight_ios(work), lw_flight_blocks(work));
	path->sums.closed.old_ends = old_ends;
	if (path->state.health.old && !path->state.health.stamped)
		lw_device_forget(path, true);
}

/**
 * lw_window_path() - close a path's window if due, and invalidate a reinstated path
 * @path: the path, its lock held
 * @due: it is due
 * @window_ns: length of a window
 *
 * Invalidate first, so that a first I/O that is done by now validates it; but if the path also
 * failed within this window, its completions may be older, so invalidate last. A reinstatement
 * after this is left to the next window.
 */
void lw_window_path(struct lw_device *path, bool due, u64 window_ns)
{
	u64 work, old_ends;
	bool mixed, restart;

	spin_lock_irq(&path->use_lock);
	mixed = (s64)(path->fails.failed_ns - path->state.counted.closed_ns) >= 0;
	restart = path->fails.restart && (due || !mixed);
	if (restart)
		path->fails.restart = false;
	work = path->fails.work;
	old_ends = path->fails.old_ends;
	spin_unlock_irq(&path->use_lock);

	if (restart && !mixed)
		lw_device_restart(path, work, old_ends);
	if (due)
		lw_device_close(path, window_ns);
	if (restart && mixed)
		lw_device_restart(path, work, old_ends);
}
