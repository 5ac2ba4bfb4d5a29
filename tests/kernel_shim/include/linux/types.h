/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_TYPES_H
#define SIM_LINUX_TYPES_H

/* The C library, too, includes files of this name. */
#include_next <linux/types.h>

#include <linux/compiler.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;		/* printed by %llu */
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef long long s64;

typedef u64 sector_t;
typedef unsigned int gfp_t;

#include <linux/limits.h>

struct list_head {
	struct list_head *next, *prev;
};

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	s64 counter;
} atomic64_t;

#endif
