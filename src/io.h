/* SPDX-License-Identifier: GPL-2.0 */
/* Start and end of an I/O. */
#ifndef LW_IO_H
#define LW_IO_H

#include <linux/sched.h>
#include <linux/workqueue.h>

#include "dm-path-selector.h"

int lw_start_io(struct path_selector *ps, struct dm_path *dm_path, size_t nr_bytes);
int lw_end_io(struct path_selector *ps, struct dm_path *dm_path, size_t nr_bytes, u64 start_time);

/*
 * Identify the work of a worker, or else the task. Works must be told apart: with one CPU, or one
 * hardware queue per CPU, NVMe over TCP ends I/Os in the same kworker that blk-mq starts them in.
 */
static inline const void *lw_caller(void)
{
	const void *work = current_work();

	return work ? work : current;
}

#endif
