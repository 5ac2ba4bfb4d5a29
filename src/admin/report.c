// SPDX-License-Identifier: GPL-2.0
/* Detection of slow paths, by the window, at no cost to I/Os; notice.c reports them. */
#include "admin/admin.h"
#include "admin/notice.h"

/*
 * Growth of the path that slowed down least, 0 with less than two known. A path without recent I/O
 * counts with its last latency.
 */
static u64 lw_least_growth(struct lw_selector *sel)
{
	unsigned int i, known = 0;
	u64 least = U64_MAX;

	for (i = 0; i < sel->nr; i++) {
		struct lw_device *path = sel->member[i].path;
		u64 growth;

		mutex_lock(&path->lock);
		growth = lw_report_growth(&path->shown.report);
		mutex_unlock(&path->lock);
		if (!growth || READ_ONCE(sel->member[i].use) == LW_FAILED)
			continue;
		least = min(least, growth);
		known++;
	}
	return known > 1 ? least : 0;
}

static void lw_report_path(struct lw_selector *sel, struct lw_path_info *m, u64 least_growth,
			   u64 now_ns)
{
	u64 hold_ns = READ_ONCE(sel->config.report_ms) * NSEC_PER_MSEC;
	struct lw_report *r = &m->path->shown.report, found;
	enum lw_change change = LW_CHANGE_NONE;

	mutex_lock(&m->path->lock);
	if (lw_report_see(r, &m->path->state, READ_ONCE(m->use) == LW_FAILED))
		change = lw_report_change(r, &m->path->state, least_growth, hold_ns, now_ns);
	found = *r;
	if (change)
		lw_report_made(r);
	mutex_unlock(&m->path->lock);
	if (!change || lw_notice_send(m, &found, change, now_ns))
		return;
	/* Report it at a later look. */
	mutex_lock(&m->path->lock);
	*r = found;
	mutex_unlock(&m->path->lock);
}

/**
 * lw_report_slow() - report paths that became slow, or recovered
 * @sel: the selector
 * @now_ns: time
 * Context: the window, may sleep; most calls return at once.
 */
void lw_report_slow(struct lw_selector *sel, u64 now_ns)
{
	unsigned int i;
	u64 least;

	if (now_ns - sel->timer.looked_ns < LW_REPORT_LOOK_NS)
		return;
	sel->timer.looked_ns = now_ns;
	least = lw_least_growth(sel);
	for (i = 0; i < sel->nr; i++)
		lw_report_path(sel, &sel->member[i], least, now_ns);
}
