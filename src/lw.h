/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Data flow of an I/O:
 *
 *   lw_selector -> lw_path_info -> lw_device -> lw_counts (per CPU)	start, end	io.c
 *   lw_counts -> lw_sums -> lw_path_state -> lw_selector.ticks	window		window.c, steps.c
 *   lw_selector.ticks + lw_line.work				select		select.c
 *
 * A selector (selector.h) belongs to one priority group of one table, a path (path.h) to a device.
 * model/ has the arithmetic over plain structs; admin/ has what administrators see and set;
 * policy/ runs BPF programs that choose.
 *
 * Lock order, outermost first; locks on one line never nest:
 *
 *   lw_policy_rooms_lock (policy/use.c)	room to run policies in
 *   lw_notices_lock (admin/notice.c)	limits of reports; taken alone
 *   lw_maps_lock, lw_map.dirs (admin/map.c)	list of maps; paths and directories of a map
 *     lw_view.lock (admin/debugfs.c)		what an open file shows
 *       lw_map.lock				selectors of a map, against readers and tuning
 *         lw_selector.publishing, lw_registry_lock (path.c)
 *           lw_device.lock			estimates
 *             lw_device.use_lock			eligibility
 *
 * dm-mpath calls fail_path(), reinstate_path() and status() under its own spinlock; the first two
 * take only use_lock, status() none. Files take lw_view.lock and below, the window publishing and
 * below. Afterwards, without a lock, the window tries the map's lock, to detach a slow policy.
 * Start, select and end take none of these locks.
 */
#ifndef LW_H
#define LW_H

#include <linux/device-mapper.h>

#define DM_MSG_PREFIX "multipath latency-weighted"

#endif
