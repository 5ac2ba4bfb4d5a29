/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_KERNEL_H
#define SHIM_LINUX_KERNEL_H

#include <stdarg.h>

#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/types.h>
#include <stdlib.h>

/* Of the kernel's options none is set. */
#define IS_ENABLED(option)	0

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define DIV_ROUND_CLOSEST(n, d)	(((n) + (d) / 2) / (d))
#define DIV64_U64_ROUND_UP(n, d)	DIV_ROUND_UP((u64)(n), (u64)(d))
#define DIV_ROUND_UP_ULL(n, d)	DIV_ROUND_UP((u64)(n), d)
#define round_up(n, to)		(DIV_ROUND_UP(n, to) * (to))
#define round_down(n, to)	((n) / (to) * (to))
#undef abs
#define abs(n)			({ __auto_type __n = (n); __n < 0 ? -__n : __n; })

/* A whole number and at most one newline; 0, -EINVAL or -ERANGE. */
int kstrtoull(const char *s, unsigned int base, unsigned long long *res);
int kstrtouint(const char *s, unsigned int base, unsigned int *res);

/* Unlike snprintf(): what was written, not what would have been. */
__printf(3, 4)
int scnprintf(char *buf, size_t size, const char *format, ...);

#endif
