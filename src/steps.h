/* SPDX-License-Identifier: GPL-2.0 */
/* Called by the window for each path. */
#ifndef LW_STEPS_H
#define LW_STEPS_H

#include "path.h"

void lw_window_path(struct lw_device *path, bool due, u64 window_ns);

#endif
