// SPDX-License-Identifier: GPL-2.0
/* Memory that is counted, and per-CPU memory. */
#include "native.h"

#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <stdlib.h>
#include <sys/mman.h>

u64 native_bytes, native_percpu_bytes;

/* In front of what is allocated. */
struct header {
	size_t size;
} ____cacheline_aligned;

static void account(u64 *counter, size_t size)
{
	__atomic_fetch_add(counter, size, __ATOMIC_RELAXED);
}

void *kmalloc(size_t size, gfp_t gfp)
{
	void *p;

	if (posix_memalign(&p, 64, sizeof(struct header) + size))
		return NULL;
	((struct header *)p)->size = size;
	account(&native_bytes, size);
	p = (char *)p + sizeof(struct header);
	return gfp & __GFP_ZERO ? memset(p, 0, size) : p;
}

void *kmalloc_array(size_t n, size_t size, gfp_t gfp)
{
	size_t bytes;

	return __builtin_mul_overflow(n, size, &bytes) ? NULL : kmalloc(bytes, gfp);
}

void native_forget(const void *p)
{
	if (p)
		account(&native_bytes, -((const struct header *)p)[-1].size);
}

void kfree(const void *p)
{
	native_forget(p);
	if (p)
		free((struct header *)p - 1);
}

/* Address space of a CPU; as much of it has memory as was allocated. */
#define UNIT	(128UL << 20)

static DEFINE_PER_CPU_ALIGNED(char, section) __used;	/* so that there is one */
static size_t unit_used;

uintptr_t native_percpu_of[NATIVE_MAX_CPUS];
__thread uintptr_t native_percpu;

static unsigned long possible[BITS_TO_LONGS(NATIVE_MAX_CPUS)];

noinline unsigned int native_next_cpu(unsigned int cpu)
{
	return find_next_bit(possible, NATIVE_MAX_CPUS, cpu);
}

/* Static variables come first. Pages of 4 KiB, as the kernel takes them for this. */
void native_percpu_boot(void)
{
	size_t size = __stop_percpu_first - __start_percpu_first;
	char *units = mmap(NULL, world_cpus * UNIT, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	unsigned int cpu;

	KERNEL_ASSERT(units != MAP_FAILED);
	madvise(units, world_cpus * UNIT, MADV_NOHUGEPAGE);
	unit_used = round_up(size, 64);
	for (cpu = 0; cpu < world_cpus; cpu++) {
		set_bit(cpu, possible);
		memcpy(units + cpu * UNIT, __start_percpu_first, size);
		native_percpu_of[cpu] = (uintptr_t)units + cpu * UNIT -
					(uintptr_t)__start_percpu_first;
	}
}

/* What was allocated, by place: to tell what is freed. */
static struct part {
	size_t at;
	size_t size;
} *parts;
static size_t nr_parts;

static void remember(size_t at, size_t size)
{
	/* Twice as much room whenever a power of two is full. */
	if (!(nr_parts & (nr_parts - 1)))
		parts = realloc(parts, max(2 * nr_parts, 1UL) * sizeof(*parts));
	KERNEL_ASSERT(parts);
	parts[nr_parts++] = (struct part){ .at = at, .size = size };
}

static int by_place(const void *key, const void *part)
{
	size_t at = *(const size_t *)key, other = ((const struct part *)part)->at;

	return at < other ? -1 : at > other;
}

/* Zeroed on each possible CPU before anybody uses it. What is freed is not used again. */
void *__alloc_percpu(size_t size, size_t align)
{
	size_t at = round_up(unit_used, align);
	char *area = __start_percpu_first + at;
	unsigned int cpu;

	if (at + size > UNIT)
		return NULL;
	unit_used = at + size;
	remember(at, size);
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(area, cpu), 0, size);
	account(&native_percpu_bytes, size * world_cpus);
	account(&native_bytes, size * world_cpus);
	return area;
}

void free_percpu(void *ptr)
{
	size_t at = (char *)ptr - __start_percpu_first;
	struct part *part;

	if (!ptr)
		return;
	part = bsearch(&at, parts, nr_parts, sizeof(*parts), by_place);
	KERNEL_ASSERT(part && part->size);
	account(&native_percpu_bytes, -part->size * world_cpus);
	account(&native_bytes, -part->size * world_cpus);
	part->size = 0;
}
