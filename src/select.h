/* SPDX-License-Identifier: GPL-2.0 */
/* The choice of a path. */
#ifndef LW_SELECT_H
#define LW_SELECT_H

#include "dm-path-selector.h"

struct dm_path *lw_select_path(struct path_selector *ps, size_t nr_bytes);

#endif
