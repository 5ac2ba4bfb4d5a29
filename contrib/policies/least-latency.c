// SPDX-License-Identifier: GPL-2.0
/* Least latency: the path on which an I/O behind all that are in flight would end first. */
#include <lw_policy.h>

LW_POLICY_PROGRAM(least_latency)
{
	__u64 least = ~0ULL;

#pragma unroll
	for (int i = 0; i < LW_POLICY_PATHS; i++) {
		__u64 cost;

		if (i >= io->nr)
			break;
		if (io->path[i].state == LW_POLICY_UNUSABLE)
			continue;
		/* A path of a worse state comes after all others. */
		cost = (__u64)io->path[i].state << 60 |
		       (__u64)io->path[i].latency_ns * (io->path[i].ios + 1);
		if (cost < least) {
			least = cost;
			io->choice = i;
		}
	}
}

char policy_license[] LW_POLICY_SECTION("license") = "GPL";
