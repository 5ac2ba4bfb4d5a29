/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The machine of a program that tests the simulated kernel, with one timer. Its main() sets how
 * many CPUs and nodes there are.
 */
#ifndef TEST_WORLD_H
#define TEST_WORLD_H

#include "everything.h"

uint64_t world_now_ns = NSEC_PER_SEC;
unsigned int world_cpu, world_cpus = 2, world_nodes = 1;
bool world_in_task = true;
const void *world_task = &world_task;

static uint64_t timer_ns;	/* when it runs out */
static void (*timer_fn)(void *arg);
static void *timer_arg;

unsigned int world_node_of(unsigned int cpu)
{
	return cpu * world_nodes / world_cpus;
}

void world_after(uint64_t ns, void (*fn)(void *arg), void *arg)
{
	timer_ns = world_now_ns + ns;
	timer_fn = fn;
	timer_arg = arg;
}

/* The window of the selector that was used last. */
static inline void window(void)
{
	world_now_ns = max(world_now_ns, timer_ns);
	timer_fn(timer_arg);
}

#endif
