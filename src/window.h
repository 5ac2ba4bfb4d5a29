/* SPDX-License-Identifier: GPL-2.0 */
/* The window: while there is I/O, estimates are made from what was counted. */
#ifndef LW_WINDOW_H
#define LW_WINDOW_H

#include "selector.h"

int lw_window_init(void);
void lw_window_exit(void);
void lw_window_prepare(struct lw_selector *sel);
void lw_window_queue(struct lw_selector *sel);
void lw_window_hasten(struct lw_selector *sel);

#endif
