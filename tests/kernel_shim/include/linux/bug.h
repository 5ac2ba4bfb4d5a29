/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_BUG_H
#define SIM_LINUX_BUG_H

#include <linux/build_bug.h>

#include "simulated.h"

/* What the kernel warns of ends the simulation. */
#define BUG()		kernel_bug(__FILE__, __LINE__, "BUG()")
#define BUG_ON(condition)	KERNEL_ASSERT(!(condition))
#define WARN_ON(condition)	({ KERNEL_ASSERT(!(condition)); false; })
#define WARN_ON_ONCE(condition)	WARN_ON(condition)
#define WARN_ONCE(condition, format, ...)	WARN_ON(condition)

#endif
