/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_SCHED_H
#define SIM_LINUX_SCHED_H

#include <linux/irqflags.h>
#include <linux/smp.h>

struct task_struct;

/* Only ever compared. */
#define current		((struct task_struct *)(uintptr_t)world_task)

#define cond_resched()	might_sleep()

#endif
