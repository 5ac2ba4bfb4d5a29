/* SPDX-License-Identifier: GPL-2.0 */
/*
 * First come, first served, as in the kernel: an atomic addition to take it, a store to
 * give it back. Of several that wait the kernel has only one look at the lock itself; on
 * two CPUs that is the same.
 */
#ifndef NATIVE_LINUX_SPINLOCK_H
#define NATIVE_LINUX_SPINLOCK_H

#include <linux/lockdep.h>
#include <linux/types.h>

typedef struct {
	u16 serving;
	u16 next;
} spinlock_t;

typedef spinlock_t raw_spinlock_t;

#define DEFINE_SPINLOCK(name)	spinlock_t name = { .serving = 0 }

static inline void spin_lock_init(spinlock_t *lock)
{
	*lock = (spinlock_t){ .serving = 0 };
}

static inline void spin_lock(spinlock_t *lock)
{
	u16 mine = __atomic_fetch_add(&lock->next, 1, __ATOMIC_ACQUIRE);

	while (__atomic_load_n(&lock->serving, __ATOMIC_ACQUIRE) != mine)
		native_relax();
}

static inline void spin_unlock(spinlock_t *lock)
{
	__atomic_store_n(&lock->serving, lock->serving + 1, __ATOMIC_RELEASE);
}

#include <linux/spinlock_others.h>

#endif
