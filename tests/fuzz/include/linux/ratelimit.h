/* SPDX-License-Identifier: GPL-2.0 */
/* As much as struct lw_map needs to be a struct: there are no notices of maps here. */
#ifndef FUZZ_LINUX_RATELIMIT_H
#define FUZZ_LINUX_RATELIMIT_H

struct ratelimit_state {
	int interval;
};

#endif
