/* SPDX-License-Identifier: GPL-2.0 */
/* An I/O: the choice of its path in select.c, its start and end in io.c. */
#ifndef LW_IO_H
#define LW_IO_H

#include "dm-path-selector.h"

struct dm_path *lw_select_path(struct path_selector *ps, size_t nr_bytes);
int lw_start_io(struct path_selector *ps, struct dm_path *dm_path, size_t nr_bytes);
int lw_end_io(struct path_selector *ps, struct dm_path *dm_path, size_t nr_bytes, u64 start_time);

#endif
