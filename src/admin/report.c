// SPDX-License-Identifier: GPL-2.0
/*
 * Paths that become slow, and recover: found here, by the window, so that an I/O pays
 * nothing for it; told to the world by notice.c.
 */
#include "admin/admin.h"
#include "admin/notice.h"

/* Of classes that were never used nothing is in a cache. */
static u64 lw_path_done(const struct lw_path *path)
{
	unsigned int c;
	u64 done = 0;

	lw_for_each_class(c, &path->state)
		if (lw_class_is_data(c))
			done += path->sums.flow[c].done;
	return done;
}

/* Return: how many I/Os it rests on, 0 if it tells nothing. dm itself tells of failed paths. */
static u64 lw_member_see(struct lw_member *m)
{
	const struct lw_path_state *s = &m->path->state;
	struct lw_report *r = &m->path->report;
	u64 lat_ns = lw_report_latency(s);

	lockdep_assert_held(&m->path->lock);
	if (READ_ONCE(m->use) == LW_FAILED) {
		r->since_ns = 0;
		lat_ns = 0;
	}
	return lw_report_see(r, lat_ns, lw_path_done(m->path), s->stalled);
}

/*
 * How much the path that became slower by least did, 0 with less than two to compare. Of one
 * that lately had no I/O, what it was when it had.
 */
static u64 lw_least_growth(struct lw_selector *sel)
{
	unsigned int i, known = 0;
	u64 least = U64_MAX;

	for (i = 0; i < sel->nr; i++) {
		struct lw_path *path = sel->member[i].path;
		u64 growth;

		mutex_lock(&path->lock);
		growth = lw_report_growth(&path->report);
		mutex_unlock(&path->lock);
		if (!growth || READ_ONCE(sel->member[i].use) == LW_FAILED)
			continue;
		least = min(least, growth);
		known++;
	}
	return known > 1 ? least : 0;
}

static void lw_member_report(struct lw_selector *sel, struct lw_member *m, u64 least_growth,
			     u64 now_ns)
{
	u64 hold_ns = READ_ONCE(sel->config.report_ms) * NSEC_PER_MSEC;
	struct lw_report *r = &m->path->report, found;
	enum lw_change change;

	mutex_lock(&m->path->lock);
	change = lw_report_change(r, lw_member_see(m), least_growth, hold_ns, now_ns);
	found = *r;
	if (change)
		lw_report_made(r);
	mutex_unlock(&m->path->lock);
	if (!change || lw_notice_send(m, &found, change, now_ns))
		return;
	/* What cannot be told now is told at a later look. */
	mutex_lock(&m->path->lock);
	*r = found;
	mutex_unlock(&m->path->lock);
}

/**
 * lw_report() - look whether a path of a selector became slow, or recovered
 * @sel: the selector
 * @now_ns: time
 *
 * Called by the window; most calls find that it is not time to look.
 *
 * Context: process, may sleep.
 */
void lw_report(struct lw_selector *sel, u64 now_ns)
{
	unsigned int i;
	u64 least;

	if (now_ns - sel->looked_ns < LW_REPORT_LOOK_NS)
		return;
	sel->looked_ns = now_ns;
	least = lw_least_growth(sel);
	for (i = 0; i < sel->nr; i++)
		lw_member_report(sel, &sel->member[i], least, now_ns);
}
