/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the rest of the module knows of admin/. Selectors work without it: the simulator has empty
 * functions of these names (tests/sim/kernel/map.c).
 */
#ifndef LW_ADMIN_H
#define LW_ADMIN_H

#include "selector.h"

/* map.c */
int lw_map_join(struct lw_selector *sel, struct lw_member *m, char **error);
void lw_map_part(struct lw_member *m);
void lw_map_announce(struct lw_member *m);
void lw_map_leave(struct lw_selector *sel);
void lw_map_put_selector(struct lw_selector *sel);
void lw_map_lock(struct lw_selector *sel);
void lw_map_unlock(struct lw_selector *sel);
bool lw_map_by_bio(const struct lw_selector *sel);
dev_t lw_map_number(const struct lw_member *m);

/* sysfs.c */
int lw_sysfs_init(void);
void lw_sysfs_exit(void);

/* report.c */
void lw_report(struct lw_selector *sel, u64 now_ns);

/* notice.c */
int lw_notice_init(void);
void lw_notice_exit(void);

/* debugfs.c */
void lw_debugfs_init(void);
void lw_debugfs_exit(void);

#endif
