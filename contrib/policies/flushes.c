// SPDX-License-Identifier: GPL-2.0
/*
 * Flushes stay on one path, the first usable one: some arrays flush the cache of that controller
 * alone to which the flush goes. Data is placed by the module.
 */
#include <lw_policy.h>

LW_POLICY_PROGRAM(flushes)
{
	if (io->bytes)
		return;
#pragma unroll
	for (int i = LW_POLICY_PATHS - 1; i >= 0; i--)
		if (i < io->nr && io->path[i].state == LW_POLICY_USABLE)
			io->choice = i;
}

char policy_license[] LW_POLICY_SECTION("license") = "GPL";
