/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NATIVE_LINUX_MUTEX_H
#define NATIVE_LINUX_MUTEX_H

#include <linux/atomic.h>
#include <linux/lockdep.h>
#include <linux/types.h>

/* As large as there; held by who turns the owner from 0, and hardly ever waited for. */
struct mutex {
	long owner;
	unsigned int waiting[2];
	struct list_head waiters;
};

#define DEFINE_MUTEX(name)	struct mutex name = { .owner = 0 }

static inline void mutex_init(struct mutex *lock)
{
	lock->owner = 0;
}

static inline void mutex_lock(struct mutex *lock)
{
	long none = 0;

	might_sleep();
	while (!try_cmpxchg(&lock->owner, &none, 1)) {
		native_relax();
		none = 0;
	}
}

static inline bool mutex_trylock(struct mutex *lock)
{
	long none = 0;

	return try_cmpxchg(&lock->owner, &none, 1);
}

static inline void mutex_unlock(struct mutex *lock)
{
	long held = 1;

	KERNEL_ASSERT(try_cmpxchg(&lock->owner, &held, 0));
}

#define mutex_is_locked(lock)	(READ_ONCE((lock)->owner) != 0)
#define mutex_lock_nested(lock, subclass)	mutex_lock(lock)

#endif
