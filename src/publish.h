/* SPDX-License-Identifier: GPL-2.0 */
/* Publishing of estimates for select_path() and status. */
#ifndef LW_PUBLISH_H
#define LW_PUBLISH_H

#include "selector.h"

void lw_publish(struct lw_selector *sel);

#endif
