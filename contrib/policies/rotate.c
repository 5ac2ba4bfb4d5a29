// SPDX-License-Identifier: GPL-2.0
/*
 * Rotation: after 256 KiB the next path takes over, on each CPU by itself, so that neighbouring
 * I/Os stay together. This is how file systems with several mirrors share out their reads.
 */
#include <lw_policy.h>

const volatile __u32 rotate_kib = 256;

#define CPUS	1024	/* a power of two; more share the turns */

static struct {
	__u32 path;
	__u32 bytes;	/* that it took in this turn */
} turns[CPUS];

LW_POLICY_PROGRAM(rotate)
{
	__u32 cpu = io->cpu % CPUS, now = turns[cpu].path;
	int first = -1, next = -1;

	if (turns[cpu].bytes >= rotate_kib * 1024)
		now++;
#pragma unroll
	for (int i = LW_POLICY_PATHS - 1; i >= 0; i--) {
		if (i >= io->nr || io->path[i].state != LW_POLICY_USABLE)
			continue;
		first = i;
		if (i >= now)
			next = i;
	}
	if (next < 0)
		next = first;
	if (next < 0)
		return;
	if (next != turns[cpu].path || now != next || turns[cpu].bytes >= rotate_kib * 1024)
		turns[cpu].bytes = 0;
	turns[cpu].path = next;
	turns[cpu].bytes += io->bytes;
	io->choice = next;
}

char policy_license[] LW_POLICY_SECTION("license") = "GPL";
