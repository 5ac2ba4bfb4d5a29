// SPDX-License-Identifier: GPL-2.0
/*
 * A window may wait for a path's lock, which a reader of its files holds; I/Os go on meanwhile.
 * They belong to the window's time, or Little's law would find too short a latency, and a path
 * without time stamps too low a base, for good.
 */
#include "test_world.h"

#include "check.h"
#include "dm.h"
#include "selector.h"

#define BYTES	4096
#define DEPTH	8
#define LATENCY	NSEC_PER_MSEC
#define WINDOWS	100

static struct dm_group *group;
static u64 waits_ns;

/* DEPTH I/Os in flight, of LATENCY each, without time stamps. */
static void io_until(u64 end_ns)
{
	while (world_now_ns + LATENCY / DEPTH <= end_ns) {
		world_now_ns += LATENCY / DEPTH;
		world_in_task = false;
		dm_group_end(group, 0, BYTES, 0);
		world_in_task = true;
		dm_group_start(group, 0, BYTES);
	}
}

static void wait_once(void)
{
	u64 end_ns = world_now_ns + waits_ns;

	kernel_mutex_waits = NULL;
	io_until(end_ns);
}

static void run_window(u64 late_ns)
{
	io_until(timer_ns);
	waits_ns = late_ns;
	kernel_mutex_waits = late_ns ? wait_once : NULL;
	window();
}

static u64 base_after(u64 late_ns)
{
	u64 base_ns;
	int i;

	group = dm_group_create(1, 0, NULL);
	CHECK(group);
	for (i = 0; i < DEPTH; i++) {
		world_now_ns += LATENCY / DEPTH;
		dm_group_start(group, 0, BYTES);
	}
	for (i = 0; i < WINDOWS; i++)
		run_window(i == WINDOWS / 2 ? late_ns : 0);
	base_ns = ((struct lw_selector *)dm_group_selector(group)->context)->member[0].path->state.base_ns;
	for (i = 0; i < DEPTH; i++) {
		world_now_ns += LATENCY / DEPTH;
		dm_group_end(group, 0, BYTES, 0);
	}
	dm_group_destroy(group);
	return base_ns;
}

/* The waits are no multiples of a window. */
static void base_outlives_a_late_window(void)
{
	static const u64 late_ms[] = { 0, 5, 25, 70 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(late_ms); i++) {
		u64 base_ns = base_after(late_ms[i] * NSEC_PER_MSEC);

		CHECK(base_ns > LATENCY * 97 / 100 && base_ns < LATENCY * 103 / 100);
	}
}

int main(void)
{
	base_outlives_a_late_window();
	dm_unload_module();
	printf("late windows: passed\n");
	return 0;
}
