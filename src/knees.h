/* SPDX-License-Identifier: GPL-2.0 */
/* Knees of a selector's paths, adjusted to each other. */
#ifndef LW_KNEES_H
#define LW_KNEES_H

#include "selector.h"

void lw_adapt_knees(struct lw_selector *sel);
void lw_publish_knees(struct lw_selector *sel, const u32 *ticks);

#endif
