/* SPDX-License-Identifier: GPL-2.0 */
/* What is shown of a path. */
#ifndef LW_STATUS_H
#define LW_STATUS_H

#include "selector.h"

/* Number of words for each path in "dmsetup status". */
#define LW_INFO_ARGS 5

extern const char * const lw_class_names[LW_CLASSES];
extern const char * const lw_source_names[], * const lw_state_names[];

void lw_update_state(struct lw_path_info *m);
void lw_show(struct lw_selector *sel);
int lw_status(struct path_selector *ps, struct dm_path *dm_path,
	      status_type_t type, char *result, unsigned int maxlen);

#endif
