/* SPDX-License-Identifier: GPL-2.0 */
/* The window, which turns counts into estimates while there is I/O. */
#ifndef LW_WINDOW_H
#define LW_WINDOW_H

#include "selector.h"

int lw_window_init(void);
void lw_window_exit(void);
void lw_window_prepare(struct lw_selector *sel);
void lw_window_queue(struct lw_selector *sel);
void lw_window_rearm(struct lw_selector *sel);

#endif
