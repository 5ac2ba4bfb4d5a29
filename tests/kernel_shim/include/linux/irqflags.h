/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_IRQFLAGS_H
#define SIM_LINUX_IRQFLAGS_H

#include "simulated.h"

/* Nothing comes between here, but what must not be done meanwhile is seen. */
#define local_irq_save(flags)						\
	do {								\
		(flags) = kernel_atomic_depth++;			\
	} while (0)
#define local_irq_restore(flags)					\
	do {								\
		kernel_atomic_depth--;					\
		KERNEL_ASSERT((flags) == kernel_atomic_depth);		\
	} while (0)
#define local_irq_disable()	((void)kernel_atomic_depth++)
#define local_irq_enable()	((void)kernel_atomic_depth--)
#define local_bh_disable()	local_irq_disable()
#define local_bh_enable()	local_irq_enable()
#define preempt_disable()	local_irq_disable()
#define preempt_enable()	local_irq_enable()
#define irqs_disabled()		(!world_in_task || kernel_atomic_depth)

#define in_task()		world_in_task
#define in_interrupt()		(!world_in_task)

#endif
