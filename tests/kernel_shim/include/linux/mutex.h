/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_MUTEX_H
#define SHIM_LINUX_MUTEX_H

#include <linux/lockdep.h>
#include <linux/types.h>

struct mutex {
	bool held;
};

#define DEFINE_MUTEX(name)	struct mutex name = { .held = false }

static inline void mutex_init(struct mutex *lock)
{
	lock->held = false;
}

/* What happens while a task waits for a mutex, NULL: nothing. It may let time pass. */
extern void (*kernel_mutex_waits)(void);

/* In one thread a second taker is a deadlock. */
static inline void mutex_lock(struct mutex *lock)
{
	might_sleep();
	if (kernel_mutex_waits)
		kernel_mutex_waits();
	KERNEL_ASSERT(!lock->held);
	lock->held = true;
}

/* Return: false if somebody has the lock, who keeps it: one thread cannot wait for itself. */
static inline bool mutex_trylock(struct mutex *lock)
{
	if (lock->held)
		return false;
	lock->held = true;
	return true;
}

static inline void mutex_unlock(struct mutex *lock)
{
	KERNEL_ASSERT(lock->held);
	lock->held = false;
}

#define mutex_lock_nested(lock, subclass)	mutex_lock(lock)

#endif
