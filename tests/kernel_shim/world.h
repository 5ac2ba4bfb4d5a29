/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The simulated machine as a selector sees it: a clock, CPUs, nodes, timers. One
 * world at a time, one thread: the module's code finds its clock and its CPU in
 * globals, as it does in the kernel.
 *
 * Plain C, since the module's side (tests/kernel_shim) is C.
 */
#ifndef SHIM_WORLD_H
#define SHIM_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Time, CPU and context of what runs right now. */
extern uint64_t world_now_ns;
extern unsigned int world_cpu;
extern bool world_in_task;		/* not in a completion's interrupt */
extern const void *world_task;		/* who submits, if world_in_task */

/* The machine. */
extern unsigned long kernel_rcu_waits;	/* grace periods that were waited for */
extern unsigned int world_cpus;
extern unsigned int world_nodes;
unsigned int world_node_of(unsigned int cpu);

/* Have fn(arg) called on this CPU, ns from now; it may ask for more. */
void world_after(uint64_t ns, void (*fn)(void *arg), void *arg);

#ifdef __cplusplus
}
#endif

#endif
