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

static inline void lw_window_arm(struct lw_selector *sel)
{
	/* Usually just a read of an unchanged line. Whoever sets @armed queues the window. */
	if (!READ_ONCE(sel->timer.armed) && !cmpxchg(&sel->timer.armed, 0, 1))
		lw_window_queue(sel);
}

/* Its steps for each path: steps.c */
void lw_window_path(struct lw_device *path, bool due, u64 window_ns);

/* Knees, adjusted to each other: knees.c */
void lw_adapt_knees(struct lw_selector *sel);
void lw_publish_knees(struct lw_selector *sel, const u32 *ticks);

/* For select_path() and status: publish.c */
void lw_publish(struct lw_selector *sel, bool probes);

#endif
