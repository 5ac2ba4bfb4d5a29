/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data, in the order in which an I/O meets it:
 *
 *   lw_selector -> lw_member -> lw_path -> lw_counts (per CPU)	start, end	io.c
 *   lw_counts -> lw_sums -> lw_path_state -> lw_selector.ticks	window		window.c
 *   lw_selector.ticks + lw_path.work				select		select.c
 *
 * A selector belongs to one priority group of one table (selector.h), a path to a device
 * (path.h). The arithmetic is in model/, over plain structs. What administrators see and
 * set is in admin/, of which the rest knows no more than admin/admin.h.
 *
 * Locks, each taken inside of those above it; those on one line never meet:
 *
 *   lw_maps_lock, lw_map.dirs (admin/map.c)	all maps; the paths and directories of one
 *     lw_view.lock (admin/debugfs.c)		what the files of a directory show
 *       lw_map.lock				selectors of a map, and who reads or tunes them
 *         lw_selector.publishing, lw_registry_lock (path.c)
 *           lw_path.lock			estimates
 *             lw_path.use_lock			what may be done with a path
 *
 * dm-mpath's own spinlock is held where it calls fail_path(), reinstate_path() and
 * status(); of these only use_lock is taken then. Files take lw_view.lock and below, the
 * window publishing and below, start, select and end none.
 */
#ifndef LW_H
#define LW_H

#include <linux/device-mapper.h>

#define DM_MSG_PREFIX "multipath latency-weighted"

#endif
