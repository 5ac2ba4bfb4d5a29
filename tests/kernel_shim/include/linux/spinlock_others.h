/* SPDX-License-Identifier: GPL-2.0 */
/* What is made of spin_lock() and spin_unlock(), whatever these are. */
#ifndef SIM_LINUX_SPINLOCK_OTHERS_H
#define SIM_LINUX_SPINLOCK_OTHERS_H

#include <linux/irqflags.h>

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
