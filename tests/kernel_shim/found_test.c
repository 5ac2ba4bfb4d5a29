// SPDX-License-Identifier: GPL-2.0
/*
 * What starts find in flight, over all CPUs; what the driver was too busy for found nothing. And what
 * the first I/O of a path tells, if it is a flush.
 */
/*
 * promise steering/load-of-starts: The load found by starts is counted right, also where the
 *   driver sends I/Os back
 */
#include "test_world.h"

#include "check.h"
#include "dm.h"
#include "selector.h"

#define BYTES	8192	/* two blocks */

static struct dm_group *group;

static struct lw_path_state *state(void)
{
	struct lw_selector *sel = dm_group_selector(group)->context;

	return &sel->member[0].path->state;
}

static void start_on(unsigned int cpu)
{
	world_cpu = cpu;
	dm_group_start(group, 0, BYTES);
	world_now_ns += 1000;
}

static void end_on(unsigned int cpu, u64 start_ns)
{
	world_cpu = cpu;
	world_in_task = false;
	dm_group_end(group, 0, BYTES, start_ns);
	world_in_task = true;
	world_now_ns += 1000;
}

/* By the task that started it, at once and without a stamp. */
static void take_back_on(unsigned int cpu)
{
	world_cpu = cpu;
	dm_group_end(group, 0, BYTES, 0);
	world_now_ns += 1000;
}

static void found(u64 ios)
{
	window();
	CHECK(state()->w.found == (s64)ios);
}

static void each_start_finds_itself_and_others(void)
{
	u64 start_ns = world_now_ns;
	unsigned int i;

	for (i = 0; i < 5; i++)
		start_on(i % 2);
	found(1 + 2 + 3 + 4 + 5);
	end_on(1, start_ns);
	end_on(0, start_ns);
	start_on(1);
	found(4);
	for (i = 0; i < 4; i++)
		end_on(i % 2, start_ns);
	found(0);
}

/* In a window of its own, too, where growth is negative. */
static void what_is_taken_back_found_nothing(void)
{
	u64 start_ns = world_now_ns;

	start_on(0);
	start_on(1);
	take_back_on(1);
	found(1);
	world_now_ns = timer_ns - 20000;
	start_on(1);
	found(2);
	take_back_on(1);
	window();
	CHECK(state()->w.found <= 2);
	end_on(0, start_ns);
	found(0);
}

/* Others started meanwhile, which it did not find. */
static void taken_back_among_others(void)
{
	u64 start_ns = world_now_ns;
	unsigned int i;

	start_on(0);
	for (i = 0; i < 3; i++)
		start_on(1);
	take_back_on(0);
	window();
	CHECK(state()->w.found <= 2 + 3 + 4);
	for (i = 0; i < 3; i++)
		end_on(1, start_ns);
	window();
	CHECK(state()->latency.load <= 4 * LW_IO);
}

/* A mount begins with one: the path begins anew with the first data after it. */
static void flush_is_no_beginning(void)
{
	u64 start_ns = world_now_ns;

	dm_group_start(group, 0, 0);
	world_now_ns += NSEC_PER_MSEC;
	world_in_task = false;
	dm_group_end(group, 0, 0, start_ns);
	window();
	CHECK(state()->health.validated && !state()->latency.lat_ns);
	start_ns = world_now_ns;
	start_on(0);
	world_now_ns += NSEC_PER_MSEC;
	end_on(0, start_ns);
	window();
	CHECK(state()->latency.lat_ns && state()->capacity.knee == 2 * LW_IO && state()->capacity.dip.pause == LW_DIP_FIRST);
}

static void on_a_new_path(void (*test)(void))
{
	group = dm_group_create(1, 0, NULL);
	CHECK(group);
	test();
	dm_group_destroy(group);
}

int main(void)
{
	on_a_new_path(each_start_finds_itself_and_others);
	on_a_new_path(what_is_taken_back_found_nothing);
	on_a_new_path(taken_back_among_others);
	on_a_new_path(flush_is_no_beginning);
	dm_unload_module();
	printf("what starts find: passed\n");
	return 0;
}
