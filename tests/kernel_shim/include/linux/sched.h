/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_SCHED_H
#define SHIM_LINUX_SCHED_H

#include <linux/irqflags.h>
#include <linux/smp.h>

struct task_struct;

/* Only ever compared. */
#define current		((struct task_struct *)(uintptr_t)world_task)

#define cond_resched()	might_sleep()
/* Who waits for another task waits forever here: there is one thread. */
#define schedule_timeout_killable(jiffies)	KERNEL_ASSERT(!(jiffies))

#endif
