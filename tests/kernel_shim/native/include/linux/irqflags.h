/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program cannot turn interrupts off. It can save and restore the flags, which is what the
 * kernel did up to 5.10, and what cli and sti take the place of: about as many cycles.
 */
#ifndef NATIVE_LINUX_IRQFLAGS_H
#define NATIVE_LINUX_IRQFLAGS_H

#include <linux/compiler.h>

#include "simulated.h"

static inline unsigned long native_irq_save(void)
{
	unsigned long flags = 0;

#ifdef __x86_64__
	__asm__ volatile("pushfq\n\tpopq %0" : "=r" (flags) : : "memory");
#else
	barrier();
#endif
	return flags;
}

static inline void native_irq_restore(unsigned long flags)
{
#ifdef __x86_64__
	__asm__ volatile("pushq %0\n\tpopfq" : : "r" (flags) : "memory", "cc");
#else
	barrier();
#endif
}

#define local_irq_save(flags)						\
	do {								\
		(flags) = native_irq_save();				\
	} while (0)
#define local_irq_restore(flags)	native_irq_restore(flags)
#define local_irq_disable()	barrier()
#define local_irq_enable()	native_irq_restore(native_irq_save())
#define local_bh_disable()	barrier()
#define local_bh_enable()	barrier()
#define preempt_disable()	barrier()
#define preempt_enable()	barrier()
#define irqs_disabled()		(!world_in_task)

#define in_task()		world_in_task
#define in_interrupt()		(!world_in_task)

#endif
