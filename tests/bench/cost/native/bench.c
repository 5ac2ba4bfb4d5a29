// SPDX-License-Identifier: GPL-2.0
/*
 * bench THREADS PATHS ROUNDS MICROSECONDS: select, start and end of each selector in turn, on as
 * many CPUs as there are threads, in slices of so many microseconds. A line of JSON.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <stdio.h>
#include <stdlib.h>

#include "slice.h"

#define TRIES	50	/* of a slice in which a thread loses its CPU */

int dm_ps_round_robin_init(void);
int dm_ps_queue_length_init(void);
int dm_ps_service_time_init(void);
int dm_ps_historical_service_time_init(void);

/* One that does nothing, the kernel's own, and the module's. */
static struct contestant {
	const char *name;
	struct native_map map;
	u64 *picoseconds;	/* of an I/O, by round */
} contestants[] = {
	{ .name = "nothing" },
	{ .name = "round-robin" },
	{ .name = "queue-length" },
	{ .name = "service-time" },
	{ .name = "historical-service-time" },
	{ .name = MODULE_TYPE },
};

static unsigned int threads, paths, rounds, disturbed;
static u64 slice_ns;

/* Between the slices, so that what is measured is I/Os alone. */
static void between(void)
{
	static u64 window_ns;

	native_clock_tick();
	if (world_now_ns - window_ns < 20 * NSEC_PER_MSEC)
		return;
	window_ns = world_now_ns;
	native_run_works();
}

static void measure(struct contestant *c, unsigned int round)
{
	struct slice slice;
	unsigned int try;

	for (try = 0; try < TRIES; try++) {
		between();
		slice = slice_run(&c->map, slice_ns);
		if (!slice.disturbed)
			break;
	}
	disturbed += slice.disturbed;
	c->picoseconds[round] = slice.ns * 1000 * threads / slice.ios;
}

static int compare(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void show(const struct contestant *c)
{
	qsort(c->picoseconds, rounds, sizeof(*c->picoseconds), compare);
	printf(", \"%s\": [%llu, %llu, %llu]", c->name, c->picoseconds[rounds / 4],
	       c->picoseconds[rounds / 2], c->picoseconds[rounds * 3 / 4]);
}

static void parse(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "bench: THREADS PATHS ROUNDS MICROSECONDS\n");
		exit(2);
	}
	threads = atoi(argv[1]);
	paths = atoi(argv[2]);
	rounds = atoi(argv[3]);
	slice_ns = atoi(argv[4]) * (u64)NSEC_PER_USEC;
	if (!threads || threads > MAX_THREADS || !paths || paths > 64 || !rounds || !slice_ns) {
		fprintf(stderr, "bench: 1 to %d threads, 1 to 64 paths, no zeros\n", MAX_THREADS);
		exit(2);
	}
}

static void prepare(void)
{
	unsigned int i;

	native_boot(threads, 1);
	native_clock_go();
	dm_register_path_selector(&native_null);
	dm_ps_round_robin_init();
	dm_ps_queue_length_init();
	dm_ps_service_time_init();
	dm_ps_historical_service_time_init();
	for (i = 0; i < ARRAY_SIZE(contestants); i++) {
		struct contestant *c = &contestants[i];

		c->picoseconds = calloc(rounds, sizeof(*c->picoseconds));
		KERNEL_ASSERT(c->picoseconds && native_map_load(&c->map, dm_type(c->name), paths));
	}
}

int main(int argc, char **argv)
{
	unsigned int round, i, nr = ARRAY_SIZE(contestants);

	parse(argc, argv);
	prepare();
	slice_threads_begin(threads);
	for (round = 0; round < rounds; round++)
		for (i = 0; i < nr; i++)
			measure(&contestants[(round + i) % nr], round);
	slice_threads_end();
	printf("{\"threads\": %u, \"paths\": %u, \"disturbed\": %u", threads, paths, disturbed);
	for (i = 0; i < nr; i++) {
		show(&contestants[i]);
		native_map_free(&contestants[i].map);
	}
	native_unload();
	printf("}\n");
	return 0;
}
