// SPDX-License-Identifier: GPL-2.0
/* Round-robin: the paths take turns, on each CPU by itself. */
#include <lw_policy.h>

#define CPUS	1024	/* a power of two; more share the turns */

static __u32 turns[CPUS];	/* where the next search begins */

LW_POLICY_PROGRAM(round_robin)
{
	__u32 *turn = &turns[io->cpu % CPUS];
	int first = -1, next = -1;

#pragma unroll
	for (int i = LW_POLICY_PATHS - 1; i >= 0; i--) {
		if (i >= io->nr || io->path[i].state != LW_POLICY_USABLE)
			continue;
		first = i;
		if (i >= *turn)
			next = i;
	}
	if (next < 0)
		next = first;
	if (next < 0)
		return;
	*turn = next + 1;
	io->choice = next;
}

char policy_license[] LW_POLICY_SECTION("license") = "GPL";
