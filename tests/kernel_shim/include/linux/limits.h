/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_LIMITS_H
#define SIM_LINUX_LIMITS_H

#include_next <linux/limits.h>

#include <limits.h>
#include <stdint.h>

#define U8_MAX	UINT8_MAX
#define U16_MAX	UINT16_MAX
#define U32_MAX	UINT32_MAX
#define U64_MAX	(~0ULL)
#define S32_MAX	INT32_MAX
#define S32_MIN	INT32_MIN
#define S64_MAX	LLONG_MAX
#define S64_MIN	LLONG_MIN

#endif
