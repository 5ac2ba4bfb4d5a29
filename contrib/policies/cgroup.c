// SPDX-License-Identifier: GPL-2.0
/*
 * I/O of one cgroup has a path of its own: a backup or a neighbour disturbs nobody else.
 *
 *	dm-lw policy load cgroup.o --map mpatha path=sdb cgroup=/sys/fs/cgroup/backup.slice
 *
 * For bio-based maps (queue_mode bio): there the process that does the I/O chooses the path. On
 * a request-based map a worker of the kernel may choose for it, whose cgroup is another one.
 */
#include <lw_policy.h>

const volatile __u64 cgroup;		/* its id: the inode number of its directory */
const volatile __u32 path;		/* device number of its path */

LW_POLICY_PROGRAM_COST(by_cgroup)
{
	int ours = io->cgroup == cgroup;
	__u64 least = ~0ULL;

	if (!io->cgroup)
		return;
#pragma unroll
	for (int i = 0; i < LW_POLICY_PATHS; i++) {
		if (i >= io->nr)
			break;
		if ((io->path[i].dev == path) == ours && io->path[i].state == LW_POLICY_USABLE &&
		    io->path[i].cost < least) {
			least = io->path[i].cost;
			io->choice = i;
		}
	}
}

char policy_license[] LW_POLICY_SECTION("license") = "GPL";
