/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shadows tests/kernel_shim/world.h: the same names, but each thread is a CPU, or one thread is
 * several CPUs in turn. What the kernel finds by its gs register is found by fs here, in
 * one instruction, too.
 */
#ifndef NATIVE_WORLD_H
#define NATIVE_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The time of the last tick; the coarse clock. */
extern uint64_t world_now_ns;

extern __thread unsigned int world_cpu;
extern __thread bool world_in_task;
extern __thread const void *world_task;

extern unsigned int world_cpus;
extern unsigned int world_nodes;
unsigned int world_node_of(unsigned int cpu);

#endif
