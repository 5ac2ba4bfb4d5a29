/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_SPINLOCK_H
#define SIM_LINUX_SPINLOCK_H

#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/types.h>

typedef struct {
	bool held;
} spinlock_t;

typedef spinlock_t raw_spinlock_t;

#define DEFINE_SPINLOCK(name)	spinlock_t name = { .held = false }

static inline void spin_lock_init(spinlock_t *lock)
{
	lock->held = false;
}

static inline void spin_lock(spinlock_t *lock)
{
	KERNEL_ASSERT(!lock->held);
	lock->held = true;
	kernel_atomic_depth++;
}

static inline void spin_unlock(spinlock_t *lock)
{
	KERNEL_ASSERT(lock->held);
	lock->held = false;
	kernel_atomic_depth--;
}

#include <linux/spinlock_others.h>

#endif
