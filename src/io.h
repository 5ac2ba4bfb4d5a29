/* SPDX-License-Identifier: GPL-2.0 */
/* Start and end of an I/O. */
#ifndef LW_IO_H
#define LW_IO_H

#include "dm-path-selector.h"

int lw_start_io(struct path_selector *ps, struct dm_path *dm_path, size_t nr_bytes);
int lw_end_io(struct path_selector *ps, struct dm_path *dm_path, size_t nr_bytes, u64 start_time);

#endif
