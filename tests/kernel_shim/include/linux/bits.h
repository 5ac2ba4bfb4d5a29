/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_BITS_H
#define SIM_LINUX_BITS_H

#define BITS_PER_BYTE		8
#define BITS_PER_LONG		64
#define BITS_PER_LONG_LONG	64

#define BIT(nr)		(1UL << (nr))
#define BIT_ULL(nr)	(1ULL << (nr))
#define GENMASK(hi, lo)	((~0UL << (lo)) & (~0UL >> (BITS_PER_LONG - 1 - (hi))))
#define GENMASK_ULL(hi, lo)	((unsigned long long)GENMASK(hi, lo))

#endif
