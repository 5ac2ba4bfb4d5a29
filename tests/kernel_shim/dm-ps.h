/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Included before each of the kernel's own selectors, drivers/md/dm-ps-*.c of Debian 13's source:
 * what they need beyond the module. They are compiled unchanged, and not kept here.
 */
#ifndef SHIM_DM_PS_H
#define SHIM_DM_PS_H

#include "everything.h"

#include <stdio.h>

#include "dm-path-selector.h"

/* Up to Linux 6.16 it returns an int. */
#define dm_unregister_path_selector(type)	(dm_unregister_path_selector(type), 0)

#define time_after64(a, b)	((s64)((b) - (a)) < 0)
#define time_before64(a, b)	time_after64(b, a)

static inline void list_move(struct list_head *node, struct list_head *head)
{
	list_del(node);
	list_add(node, head);
}

static inline void list_move_tail(struct list_head *node, struct list_head *head)
{
	list_del(node);
	list_add_tail(node, head);
}

typedef atomic_t refcount_t;
#define refcount_set		atomic_set
#define refcount_inc		atomic_inc
#define refcount_dec_and_test	atomic_dec_and_test

struct cpumask {
	u64 bits[4];
};

typedef struct cpumask cpumask_var_t[1];

static inline bool zalloc_cpumask_var(cpumask_var_t *mask, gfp_t gfp)
{
	memset(mask, 0, sizeof(*mask));
	return true;
}

static inline void free_cpumask_var(struct cpumask *mask)
{
}

static inline void cpumask_set_cpu(unsigned int cpu, struct cpumask *mask)
{
	mask->bits[cpu / 64] |= 1ULL << cpu % 64;
}

static inline void cpumask_clear_cpu(unsigned int cpu, struct cpumask *mask)
{
	mask->bits[cpu / 64] &= ~(1ULL << cpu % 64);
}

static inline bool cpumask_test_cpu(unsigned int cpu, const struct cpumask *mask)
{
	return mask->bits[cpu / 64] >> cpu % 64 & 1;
}

#define for_each_cpu(cpu, mask)						\
	for_each_possible_cpu(cpu)					\
		if (!cpumask_test_cpu(cpu, mask)) {			\
		} else

static inline const struct cpumask *cpumask_of_node(unsigned int node)
{
	static struct cpumask mask;
	unsigned int cpu;

	memset(&mask, 0, sizeof(mask));
	for_each_possible_cpu(cpu)
		if (cpu_to_node(cpu) == node)
			cpumask_set_cpu(cpu, &mask);
	return &mask;
}

/* Words of 32 bits with commas between them, the highest first. */
static inline int cpumask_parse(const char *text, struct cpumask *mask)
{
	unsigned int word;
	int read;

	memset(mask, 0, sizeof(*mask));
	do {
		if (sscanf(text, "%8x%n", &word, &read) != 1)
			return -EINVAL;
		memmove((u32 *)mask + 1, mask, sizeof(*mask) - sizeof(u32));
		*(u32 *)mask = word;
		text += read;
	} while (*text++ == ',');
	return text[-1] ? -EINVAL : 0;
}

#define cpumask_pr_args(mask)	256, (void *)(mask)

#endif
