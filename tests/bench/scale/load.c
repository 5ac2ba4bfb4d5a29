// SPDX-License-Identifier: GPL-2.0
#include "load.h"

#include <linux/kernel.h>
#include <linux/time64.h>
#include <stdlib.h>

/* A power of two; more than the CPUs' caches would predict. */
#define PLACES	8192

static struct place {
	u16 starts_on;
	u16 ends_on;
	u32 bytes;
} place[PLACES];

static unsigned int turn;

static unsigned int next_random(void)
{
	static u64 x = 88172645463325252ULL;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x >> 32;
}

/* An interrupt comes to the CPU that submitted the I/O in half of the cases, else to any. */
void load_prepare(unsigned int sizes)
{
	static const u32 usual[] = { BYTES, 64 << 10, 256 << 10, 1 << 20 };
	unsigned int i;

	KERNEL_ASSERT(sizes && sizes <= ARRAY_SIZE(usual));

	for (i = 0; i < PLACES; i++) {
		place[i].starts_on = next_random() % world_cpus;
		place[i].ends_on = next_random() % 2 ? place[i].starts_on :
				   next_random() % world_cpus;
		place[i].bytes = usual[i % sizes];
	}
}

/* A task on a CPU sends an I/O. */
static inline void begin(struct native_map *map, struct io *io)
{
	const struct path_selector_type *type = map->ps.type;
	const struct place *at = &place[turn++ % PLACES];

	native_run_on(at->starts_on);
	io->path = type->select_path(&map->ps, at->bytes);
	KERNEL_ASSERT(io->path);
	type->start_io(&map->ps, io->path, at->bytes);
	io->started_ns = world_now_ns;
	io->ends_on = at->ends_on;
	io->bytes = at->bytes;
}

/* An interrupt tells that it is done. */
static inline void end(struct native_map *map, struct io *io)
{
	native_run_on(io->ends_on);
	world_in_task = false;
	map->ps.type->end_io(&map->ps, io->path, io->bytes, io->started_ns);
	world_in_task = true;
	io->path = NULL;
}

/* Three tenths of a millisecond, and a little more or less. */
static u64 latency_ns(unsigned int k)
{
	return 300 * NSEC_PER_USEC + (k * 7919 % 64) * NSEC_PER_USEC;
}

static void load_round(struct loaded_map *maps, unsigned int nr, u64 now_ns, u64 done_ns)
{
	unsigned int i;

	world_now_ns = done_ns;
	for (i = 0; i < nr; i++)
		if (maps[i].busy && maps[i].io.path)
			end(&maps[i].map, &maps[i].io);
	world_now_ns = now_ns;
	for (i = 0; i < nr; i++)
		if (maps[i].busy)
			begin(&maps[i].map, &maps[i].io);
}

static int compare(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

u64 load_median(u64 *values, unsigned int nr)
{
	qsort(values, nr, sizeof(*values), compare);
	return values[nr / 2];
}

/* The time that it took. */
u64 load_window(struct loaded_map *maps, unsigned int nr, unsigned int ios)
{
	u64 base = world_now_ns, step = WINDOW_NS / ios, began = native_spent_ns();
	unsigned int k;

	for (k = 0; k < ios; k++) {
		u64 now = base + k * step;

		load_round(maps, nr, now, now - step + latency_ns(turn));
	}
	world_now_ns = base + WINDOW_NS;
	return native_spent_ns() - began;
}

void load_finish(struct loaded_map *maps, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (maps[i].io.path)
			end(&maps[i].map, &maps[i].io);
	native_run_on(0);
}

#define DEPTH	32
#define STEP_NS	(10 * NSEC_PER_USEC)	/* from I/O to I/O: a latency of 0.32 ms */
#define BATCH	((unsigned int)(WINDOW_NS / STEP_NS))

static u64 deep_batch(struct native_map *map, struct io *ring)
{
	u64 began = native_spent_ns();
	unsigned int i;

	for (i = 0; i < BATCH; i++) {
		struct io *io = &ring[i % DEPTH];

		if (io->path)
			end(map, io);
		begin(map, io);
		world_now_ns += STEP_NS;
	}
	return native_spent_ns() - began;
}

/* The windows between the batches are not measured here. */
u64 load_deep(struct loaded_map *map, unsigned int batches)
{
	struct io ring[DEPTH] = {};
	u64 *took = calloc(batches, sizeof(*took)), found;
	unsigned int i;

	KERNEL_ASSERT(took);
	for (i = 0; i < 20; i++) {
		deep_batch(&map->map, ring);
		native_run_works();
	}
	for (i = 0; i < batches; i++) {
		took[i] = deep_batch(&map->map, ring);
		native_run_works();
	}
	for (i = 0; i < DEPTH; i++)
		if (ring[i].path)
			end(&map->map, &ring[i]);
	native_run_on(0);
	found = load_median(took, batches) * 1000 / BATCH;
	free(took);
	return found;
}

void load_touch(struct loaded_map *map)
{
	const struct path_selector_type *type = map->map.ps.type;
	unsigned int cpu, i;

	for (cpu = 0; cpu < world_cpus; cpu++)
		for (i = 0; i < map->map.nr; i++) {
			struct io io = {
				.path = native_dm_path(&map->map, i),
				.started_ns = world_now_ns,
				.ends_on = cpu,
				.bytes = BYTES,
			};

			native_run_on(cpu);
			type->start_io(&map->map.ps, io.path, BYTES);
			world_now_ns += 10 * NSEC_PER_USEC;
			end(&map->map, &io);
		}
	native_run_on(0);
}
