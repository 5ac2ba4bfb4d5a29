// SPDX-License-Identifier: GPL-2.0
/*
 * A window that is late. It waits for a path's lock, which a reader of its files holds, or is
 * preempted as it counts, and I/Os go on meanwhile: if they did not belong to the window's time,
 * Little's law would find too short a latency. Or the machine stands still, and I/Os with it: they
 * measure that. In either case a path without time stamps had a wrong base, for good; in the latter,
 * also one with.
 */
/*
 * promise service/late-window: A late window finds the same base, whether it waited for a lock,
 *   was preempted, or the machine stood still | check: simulated | full: `guests-*`
 */
#include "test_world.h"

#include "check.h"
#include "dm.h"
#include "selector.h"

#define BYTES	4096
#define DEPTH	32
#define SERVICE	NSEC_PER_MSEC
#define DELAY	(3 * NSEC_PER_MSEC)
#define WINDOWS	100

enum how { WAITS_FOR_LOCK, IS_PREEMPTED, STANDS_STILL };

static struct dm_group *group;
static bool stamps;
static u64 late_ns;
static u64 started[DEPTH], due[DEPTH], server_free;	/* of the I/Os in flight, in their order */

static void start(int i)
{
	server_free = max(server_free, world_now_ns) + SERVICE;
	started[i] = world_now_ns;
	due[i] = server_free + DELAY;
	dm_group_start(group, 0, BYTES);
}

static void end_first(void)
{
	int i;

	world_now_ns = max(world_now_ns, due[0]);
	world_in_task = false;
	dm_group_end(group, 0, BYTES, stamps ? started[0] : 0);
	world_in_task = true;
	for (i = 1; i < DEPTH; i++) {
		started[i - 1] = started[i];
		due[i - 1] = due[i];
	}
}

/* One after the other is served, and then on its way: DEPTH are in flight. */
static void io_until(u64 end_ns)
{
	while (due[0] <= end_ns) {
		end_first();
		start(DEPTH - 1);
	}
	world_now_ns = max(world_now_ns, end_ns);
}

static void io_goes_on(void)
{
	kernel_mutex_waits = NULL;
	kernel_reader_waits = NULL;
	io_until(world_now_ns + late_ns);
}

static void nothing_goes_on(void)
{
	int i;

	world_now_ns += late_ns;
	server_free += late_ns;
	for (i = 0; i < DEPTH; i++)
		due[i] += late_ns;
}

static void run_window(bool late, enum how how)
{
	io_until(timer_ns);
	if (late && how == WAITS_FOR_LOCK)
		kernel_mutex_waits = io_goes_on;
	else if (late && how == IS_PREEMPTED)
		kernel_reader_waits = io_goes_on;
	else if (late)
		nothing_goes_on();
	window();
}

static u64 base_ns(void)
{
	struct lw_selector *sel = dm_group_selector(group)->context;

	return sel->member[0].path->state.capacity.base_ns;
}

/* In per cent of what it was. */
static u64 base_after(enum how how)
{
	u64 before_ns, after_ns;
	int i;

	group = dm_group_create(1, 0, NULL);
	CHECK(group);
	server_free = 0;
	for (i = 0; i < DEPTH; i++)
		start(i);
	for (i = 0; i < WINDOWS; i++)
		run_window(false, how);
	before_ns = base_ns();
	for (i = 0; i < WINDOWS; i++)
		run_window(!i, how);
	after_ns = base_ns();
	for (i = 0; i < DEPTH; i++)
		end_first();
	dm_group_destroy(group);
	return 100 * after_ns / before_ns;
}

static void base_outlives_a_late_window(enum how how)
{
	static const u64 late_ms[] = { 5, 25, 70, 300, 3000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(late_ms); i++) {
		u64 left;

		late_ns = late_ms[i] * NSEC_PER_MSEC;
		left = base_after(how);
		/* Of less than so many latencies a path recovers by itself. */
		if (how == STANDS_STILL && late_ns < LW_LATE_LATENCIES * DEPTH * SERVICE)
			CHECK(left >= 97 && left <= 340);
		else
			CHECK(left >= 97 && left <= 103);
	}
}

int main(void)
{
	enum how how;

	for (how = WAITS_FOR_LOCK; how <= STANDS_STILL; how++) {
		stamps = false;
		base_outlives_a_late_window(how);
		stamps = true;
		base_outlives_a_late_window(how);
	}
	dm_unload_module();
	printf("late windows: passed\n");
	return 0;
}
