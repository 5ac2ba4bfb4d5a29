// SPDX-License-Identifier: GPL-2.0
/* The window: now and then while there is I/O, make latencies, bases and knees of counts. */
#include <linux/ktime.h>
#include <linux/prefetch.h>

#include "admin/admin.h"
#include "model/quiet.h"
#include "window.h"

/*
 * A queue of its own with a rescuer: I/O that frees memory may need the window to leave a hung
 * path.
 */
static struct workqueue_struct *lw_workqueue;

/* Prefetch the next path: with many maps, none is in a cache. */
static void lw_window_prefetch(struct lw_device *path)
{
	prefetch_range(&path->line,
		       offsetof(struct lw_device, state.latency.cls[LW_CLASS_32K + 1]) -
		       offsetof(struct lw_device, line));
	prefetch_range(&path->state.counted,
		       offsetof(struct lw_counted, cls[LW_CLASS_32K + 1]));
	prefetch_range(&path->sums, offsetof(struct lw_device, ended.event) -
				    offsetof(struct lw_device, sums));
}

/* A table may contain a path twice. */
static bool lw_listed_before(const struct lw_selector *sel, unsigned int i)
{
	unsigned int k;

	for (k = 0; k < i; k++)
		if (sel->member[k].path == sel->member[i].path)
			return true;
	return false;
}

/*
 * Close the windows of all members; return whether to run again. If another selector (the old
 * table's, during a reload) just closed one, what has come since needs another window.
 */
static bool lw_window_close(struct lw_selector *sel, u64 now_ns)
{
	u64 window_ns = lw_window_ms(sel) * NSEC_PER_MSEC;
	struct lw_quiet quiet = { 0 };
	u64 nodes_seen = 0;
	bool active = false;
	unsigned int i;

	for (i = 0; i < sel->nr; i++) {
		struct lw_path_info *m = &sel->member[i];
		struct lw_path_state *s = &m->path->state;
		bool due;

		if (i + 1 < sel->nr)
			lw_window_prefetch(m[1].path);
		mutex_lock(&m->path->lock);
		/* Signed, since the other selector may have read the clock later. */
		due = (s64)(now_ns - s->counted.closed_ns) >= (s64)(window_ns / 2);
		s->w.ewma_shift = READ_ONCE(sel->config.ewma_shift);
		s->w.writes_known = lw_operation_known(sel, m->path);
		m->path->nodes.elsewhere = sel->timer.nodes_seen;
		lw_window_path(m->path, due, window_ns);
		nodes_seen |= m->path->nodes.seen;
		quiet.stirs |= !due || READ_ONCE(m->path->line.full) != U32_MAX;
		/* A failed path's last load says nothing of the next window. */
		if (READ_ONCE(m->use) != LW_FAILED || s->w.inflight)
			lw_quiet_add(&quiet, s, window_ns);
		active |= (!due && !lw_listed_before(sel, i)) || s->w.inflight || s->w.starts ||
			  !READ_ONCE(m->path->line.full);
		mutex_unlock(&m->path->lock);
	}
	sel->timer.nodes_seen = nodes_seen;
	quiet.stirs |= !active;
	WRITE_ONCE(sel->timer.windows,
		   lw_quiet_windows(&quiet, sel->timer.windows,
				    READ_ONCE(sel->config.window_ms)));
	return active;
}

/**
 * lw_window_queue() - run the window one window length from now
 * @sel: the selector, armed
 * Context: any.
 */
void lw_window_queue(struct lw_selector *sel)
{
	queue_delayed_work(lw_workqueue, &sel->timer.work, msecs_to_jiffies(lw_window_ms(sel)));
}

/**
 * lw_window_rearm() - re-arm a pending window after the period shrank
 * @sel: the selector; the caller keeps it from being destroyed
 * Context: process. A window that is about to stop runs once more, which is harmless.
 */
void lw_window_rearm(struct lw_selector *sel)
{
	if (READ_ONCE(sel->timer.armed))
		mod_delayed_work(lw_workqueue, &sel->timer.work,
				 msecs_to_jiffies(lw_window_ms(sel)));
}

/* By now dm knows. Write only once: each end_io() in a task reads this line. */
static void lw_window_kind(struct lw_selector *sel)
{
	enum lw_map_kind kind = LW_MAP_UNKNOWN;

	if (sel->map_queue)
		kind = queue_is_mq(sel->map_queue) ? LW_MAP_BY_REQUEST : LW_MAP_BY_BIO;
	if (READ_ONCE(sel->kind) != kind)
		WRITE_ONCE(sel->kind, kind);
}

/* On lw_workqueue, never concurrently for one selector; may sleep. */
static void lw_window_work(struct work_struct *work)
{
	struct lw_selector *sel = container_of(to_delayed_work(work),
					       struct lw_selector, timer.work);
	/* Timers are coarse and late, so use the time that really passed. */
	u64 now_ns = ktime_get_ns();
	bool active = lw_window_close(sel, now_ns);

	lw_window_kind(sel);
	lw_adapt_knees(sel);
	lw_publish(sel, true);
	lw_report_slow(sel, now_ns);
	lw_policy_look(sel);
	/*
	 * Stop when idle. A start missed above saw @armed and did not queue the window, but the
	 * next one does; until then there is nothing to choose between.
	 */
	if (active)
		lw_window_queue(sel);
	else
		WRITE_ONCE(sel->timer.armed, 0);
}

/**
 * lw_window_prepare() - prepare the window of a new selector
 * @sel: the selector
 */
void lw_window_prepare(struct lw_selector *sel)
{
	sel->timer.windows = 1;
	INIT_DELAYED_WORK(&sel->timer.work, lw_window_work);
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
