/* SPDX-License-Identifier: GPL-2.0 */
/* Reports of slow and recovered paths. */
#ifndef LW_NOTICE_H
#define LW_NOTICE_H

#include "selector.h"

bool lw_notice_send(const struct lw_path_info *m, const struct lw_report *r,
		    enum lw_change change, u64 now_ns);

#endif
