// SPDX-License-Identifier: GPL-2.0
/* The policy queue-depth of NVMe's own multipath: fewest I/Os in flight; of several, the first. */
#include <lw_policy.h>

LW_POLICY_PROGRAM(nvme_queue_depth)
{
	__u64 least = ~0ULL;

#pragma unroll
	for (int i = 0; i < LW_POLICY_PATHS; i++) {
		__u64 depth;

		if (i >= io->nr)
			break;
		if (io->path[i].state == LW_POLICY_UNUSABLE)
			continue;
		/* A path of a worse state comes after all others. */
		depth = (__u64)io->path[i].state << 32 | io->path[i].ios;
		if (depth < least) {
			least = depth;
			io->choice = i;
		}
	}
}

char policy_license[] LW_POLICY_SECTION("license") = "GPL";
