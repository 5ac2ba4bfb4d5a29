/* SPDX-License-Identifier: GPL-2.0 */
/* Eligibility of paths. */
#ifndef LW_ELIGIBILITY_H
#define LW_ELIGIBILITY_H

#include "selector.h"

enum lw_use lw_update_eligibility(struct lw_path_info *m, unsigned int probes, bool anew);
void lw_device_note_first(struct lw_device *path, u64 stamp, u64 now);
void lw_device_forget(struct lw_device *path, bool sent);
void lw_device_mark_full(struct lw_device *path, u32 full);
void lw_device_suspect(struct lw_device *path, u32 ticks);
void lw_device_begin_anew(struct lw_device *path, u64 now_ns);
void lw_fail_path(struct path_selector *ps, struct dm_path *dm_path);
int lw_reinstate_path(struct path_selector *ps, struct dm_path *dm_path);

#endif
