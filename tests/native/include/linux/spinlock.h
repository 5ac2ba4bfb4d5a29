/* SPDX-License-Identifier: GPL-2.0 */
/*
 * First come, first served, as in the kernel: an atomic addition to take it, a store to
 * give it back. Of several that wait the kernel has only one look at the lock itself; on
 * two CPUs that is the same.
 */
#ifndef NATIVE_LINUX_SPINLOCK_H
#define NATIVE_LINUX_SPINLOCK_H

#include <linux/irqflags.h>
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

#define spin_lock_irq(lock)						\
	do {								\
		local_irq_disable();					\
		spin_lock(lock);					\
	} while (0)
#define spin_unlock_irq(lock)						\
	do {								\
		spin_unlock(lock);					\
		local_irq_enable();					\
	} while (0)
#define spin_lock_bh(lock)	spin_lock(lock)
#define spin_unlock_bh(lock)	spin_unlock(lock)
#define spin_lock_irqsave(lock, flags)					\
	do {								\
		local_irq_save(flags);					\
		spin_lock(lock);					\
	} while (0)
#define spin_unlock_irqrestore(lock, flags)				\
	do {								\
		spin_unlock(lock);					\
		local_irq_restore(flags);				\
	} while (0)

#define raw_spin_lock_init(lock)		spin_lock_init(lock)
#define raw_spin_lock(lock)			spin_lock(lock)
#define raw_spin_unlock(lock)			spin_unlock(lock)
#define raw_spin_lock_irqsave(lock, flags)	spin_lock_irqsave(lock, flags)
#define raw_spin_unlock_irqrestore(lock, flags)	spin_unlock_irqrestore(lock, flags)

#endif
