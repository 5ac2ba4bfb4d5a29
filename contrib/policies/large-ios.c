// SPDX-License-Identifier: GPL-2.0
/*
 * Large I/Os have a path of their own: they do not delay small ones, which take the other paths.
 *
 *	dm-lw policy load large-ios.o --map mpatha path=sdb large_kib=64
 */
#include <lw_policy.h>

const volatile __u32 path;		/* device number of the path for large I/Os */
const volatile __u32 large_kib = 64;	/* what is large begins here */

LW_POLICY_PROGRAM_COST(large_ios)
{
	int large = io->bytes >= large_kib * 1024;
	__u64 least = ~0ULL;

#pragma unroll
	for (int i = 0; i < LW_POLICY_PATHS; i++) {
		if (i >= io->nr)
			break;
		/* The module keeps what has no other usable path, and what is not told where to go. */
		if ((io->path[i].dev == path) == large && io->path[i].state == LW_POLICY_USABLE &&
		    io->path[i].cost < least) {
			least = io->path[i].cost;
			io->choice = i;
		}
	}
}

char policy_license[] LW_POLICY_SECTION("license") = "GPL";
