/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a selector would like of its map and cannot have: dm-mpath does not tell which map
 * it is, nor of what kind, and there are no files of its own.
 */
#ifndef LW_ADMIN_H
#define LW_ADMIN_H

#include "selector.h"

static inline int lw_map_join(struct lw_selector *sel, struct lw_member *m, char **error)
{
	return 0;
}

static inline void lw_map_part(struct lw_member *m) { }
static inline void lw_map_announce(struct lw_member *m) { }
static inline void lw_map_leave(struct lw_selector *sel) { }
static inline void lw_map_put_selector(struct lw_selector *sel) { }
static inline void lw_map_lock(struct lw_selector *sel) { }
static inline void lw_map_unlock(struct lw_selector *sel) { }

/* An I/O that a task polls for and gets within 100 us is no sample then. */
static inline bool lw_map_by_bio(const struct lw_selector *sel)
{
	return false;
}

static inline dev_t lw_map_number(const struct lw_member *m)
{
	return 0;
}

static inline void lw_measure(const struct lw_selector *sel, struct lw_member *m) { }
static inline void lw_measure_end(struct lw_member *m) { }

static inline bool lw_counts_latency(const struct lw_path *path)
{
	return false;
}

static inline void lw_count_latency(struct lw_path *path, unsigned int c, u64 stamp, u64 now) { }

static inline int lw_sysfs_init(void)
{
	return 0;
}

static inline void lw_sysfs_exit(void) { }
static inline void lw_debugfs_init(void) { }
static inline void lw_debugfs_exit(void) { }

#endif
