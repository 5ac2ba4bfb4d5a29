// SPDX-License-Identifier: GPL-2.0
/*
 * From estimates to what select_path() compares and what status shows: paths of
 * one selector are held against each other here, after each window.
 */
#include <linux/ktime.h>
#include <linux/nodemask.h>

#include "lw.h"

/*
 * The latency of a preferred path counts as half: it is taken unless another is
 * more than twice as fast.
 */
static u64 lw_counted(const struct lw_member *m, u64 lat_ns)
{
	return m->preferred ? lat_ns / 2 : lat_ns;
}

/*
 * A node's part of the latency is taken for its part of the base. Under load this
 * makes its distance smaller than it is; a difference of times instead would
 * make the noise of long queues look like distance.
 */
static u64 lw_path_base(const struct lw_path *path, unsigned int node,
			unsigned int c)
{
	unsigned int known = lw_class_known(&path->state, c);
	const struct lw_class_state *k = &path->state.cls[known];
	u64 own;

	if (known == LW_CLASSES)
		return 0;
	own = path->node_ns[node * LW_CLASSES + known];
	if (!own)
		return k->base_ns;
	return (min_t(u64, k->base_ns, LW_NS_MAX) *
		min_t(u64, div64_u64(own << 10, max_t(u64, k->lat_ns, 1)), 16 << 10)) >> 10;
}

static enum lw_use lw_path_use(struct lw_path *path, u64 now_ns)
{
	bool rests;

	if (path->state.proven)
		return LW_USE;
	if (path->state.stalled)
		return LW_STALLED;
	spin_lock_irq(&path->flap_lock);
	rests = lw_flap_rests(&path->flap, now_ns);
	spin_unlock_irq(&path->flap_lock);
	return rests ? LW_REST : LW_AVOID;
}

/*
 * A failure that comes meanwhile wins: a failed path is not turned. So does a
 * reinstatement, which sets restart before it sets LW_AVOID or LW_REST.
 */
static enum lw_use lw_member_turn(struct lw_member *m, u64 now_ns)
{
	enum lw_use use = lw_path_use(m->path, now_ns);
	int was = READ_ONCE(m->use);

	if (was != LW_FAILED && was != use)
		cmpxchg(&m->use, was, use);
	if (READ_ONCE(m->restart))
		cmpxchg(&m->use, use, LW_AVOID);
	return READ_ONCE(m->use);
}

/*
 * For how many I/Os a queue has tags: its scheduler's, or the driver's. Where the hardware
 * queues share one set of tags this is too many, and the driver has to tell.
 */
static u32 lw_queue_tags(struct request_queue *q)
{
	if (!queue_is_mq(q))
		return U32_MAX;
	return min_t(u64, U32_MAX, (u64)READ_ONCE(q->nr_requests) *
				   READ_ONCE(q->nr_hw_queues));
}

static void lw_publish_member(struct lw_selector *sel, unsigned int i,
			      const struct lw_probing *probing, u64 now_ns)
{
	struct lw_member *m = &sel->member[i];
	unsigned int node, c;
	enum lw_use use;

	WRITE_ONCE(m->path->tags, lw_queue_tags(bdev_get_queue(m->dm_path->dev->bdev)));
	mutex_lock(&m->path->lock);
	use = lw_member_turn(m, now_ns);
	for (node = 0; node < nr_node_ids; node++)
		for (c = 0; c < LW_CLASSES; c++)
			sel->next[lw_row(sel, node, c) + i] = use == LW_USE ?
				lw_ticks(lw_counted(m, lw_path_base(m->path, node, c))) :
				LW_TICKS_AVOID;
	m->knee = max_t(u64, m->path->state.knee, LW_WORK_MIN);
	m->open = m->path->state.open;
	m->slope_ticks = lw_ticks(lw_counted(m, m->path->state.slope_ns));
	m->mean_ticks = lw_ticks(m->path->state.mean_ns);
	WRITE_ONCE(m->probe, use == LW_REST ? 0 :
		   lw_probes_wanted(&m->path->state, probing));
	mutex_unlock(&m->path->lock);
}

/* Paths of the least base that are not much slower right now. Return: how many. */
static unsigned int lw_find_alike(struct lw_selector *sel, const u32 *ticks,
				  u32 least)
{
	u32 fastest = U32_MAX;
	unsigned int i, n = 0;

	for (i = 0; i < sel->nr; i++)
		if (ticks[i] == least)
			fastest = min(fastest, sel->member[i].mean_ticks);
	for (i = 0; i < sel->nr; i++) {
		struct lw_member *m = &sel->member[i];

		m->alike = ticks[i] == least && m->mean_ticks / 2 <= fastest;
		n += m->alike;
	}
	return n;
}

/*
 * Paths that are alike are taken for equal until they show a difference: a knee
 * that is still open is as large as the largest of them, and knees that are near
 * each other become their mean. So equal paths get equal shares, whoever grew
 * first.
 */
static void lw_equal_knees(struct lw_selector *sel, unsigned int n)
{
	u64 knees = 0, slopes = 0, largest = 0;
	unsigned int i;

	for (i = 0; i < sel->nr; i++)
		if (sel->member[i].alike)
			largest = max_t(u64, largest, sel->member[i].knee);
	for (i = 0; i < sel->nr; i++) {
		struct lw_member *m = &sel->member[i];

		if (!m->alike)
			continue;
		if (m->open)
			m->knee = largest;
		knees += m->knee;
		slopes += m->slope_ticks;
	}
	knees = div_u64(knees, n);
	slopes = div_u64(slopes, n);
	for (i = 0; i < sel->nr; i++) {
		struct lw_member *m = &sel->member[i];

		if (m->alike && m->knee <= 2 * knees && knees <= 2 * m->knee) {
			m->knee = knees;
			m->slope_ticks = slopes;
		}
	}
}

/* Do all paths in use take about as long right now? */
static bool lw_balanced(struct lw_selector *sel)
{
	u32 least = U32_MAX, most = 0;
	unsigned int i;

	for (i = 0; i < sel->nr; i++) {
		struct lw_member *m = &sel->member[i];

		if (READ_ONCE(m->use) != LW_USE)
			continue;
		least = min(least, m->mean_ticks);
		most = max(most, m->mean_ticks);
	}
	return most <= least || most - least <= least / 4;
}

/*
 * One path at a time has its load varied, for otherwise none would vary. Not where
 * all paths take equally long: there is nothing to win.
 */
static void lw_nudge_one(struct lw_selector *sel)
{
	u64 window_ns = sel->config.window_ms * NSEC_PER_MSEC;
	struct lw_path *chosen = NULL;
	unsigned int i;

	for (i = 0; i < sel->nr; i++) {
		struct lw_path *path = sel->member[i].path;

		if (READ_ONCE(path->state.nudge.step))
			return;
		if (READ_ONCE(path->state.nudge.wanted))
			chosen = path;
	}
	if (!chosen || lw_balanced(sel))
		return;
	mutex_lock(&chosen->lock);
	lw_nudge_start(&chosen->state.nudge, chosen->state.mean_ns, window_ns);
	mutex_unlock(&chosen->lock);
}

/*
 * The knee of a class: as much work as is served in its base latency. At least one
 * I/O of it. A knee that is still open is just what was tried so far.
 */
static u32 lw_class_inv_knee(const struct lw_path_state *s, unsigned int c,
			     u64 knee)
{
	unsigned int known = lw_class_known(s, c);
	u64 own = knee;

	if (known < LW_CLASSES && s->mean_base_ns)
		own = div64_u64(knee * min_t(u64, s->cls[known].base_ns, 1ULL << 38),
				s->mean_base_ns);
	own = clamp_t(u64, own, knee / 16, 16 * knee);
	own = max3(own, s->cls[c].work, (u64)LW_WORK_MIN);
	return div_u64(1U << 20, own);
}

static void lw_publish_knee(struct lw_selector *sel, unsigned int i)
{
	struct lw_member *m = &sel->member[i];
	const struct lw_path_state *s = &m->path->state;
	unsigned int c;
	u64 knee;

	mutex_lock(&m->path->lock);
	knee = max_t(u64, lw_nudge_knee(&s->nudge, m->knee), LW_WORK_MIN);
	WRITE_ONCE(m->slope, m->slope_ticks);
	WRITE_ONCE(m->inv_path, div_u64(1U << 20, knee));
	for (c = 0; c < LW_CLASSES; c++)
		WRITE_ONCE(sel->inv_knee[c * sel->nr + i],
			   lw_class_inv_knee(s, c, s->open ? 2 * knee : knee));
	mutex_unlock(&m->path->lock);
}

static void lw_publish_knees(struct lw_selector *sel, const u32 *ticks)
{
	u32 least = LW_TICKS_AVOID;
	u64 most = LW_WORK_MIN;
	unsigned int i, alike = 0;

	for (i = 0; i < sel->nr; i++)
		least = min(least, ticks[i]);
	if (least != LW_TICKS_AVOID)
		alike = lw_find_alike(sel, ticks, least);
	if (alike)
		lw_equal_knees(sel, alike);
	lw_nudge_one(sel);
	for (i = 0; i < sel->nr; i++) {
		most = max_t(u64, most, sel->member[i].knee);
		lw_publish_knee(sel, i);
	}
	WRITE_ONCE(sel->inv_most, div_u64(1U << 20, most));
}

/* The class that carries most of the traffic: weights are shown for it. */
static unsigned int lw_main_class(struct lw_selector *sel)
{
	unsigned int i, c, best = LW_CLASS_32K;
	u64 most = 0;

	for (c = 0; c < LW_CLASSES; c++) {
		u64 done = 0;

		for (i = 0; i < sel->nr; i++)
			done += READ_ONCE(sel->member[i].path->state.cls[c].little.done_q4);
		if (done > most) {
			most = done;
			best = c;
		}
	}
	return best;
}

/* A path that stalls shows for how long, since its last latency is history. */
static u64 lw_shown_ns(struct lw_path *path, unsigned int c)
{
	const struct lw_path_state *s = &path->state;
	unsigned int known = lw_class_known(s, c);
	u64 lat = known < LW_CLASSES ? s->cls[known].lat_ns : 0;

	return s->stalled ? max(lat, s->silence_ns) : lat;
}

/* What dmsetup status shows. */
static void lw_publish_status(struct lw_selector *sel, unsigned int c,
			   u64 recent_q8)
{
	unsigned int i;
	u32 *ticks = sel->next, best = LW_TICKS_AVOID;
	u64 sum = 0;

	for (i = 0; i < sel->nr; i++) {
		struct lw_member *m = &sel->member[i];
		u64 lat;

		mutex_lock(&m->path->lock);
		lat = lw_shown_ns(m->path, c);
		WRITE_ONCE(m->unused, lw_path_unused(&m->path->state, recent_q8) ||
				      m->path->state.stalled);
		WRITE_ONCE(m->witness, lw_path_witness(&m->path->state));
		mutex_unlock(&m->path->lock);
		WRITE_ONCE(m->lat_us, min_t(u64, div_u64(lat, NSEC_PER_USEC), U32_MAX));
		ticks[i] = READ_ONCE(m->use) == LW_USE ?
			   lw_ticks(lw_counted(m, lat)) : LW_TICKS_AVOID;
		best = min(best, ticks[i]);
	}
	lw_equalize(ticks, sel->nr, sel->config.tolerance);
	for (i = 0; i < sel->nr; i++)
		sum += ticks[i] == LW_TICKS_AVOID ? 0 : lw_weight_part(ticks[i], best);
	for (i = 0; i < sel->nr; i++)
		WRITE_ONCE(sel->member[i].weight, ticks[i] == LW_TICKS_AVOID ?
			   0 : lw_weight(ticks[i], best, sum));
}

/**
 * lw_publish() - let select_path() and status see the estimates
 * @sel: the selector
 *
 * Called by the window, and by add_path() so that a new table starts with what
 * the old one learned.
 *
 * Context: process, may sleep; never twice at once for a selector.
 */
void lw_publish(struct lw_selector *sel)
{
	struct lw_probing probing = {
		.min_ms = sel->config.probe_min_ms,
		.max_ms = sel->config.probe_max_ms,
	};
	size_t row, rows = (size_t)nr_node_ids * LW_CLASSES;
	u64 now_ns = ktime_get_ns();
	unsigned int i, c;

	for (i = 0; i < sel->nr; i++) {
		struct lw_path *path = sel->member[i].path;

		mutex_lock(&path->lock);
		probing.inflight += path->state.inflight;
		probing.recent_q8 += path->state.recent_q8;
		mutex_unlock(&path->lock);
	}
	for (i = 0; i < sel->nr; i++)
		probing.unused += lw_path_unused(&sel->member[i].path->state,
						 probing.recent_q8);
	for (i = 0; i < sel->nr; i++)
		lw_publish_member(sel, i, &probing, now_ns);
	for (row = 0; row < rows; row++) {
		u32 *next = sel->next + row * sel->nr;

		lw_equalize(next, sel->nr, sel->config.tolerance);
		for (i = 0; i < sel->nr; i++)
			WRITE_ONCE(sel->ticks[row * sel->nr + i], next[i]);
	}
	c = lw_main_class(sel);
	lw_publish_knees(sel, sel->next + lw_row(sel, first_online_node, c));
	lw_publish_status(sel, c, probing.recent_q8);
}
