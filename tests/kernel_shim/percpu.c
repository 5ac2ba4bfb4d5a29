// SPDX-License-Identifier: GPL-2.0
/* Static per-CPU variables and allocated ones; linux/percpu.h tells how. */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <sanitizer/asan_interface.h>
#include <stdlib.h>
#include <string.h>

char percpu_copies[KERNEL_MAX_CPUS * PERCPU_STRIDE] __aligned(64);

/*
 * The linker only tells the bounds of a section that exists. It begins at a cache line, so
 * that pointers to per-CPU data are as aligned as what they stand for.
 */
static DEFINE_PER_CPU_ALIGNED(char, percpu_section) __used;

void kernel_boot(void)
{
	size_t size = __stop_percpu_first - __start_percpu_first;
	unsigned int cpu;

	KERNEL_ASSERT(world_cpus && world_cpus <= KERNEL_MAX_CPUS);
	KERNEL_ASSERT(world_nodes && world_nodes <= world_cpus);
	KERNEL_ASSERT(size <= PERCPU_STRIDE);
	for_each_possible_cpu(cpu)
		memcpy(percpu_copies + cpu * PERCPU_STRIDE, __start_percpu_first,
		       size);
}

/* The CPUs' parts with gaps that nobody may touch. */
void *__alloc_percpu(size_t size, size_t align)
{
	size_t all = (world_cpus - 1) * PERCPU_STRIDE + size;
	unsigned int cpu;
	void *parts;

	might_sleep();
	KERNEL_ASSERT(size <= PERCPU_STRIDE && align <= 64);
	if (!kernel_has_memory() || posix_memalign(&parts, 64, all))
		return NULL;
	for (cpu = 0; cpu < world_cpus; cpu++) {
		char *part = (char *)parts + cpu * PERCPU_STRIDE;

		memset(part, 0, size);
		if (cpu < world_cpus - 1)
			ASAN_POISON_MEMORY_REGION(part + size, PERCPU_STRIDE - size);
	}
	return (void *)((uintptr_t)parts - percpu_distance(0));
}

void free_percpu(void *ptr)
{
	if (ptr)
		free((void *)((uintptr_t)ptr + percpu_distance(0)));
}
