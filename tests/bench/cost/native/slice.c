// SPDX-License-Identifier: GPL-2.0
#include "slice.h"

#include <linux/kernel.h>
#include <linux/ktime.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#define DEPTH	8	/* of each thread */
#define BYTES	4096

static struct thread {
	pthread_t thread;
	u64 ios;
	bool disturbed;
} ____cacheline_aligned threads[MAX_THREADS];

static unsigned int nr_threads;

/* What the threads go by; the count of slices is written last. */
static struct {
	struct native_map *map;
	u64 ns;
	unsigned int number;
	unsigned int there;	/* threads that are ready to begin */
	unsigned int left;	/* that have not ended */
	bool over;
} ____cacheline_aligned slice;

/* Of this thread: CPUs that it lost to others. */
static long losses(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

struct io {
	struct dm_path *path;
	u64 started_ns;
};

static inline void end(struct native_map *map, struct io *io)
{
	const struct path_selector_type *type = map->ps.type;

	world_in_task = false;
	if (type->end_io)
		type->end_io(&map->ps, io->path, BYTES, io->started_ns);
	world_in_task = true;
}

static inline void begin(struct native_map *map, struct io *io, u64 now)
{
	const struct path_selector_type *type = map->ps.type;

	io->path = type->select_path(&map->ps, BYTES);
	KERNEL_ASSERT(io->path);
	if (type->start_io)
		type->start_io(&map->ps, io->path, BYTES);
	io->started_ns = now;
}

/* A task that keeps so many in flight; each is stamped with a time of just before. */
static u64 send(struct native_map *map, u64 until_ns)
{
	struct io ring[DEPTH];
	u64 ios = 0, now = native_clock_ns();
	unsigned int i;

	for (i = 0; i < DEPTH; i++)
		begin(map, &ring[i], now);
	for (; now < until_ns; ios += DEPTH) {
		now = native_clock_ns();
		for (i = 0; i < DEPTH; i++) {
			end(map, &ring[i]);
			begin(map, &ring[i], now);
		}
	}
	for (i = 0; i < DEPTH; i++)
		end(map, &ring[i]);
	return ios;
}

/* All begin at once. */
static void part(struct thread *t)
{
	long lost = losses();
	u64 began;

	__atomic_fetch_add(&slice.there, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&slice.there, __ATOMIC_ACQUIRE) < nr_threads)
		native_relax();
	began = native_clock_ns();
	t->ios = send(slice.map, began + slice.ns);
	t->disturbed = losses() != lost;
	__atomic_fetch_sub(&slice.left, 1, __ATOMIC_SEQ_CST);
}

static void become_cpu(unsigned int cpu)
{
	cpu_set_t allowed, mine;
	unsigned int n = 0, i;

	native_run_on(cpu);
	world_task = &threads[cpu];
	CPU_ZERO(&mine);
	sched_getaffinity(0, sizeof(allowed), &allowed);
	for (i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &allowed) && n++ == cpu)
			CPU_SET(i, &mine);
	if (CPU_COUNT(&mine))
		sched_setaffinity(0, sizeof(mine), &mine);
}

static void *work(void *arg)
{
	struct thread *t = arg;
	unsigned int done = 0;

	become_cpu(t - threads);
	for (;;) {
		while (__atomic_load_n(&slice.number, __ATOMIC_ACQUIRE) == done)
			native_relax();
		done++;
		if (slice.over)
			return NULL;
		part(t);
	}
}

/* This thread is moved last: the others inherit where they may run. */
void slice_threads_begin(unsigned int nr)
{
	unsigned int i;

	nr_threads = nr;
	for (i = 1; i < nr; i++)
		KERNEL_ASSERT(!pthread_create(&threads[i].thread, NULL, work, &threads[i]));
	become_cpu(0);
}

static void next(void)
{
	__atomic_fetch_add(&slice.number, 1, __ATOMIC_RELEASE);
}

void slice_threads_end(void)
{
	unsigned int i;

	slice.over = true;
	next();
	for (i = 1; i < nr_threads; i++)
		pthread_join(threads[i].thread, NULL);
}

struct slice slice_run(struct native_map *map, u64 ns)
{
	struct slice found = { .ns = ns };
	unsigned int i;

	slice.map = map;
	slice.ns = ns;
	slice.there = 0;
	slice.left = nr_threads;
	next();
	part(&threads[0]);
	while (__atomic_load_n(&slice.left, __ATOMIC_ACQUIRE))
		native_relax();
	for (i = 0; i < nr_threads; i++) {
		found.ios += threads[i].ios;
		found.disturbed |= threads[i].disturbed;
	}
	return found;
}
