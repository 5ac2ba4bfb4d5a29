/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_GFP_H
#define SIM_LINUX_GFP_H

#include <linux/types.h>

#define __GFP_MAY_SLEEP	1u
#define __GFP_ZERO	2u
#define __GFP_NOWARN	4u
#define GFP_KERNEL	__GFP_MAY_SLEEP
#define GFP_NOIO	__GFP_MAY_SLEEP
#define GFP_NOFS	__GFP_MAY_SLEEP
#define GFP_ATOMIC	0u
#define GFP_NOWAIT	0u

#endif
