// SPDX-License-Identifier: GPL-2.0
/* CPUs, nodes and the clock. */
#include "native.h"

#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/seqlock.h>
#include <time.h>

uint64_t world_now_ns;
__thread unsigned int world_cpu;
__thread bool world_in_task = true;
__thread const void *world_task = &world_now_ns;
unsigned int world_cpus, world_nodes;

__thread unsigned int native_node;
unsigned int native_node_of[NATIVE_MAX_CPUS];

/* As the kernel's: time at the last tick is world_now_ns; while it stands still @mult is 0. */
#define CLOCK_SHIFT	24
static struct {
	seqcount_t seq;
	u64 cycles;
	u64 mult;
} tick ____cacheline_aligned;

unsigned int world_node_of(unsigned int cpu)
{
	return native_node_of[cpu];
}

static u64 gettime(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * (u64)NSEC_PER_SEC + now.tv_nsec;
}

u64 native_wall_ns(void)
{
	return gettime(CLOCK_MONOTONIC);
}

u64 native_spent_ns(void)
{
	return gettime(CLOCK_THREAD_CPUTIME_ID);
}

/* Ordered, as the kernel reads it. */
static u64 cycles(void)
{
#ifdef __x86_64__
	unsigned int cpu;

	return __builtin_ia32_rdtscp(&cpu);
#else
	return native_wall_ns();
#endif
}

/* What it costs to look at the clock is paid also if it stands still. */
u64 native_clock_ns(void)
{
	unsigned int seq;
	u64 ns;

	do {
		seq = read_seqcount_begin(&tick.seq);
		ns = READ_ONCE(world_now_ns) + ((cycles() - tick.cycles) * tick.mult >> CLOCK_SHIFT);
	} while (read_seqcount_retry(&tick.seq, seq));
	return ns;
}

void native_clock_tick(void)
{
	u64 is = cycles(), since = is - tick.cycles;

	write_seqcount_begin(&tick.seq);
	WRITE_ONCE(world_now_ns, world_now_ns + (since * tick.mult >> CLOCK_SHIFT));
	tick.cycles = is;
	write_seqcount_end(&tick.seq);
}

/* The counter's rate is that of the next 20 ms. */
void native_clock_go(void)
{
	u64 from = cycles(), began = native_wall_ns(), ns;

	while ((ns = native_wall_ns() - began) < 20 * NSEC_PER_MSEC)
		;
	tick.cycles = cycles();
	tick.mult = (ns << CLOCK_SHIFT) / (tick.cycles - from);
}

void native_boot(unsigned int cpus, unsigned int nodes)
{
	unsigned int cpu;

	KERNEL_ASSERT(cpus && cpus <= NATIVE_MAX_CPUS && nodes && nodes <= cpus);
	world_cpus = cpus;
	world_nodes = nodes;
	for (cpu = 0; cpu < cpus; cpu++)
		native_node_of[cpu] = cpu * nodes / cpus;
	/* Not 0, which stands for "never" in time stamps. */
	world_now_ns = NSEC_PER_SEC;
	native_percpu_boot();
	native_run_on(0);
	KERNEL_ASSERT(!kernel_module_init() && dm_type(MODULE_TYPE));
}

void native_unload(void)
{
	kernel_module_exit();
	KERNEL_ASSERT(!dm_type(MODULE_TYPE));
}
