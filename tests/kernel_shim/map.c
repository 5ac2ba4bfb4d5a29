// SPDX-License-Identifier: GPL-2.0
/*
 * Stands in for what of src/admin needs dm's maps and the kernel's files. Each group
 * is a map of its own, with the module's defaults, that nobody looks at.
 */
#include "admin/admin.h"
#include "admin/notice.h"
#include "dm.h"

int lw_map_join(struct lw_selector *sel, struct lw_path_info *m, char **error)
{
	static struct request_queue by_bio, by_request = { .mq_ops = &by_request };

	sel->map_queue = dm_by_bio(sel) ? &by_bio : &by_request;
	return 0;
}

void lw_map_inherit(struct lw_path_info *m)
{
}

void lw_measure(struct lw_selector *sel)
{
	struct lw_stock stock = { 0 };

	do {
		for (unsigned int i = 0; i < sel->nr; i++)
			lw_measure_path(sel, &sel->member[i], &stock);
		lw_stock_flush(&stock);
	} while (lw_stock_fill(&stock));
	lw_stock_free(&stock);
}

void lw_map_drop(struct lw_path_info *m)
{
}

void lw_map_announce(struct lw_path_info *m)
{
}

void lw_map_leave(struct lw_selector *sel)
{
}

void lw_map_put_selector(struct lw_selector *sel)
{
}

void lw_map_lock(struct lw_selector *sel)
{
}

void lw_map_unlock(struct lw_selector *sel)
{
}

int lw_sysfs_init(void)
{
	return 0;
}

void lw_sysfs_exit(void)
{
}

void lw_debugfs_init(void)
{
}

void lw_debugfs_exit(void)
{
}

int lw_notice_init(void)
{
	return 0;
}

void lw_notice_exit(void)
{
}

struct kernel_notices kernel_notices;
bool kernel_refuses_notices;

bool lw_notice_send(const struct lw_path_info *m, const struct lw_report *r,
		    enum lw_change change, u64 now_ns)
{
	if (kernel_refuses_notices) {
		kernel_notices.refused++;
		return false;
	}
	kernel_notices.slow += change == LW_CHANGE_SLOW;
	kernel_notices.recovered += change == LW_CHANGE_RECOVERED;
	kernel_notices.was_ns = lw_report_was(r);
	kernel_notices.is_ns = r->is_ns;
	return true;
}
