/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_PREFETCH_H
#define SIM_LINUX_PREFETCH_H

#include <linux/types.h>

/* Else gcc takes a function that only fetches ahead for one that does nothing. */
#define prefetch(p)	({ __builtin_prefetch(p); asm volatile(""); })

static inline void prefetch_range(void *addr, size_t len)
{
	char *line;

	for (line = addr; line < (char *)addr + len; line += 64)
		prefetch(line);
}

#endif
