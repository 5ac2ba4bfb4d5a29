/* SPDX-License-Identifier: GPL-2.0 */
/* What is told of a path that became slow, or recovered. */
#ifndef LW_NOTICE_H
#define LW_NOTICE_H

#include "selector.h"

struct ratelimit_state;

void lw_notice_limit(struct ratelimit_state *limit);
bool lw_notice_send(const struct lw_member *m, const struct lw_report *r,
		    enum lw_change change, u64 now_ns);

#endif
