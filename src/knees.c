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

/* As it is now: the windows of other selectors that have the path change it. */
static struct lw_nudge lw_nudge_of(struct lw_path *path)
{
	struct lw_nudge nudge;

	mutex_lock(&path->lock);
	nudge = path->state.nudge;
	mutex_unlock(&path->lock);
	return nudge;
}

/*
 * One path at a time has its load varied, for otherwise none would vary. Not where
 * all paths take equally long: there is nothing to win.
 */
static void lw_nudge_one(struct lw_selector *sel)
{
	u64 window_ns = READ_ONCE(sel->config.window_ms) * NSEC_PER_MSEC;
	struct lw_path *chosen = NULL;
	unsigned int i;

	for (i = 0; i < sel->nr; i++) {
		struct lw_path *path = sel->member[i].path;
		struct lw_nudge nudge = lw_nudge_of(path);

		if (nudge.step)
			return;
		if (nudge.wanted)
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
 * lw_stretch_knees() - a window has ended: whose knee was too small in it?
 * @sel: the selector
 *
 * Of paths that rest while others work; not while those have just a probe in flight.
 * Not a stage of lw_publish(), which is also called when there was no window.
 *
 * Context: the window; may sleep.
 */
void lw_stretch_knees(struct lw_selector *sel)
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
	mutex_unlock(&sel->publishing);
}

static void lw_publish_knee(struct lw_selector *sel, unsigned int i)
{
	struct lw_member *m = &sel->member[i];
	const struct lw_path_state *s = &m->path->state;
	unsigned int c;
	u64 knee;

	mutex_lock(&m->path->lock);
	knee = lw_nudge_knee(&s->nudge, ((u64)m->knee * m->stretch) >> 10);
	knee = max_t(u64, knee, LW_WORK_MIN);
	WRITE_ONCE(m->slope, m->slope_ticks);
	WRITE_ONCE(m->inv_path, div_u64(1U << 20, knee));
	for (c = 0; c < LW_CLASSES; c++)
		WRITE_ONCE(sel->inv_knee[c * sel->nr + i],
			   lw_class_inv_knee(s, c, m->open ? 2 * knee : knee));
	mutex_unlock(&m->path->lock);
}

/**
 * lw_publish_knees() - let select_path() see the knees
 * @sel: the selector
 * @ticks: published latencies of its members, of the class that matters most
 *
 * Context: process, may sleep; a stage of lw_publish().
 */
void lw_publish_knees(struct lw_selector *sel, const u32 *ticks)
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
