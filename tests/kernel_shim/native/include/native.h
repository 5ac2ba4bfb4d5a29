/* SPDX-License-Identifier: GPL-2.0 */
/* The machine of a native run, for programs that drive the module's code. */
#ifndef NATIVE_H
#define NATIVE_H

#include <linux/types.h>

#include "dm-path-selector.h"
#include "dm_types.h"
#include "simulated.h"

#define NATIVE_MAX_CPUS		KERNEL_MAX_CPUS

/* A machine comes up, with the module loaded; once in a process. */
void native_boot(unsigned int cpus, unsigned int nodes);
void native_unload(void);

/* From here on this thread is that CPU. */
extern __thread uintptr_t native_percpu;	/* of this CPU, as native_percpu_of */
extern __thread unsigned int native_node;
extern uintptr_t native_percpu_of[NATIVE_MAX_CPUS];
extern unsigned int native_node_of[NATIVE_MAX_CPUS];

static inline void native_run_on(unsigned int cpu)
{
	world_cpu = cpu;
	native_percpu = native_percpu_of[cpu];
	native_node = native_node_of[cpu];
}

/* percpu.c's part of the boot. */
void native_percpu_boot(void);
/* The next possible CPU from this one on, as far as the kernel's masks go. */
unsigned int native_next_cpu(unsigned int cpu);

/*
 * The clock stands still unless it is told to go: then it follows the CPUs' time stamp
 * counter, as the kernel's does, and wants a tick every few milliseconds.
 */
u64 native_clock_ns(void);
void native_clock_go(void);
void native_clock_tick(void);
/* For what is measured: by the wall, and what this thread had of its CPU. */
u64 native_wall_ns(void);
u64 native_spent_ns(void);

/* Bytes that are allocated, and how many of them per-CPU. */
extern u64 native_bytes, native_percpu_bytes;

/* Do all work that was queued before now, whatever its delay; how many were there? */
unsigned int native_run_works(void);
unsigned int native_works(void);

/* One that does nothing; null.c */
extern struct path_selector_type native_null;

/* A priority group of a map, each path with a device of its own. */
struct native_map {
	struct path_selector ps;
	unsigned int nr;
	struct native_path *path;
};

struct dm_path *native_dm_path(const struct native_map *map, unsigned int path);
/* Loads its table; false if the selector refuses. */
bool native_map_load(struct native_map *map, struct path_selector_type *type, unsigned int paths);
void native_map_free(struct native_map *map);

#endif
