/* SPDX-License-Identifier: GPL-2.0 */
/* Who starts or ends an I/O. */
#ifndef LW_CALLER_H
#define LW_CALLER_H

#include <linux/sched.h>
#include <linux/workqueue.h>

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
