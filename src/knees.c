// SPDX-License-Identifier: GPL-2.0
/*
 * The knees of a selector's paths held against each other: a stage of publish.c.
 */
#include "lw.h"
#include "lw_stretch.h"

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
 * Of paths that are alike size costs as much, and their knees are counted in one unit: in
 * that of an I/O of usual length.
 */
static void lw_equal_sizes(struct lw_selector *sel, unsigned int n)
{
	u32 costs, ticks, usual = sel->usual_q4 >> 4;
	u64 cost_sum = 0, tick_sum = 0;
	unsigned int i;

	for (i = 0; i < sel->nr; i++) {
		if (!sel->member[i].alike)
			continue;
		cost_sum += sel->member[i].block_cost;
		tick_sum += sel->member[i].block_mean;
	}
	costs = div_u64(cost_sum, n);
	ticks = div_u64(tick_sum, n);
	for (i = 0; i < sel->nr; i++) {
		struct lw_member *m = &sel->member[i];

		if (!m->alike)
			continue;
		m->knee = clamp_t(u64, lw_scaled(m->knee, lw_load(1, usual, costs),
						 lw_load(1, usual, m->block_cost)),
				  LW_KNEE_LEAST, LW_KNEE_MOST);
		m->block_cost = costs;
		m->block_mean = ticks;
	}
}

/*
 * Paths that are alike are taken for equal until they show a difference: a knee
 * that is still open is as large as the largest of them, and knees that are near
 * each other become their mean, open if any of them is. So equal paths get equal
 * shares, whoever grew first.
 */
static void lw_equal_knees(struct lw_selector *sel, unsigned int n)
{
	u64 knees = 0, slopes = 0, largest = 0;
	bool open = false;
	unsigned int i;

	for (i = 0; i < sel->nr; i++)
		if (sel->member[i].alike)
			largest = max_t(u64, largest, sel->member[i].knee);
	for (i = 0; i < sel->nr; i++) {
		struct lw_member *m = &sel->member[i];

		if (!m->alike)
			continue;
		open |= m->open;
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
			m->open = open;
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

/* May the path's load be made to vary now? The windows of other selectors change it. */
static bool lw_wants_dip(const struct lw_member *m)
{
	const struct lw_path_state *s = &m->path->state;
	bool wants;

	mutex_lock(&m->path->lock);
	wants = s->queues && !s->dip.wait && s->lat_ns < LW_DIP_FAR_NS;
	mutex_unlock(&m->path->lock);
	return wants && READ_ONCE(m->use) == LW_USE;
}

static bool lw_dips(const struct lw_member *m)
{
	bool dips;

	mutex_lock(&m->path->lock);
	dips = m->path->state.dip.left;
	mutex_unlock(&m->path->lock);
	return dips;
}

/*
 * One path at a time has its load varied, for otherwise none would vary. Not where
 * all paths take equally long: there is nothing to win.
 */
static void lw_dip_one(struct lw_selector *sel)
{
	u64 window_ns = READ_ONCE(sel->config.window_ms) * NSEC_PER_MSEC;
	struct lw_path *chosen = NULL;
	unsigned int i;

	for (i = 0; i < sel->nr; i++) {
		if (lw_dips(&sel->member[i]))
			return;
		if (lw_wants_dip(&sel->member[i]))
			chosen = sel->member[i].path;
	}
	if (!chosen || lw_balanced(sel))
		return;
	mutex_lock(&chosen->lock);
	lw_dip_start(&chosen->state.dip, &chosen->state.trend, chosen->state.lat_ns, window_ns);
	mutex_unlock(&chosen->lock);
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

/**
 * lw_adapt_knees() - a window has ended: whose knee is to be larger, or lower for a while?
 * @sel: the selector
 *
 * Larger of paths that rest while others work; not while those have just a probe in flight.
 * Not a stage of lw_publish(), which is also called when there was no window, and for tables
 * that are not live, which share the paths and may have only some of them yet.
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
		m->stretch = lw_stretch_step(m->stretch, &m->path->state, m->knee,
					     busiest);
		mutex_unlock(&m->path->lock);
	}
	lw_dip_one(sel);
	mutex_unlock(&sel->publishing);
}

static void lw_publish_knee(struct lw_member *m)
{
	const struct lw_path_state *s = &m->path->state;
	u64 knee;

	mutex_lock(&m->path->lock);
	knee = lw_dip_knee(&s->dip, ((u64)m->knee * m->stretch) >> 10, s->load);
	mutex_unlock(&m->path->lock);
	WRITE_ONCE(m->slope, m->slope_ticks);
	WRITE_ONCE(m->block_ticks, m->block_mean);
	WRITE_ONCE(m->inv_knee, lw_inverse(knee));
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
	unsigned int i, alike = 0;

	for (i = 0; i < sel->nr; i++)
		least = min(least, ticks[i]);
	if (least != LW_TICKS_AVOID)
		alike = lw_find_alike(sel, ticks, least);
	if (alike) {
		lw_equal_sizes(sel, alike);
		lw_equal_knees(sel, alike);
	}
	for (i = 0; i < sel->nr; i++) {
		most = max_t(u64, most, sel->member[i].knee);
		lw_publish_knee(&sel->member[i]);
	}
	WRITE_ONCE(sel->inv_most, lw_inverse(most));
}
