// SPDX-License-Identifier: GPL-2.0
/*
 * The knees of a selector's paths held against each other: a stage of publish.c.
 */
#include "lw.h"
#include "lw_stretch.h"

/*
 * Paths of the least base are taken for equal until they show a difference: knees that
 * are near each other become their mean. So equal paths get equal shares, whoever grew
 * first.
 */
static void lw_equal_knees(struct lw_selector *sel, const u32 *ticks, u32 least)
{
	u64 knees = 0, slopes = 0;
	struct lw_member *m;
	unsigned int i, n = 0;

	for (i = 0; i < sel->nr; i++) {
		m = &sel->member[i];
		if (ticks[i] != least)
			continue;
		knees += m->knee;
		slopes += m->slope_ticks;
		n++;
	}
	knees = div_u64(knees, n);
	slopes = div_u64(slopes, n);
	for (i = 0; i < sel->nr; i++) {
		m = &sel->member[i];
		if (ticks[i] == least && m->knee <= 2 * knees && knees <= 2 * m->knee) {
			m->knee = knees;
			m->slope_ticks = slopes;
		}
	}
}

/* How busy the path is that is most so; a stalled one is not busy but stuck. */
static u32 lw_busiest(struct lw_selector *sel)
{
	u32 busiest = 0;
	unsigned int i;

	for (i = 0; i < sel->nr; i++) {
		const struct lw_member *m = &sel->member[i];

		mutex_lock(&m->path->lock);
		if (!READ_ONCE(m->unused) && !m->path->state.stalled)
			busiest = max(busiest, m->path->state.busy);
		mutex_unlock(&m->path->lock);
	}
	return busiest;
}

/* One path at a time that queues has less load for a while, for otherwise none would vary. */
static void lw_dip_one(struct lw_selector *sel)
{
	u64 window_ns = READ_ONCE(sel->config.window_ms) * NSEC_PER_MSEC;
	struct lw_path *chosen = NULL;
	bool dips = false;
	unsigned int i;

	for (i = 0; i < sel->nr; i++) {
		struct lw_path *path = sel->member[i].path;

		mutex_lock(&path->lock);
		dips |= path->state.dip.left;
		if (lw_dip_wanted(&path->state))
			chosen = path;
		mutex_unlock(&path->lock);
	}
	if (dips || !chosen)
		return;
	mutex_lock(&chosen->lock);
	lw_dip_start(&chosen->state, window_ns);
	mutex_unlock(&chosen->lock);
}

/**
 * lw_adapt_knees() - a window has ended: whose knee is to be larger, or lower for a while?
 * @sel: the selector
 *
 * Larger of paths that rest while others work. Not a stage of lw_publish(), which is also
 * called when there was no window, and for tables that are not live, which share the paths
 * and may have only some of them yet.
 *
 * Context: the window; may sleep.
 */
void lw_adapt_knees(struct lw_selector *sel)
{
	unsigned int i;
	u32 busiest;

	mutex_lock(&sel->publishing);
	busiest = lw_busiest(sel);
	for (i = 0; i < sel->nr; i++) {
		struct lw_member *m = &sel->member[i];

		mutex_lock(&m->path->lock);
		m->stretch = lw_stretch_step(m->stretch, &m->path->state, busiest);
		mutex_unlock(&m->path->lock);
	}
	lw_dip_one(sel);
	mutex_unlock(&sel->publishing);
}

/**
 * lw_publish_knees() - let select_path() see the knees
 * @sel: the selector
 * @ticks: published latencies of its members
 *
 * Context: process, may sleep; a stage of lw_publish().
 */
void lw_publish_knees(struct lw_selector *sel, const u32 *ticks)
{
	u32 least = LW_TICKS_AVOID;
	u64 most = LW_KNEE_LEAST;
	unsigned int i;

	for (i = 0; i < sel->nr; i++)
		least = min(least, ticks[i]);
	if (least != LW_TICKS_AVOID)
		lw_equal_knees(sel, ticks, least);
	for (i = 0; i < sel->nr; i++) {
		struct lw_member *m = &sel->member[i];
		/* In I/Os without data, as select_path() counts. */
		u64 knee = (u64)m->knee * m->unit / LW_IO;

		most = max(most, knee);
		mutex_lock(&m->path->lock);
		knee = min(knee * m->stretch >> 10, lw_dip_knee(&m->path->state));
		mutex_unlock(&m->path->lock);
		WRITE_ONCE(m->slope, m->slope_ticks);
		WRITE_ONCE(m->inv_knee, lw_inverse(knee));
	}
	WRITE_ONCE(sel->inv_most, lw_inverse(most));
}
