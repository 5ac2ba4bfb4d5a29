/* SPDX-License-Identifier: GPL-2.0 */
/* Production kernels are built without it. */
#ifndef NATIVE_LINUX_LOCKDEP_H
#define NATIVE_LINUX_LOCKDEP_H

#include "simulated.h"

#define lockdep_assert_held(lock)	((void)(lock))
#define lockdep_assert_not_held(lock)	((void)(lock))
#define lockdep_is_held(lock)		true

#endif
