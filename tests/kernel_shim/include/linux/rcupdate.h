/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_RCUPDATE_H
#define SHIM_LINUX_RCUPDATE_H

#include <linux/irqflags.h>
#include <linux/slab.h>

#define rcu_read_lock()		preempt_disable()
#define rcu_read_unlock()	preempt_enable()
#define rcu_lock_acquire(map)	do { } while (0)	/* lockdep's */
#define rcu_lock_release(map)	do { } while (0)
#define rcu_dereference(p)	READ_ONCE(p)
#define rcu_assign_pointer(p, value)	WRITE_ONCE(p, value)
#define rcu_access_pointer(p)	READ_ONCE(p)
#define rcu_dereference_protected(p, condition)	(p)
/* Grace periods waited for; in a kernel each takes milliseconds. */
extern unsigned long kernel_rcu_waits;

/* Who could wait for readers is no reader, and nobody else runs. */
static inline void synchronize_rcu(void)
{
	might_sleep();
	kernel_rcu_waits++;
}

#define kfree_rcu(p, member)	kfree(p)

#endif
