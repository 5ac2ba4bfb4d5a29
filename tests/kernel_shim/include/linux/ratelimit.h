/* SPDX-License-Identifier: GPL-2.0 */
/* As much as struct lw_map needs to be a struct: nothing is reported here. */
#ifndef FUZZ_LINUX_RATELIMIT_H
#define FUZZ_LINUX_RATELIMIT_H

struct ratelimit_state {
	int interval;
};

#endif
