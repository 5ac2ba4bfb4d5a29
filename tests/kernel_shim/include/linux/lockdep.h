/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_LOCKDEP_H
#define SIM_LINUX_LOCKDEP_H

#include "simulated.h"

/* Locks of each kind have this field. */
#define lockdep_assert_held(lock)	KERNEL_ASSERT((lock)->held)
#define lockdep_assert_not_held(lock)	KERNEL_ASSERT(!(lock)->held)
#define lockdep_is_held(lock)		((lock)->held)

#endif
