// SPDX-License-Identifier: GPL-2.0
/* Adjust the knees of a selector's paths to each other. */
#include "model/knee_gain.h"
#include "window.h"

/*
 * Average price of size and similar knees over paths of the least base, so that equal paths get
 * equal shares whichever grew first; a knee that nothing has limited is similar to a larger one. At
 * depth 1 one tick would decide for one of them.
 */
static void lw_equal_knees(struct lw_selector *sel, const u32 *ticks, u32 least)
{
	u64 knees = 0, blocks = 0, costs = 0;
	struct lw_compared *c;
	unsigned int i, n = 0;

	for (i = 0; i < sel->nr; i++) {
		c = &sel->member[i].compared;
		if (ticks[i] != least)
			continue;
		knees += c->knee;
		blocks += c->block_mean;
		costs += c->cost_mean;
		n++;
	}
	knees = div_u64(knees, n);
	for (i = 0; i < sel->nr; i++) {
		c = &sel->member[i].compared;
		if (ticks[i] != least)
			continue;
		c->block_mean = div_u64(blocks, n);
		c->cost_mean = div_u64(costs, n);
		if (c->knee <= 2 * knees && (knees <= 2 * c->knee || !c->queues))
			WRITE_ONCE(c->knee, knees);
	}
}

/**
 * lw_adapt_knees() - larger knees for idle paths, and a dip, after a window
 * @sel: the selector
 *
 * A path at its knee that is idle for longer than the busiest path, stalled ones apart, gets a
 * larger knee. One path at a time gets less load for a while, to tell a queue from distance. Not
 * part of lw_publish(), which also runs without a window and for tables that are not live, whose
 * selectors share the paths.
 *
 * Context: the window; may sleep.
 */
void lw_adapt_knees(struct lw_selector *sel)
{
	u64 window_ns = READ_ONCE(sel->config.window_ms) * NSEC_PER_MSEC;
	struct lw_device *chosen = NULL;
	bool dips = false;
	u32 busiest = 0;
	unsigned int i;

	/* While the map is only observed, neither would change what a path gets. */
	if (READ_ONCE(sel->config.choose) != LW_BY_LATENCY)
		return;
	mutex_lock(&sel->publishing);
	for (i = 0; i < sel->nr; i++) {
		struct lw_path_info *m = &sel->member[i];
		struct lw_device *path = m->path;
		bool used = READ_ONCE(m->use) == LW_USE;

		mutex_lock(&path->lock);
		/* A dip lasts so many windows with completions, which others do not wait for. */
		used &= !m->unused || path->state.w.ends;
		if (!m->unused && !path->state.health.stalled)
			busiest = max(busiest, path->state.w.busy_q10);
		dips |= used && path->state.capacity.dip.left;
		if (used && lw_dip_wanted(&path->state.capacity, &path->state.latency))
			chosen = path;
		mutex_unlock(&path->lock);
	}
	for (i = 0; i < sel->nr; i++) {
		struct lw_path_info *m = &sel->member[i];

		mutex_lock(&m->path->lock);
		m->compared.gain = lw_knee_gain_step(m->compared.gain, &m->path->state, busiest);
		if (m->path == chosen && !dips) {
			lw_dip_start(&chosen->state.capacity, &chosen->state.latency,
				     lw_size_even(&chosen->state.kinds.size.sums), window_ns);
			dips = true;	/* a table may contain a path twice */
		}
		mutex_unlock(&m->path->lock);
	}
	mutex_unlock(&sel->publishing);
}

/**
 * lw_publish_knees() - publish knees for select_path(), as a stage of lw_publish()
 * @sel: the selector
 * @ticks: equalized latencies of its members, LW_TICKS_AVOID for those not to be used
 * Context: process, may sleep.
 */
void lw_publish_knees(struct lw_selector *sel, const u32 *ticks)
{
	u32 least = lw_least(ticks, sel->nr);
	u64 most = LW_KNEE_LEAST;
	unsigned int i;

	if (least != LW_TICKS_AVOID)
		lw_equal_knees(sel, ticks, least);
	for (i = 0; i < sel->nr; i++) {
		struct lw_path_info *m = &sel->member[i];
		/* In I/Os without data, as in select_path(). */
		u32 usual = lw_load(1, sel->usual_q4 >> 4, m->compared.cost_mean);
		u64 knee = (u64)m->compared.knee * usual / LW_IO;

		most = max(most, knee);
		mutex_lock(&m->path->lock);
		knee = min(knee * m->compared.gain >> 10, lw_dip_knee(&m->path->state));
		mutex_unlock(&m->path->lock);
		WRITE_ONCE(m->cost.block_ticks, m->compared.block_mean);
		WRITE_ONCE(m->cost.block_cost, m->compared.cost_mean);
		WRITE_ONCE(m->cost.inv_knee, lw_inverse(knee));
		WRITE_ONCE(m->cost.inv_ios, lw_inverse(div_u64(knee * LW_IO, usual)));
	}
	WRITE_ONCE(sel->inv_most, lw_inverse(most));
}
