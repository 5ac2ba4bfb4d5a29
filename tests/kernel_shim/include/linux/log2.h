/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_LOG2_H
#define SIM_LINUX_LOG2_H

#include <linux/bitops.h>

#define ilog2(n)		(fls64(n) - 1)
#define order_base_2(n)		((n) > 1 ? ilog2((n) - 1) + 1 : 0)
#define is_power_of_2(n)	((n) && !((n) & ((n) - 1)))
#define roundup_pow_of_two(n)	(1UL << order_base_2(n))
#define rounddown_pow_of_two(n)	(1UL << ilog2(n))

#endif
