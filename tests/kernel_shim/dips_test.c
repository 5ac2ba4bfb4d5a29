// SPDX-License-Identifier: GPL-2.0
/*
 * Dips take turns among the paths that are used. The dip of a path that failed in it would last
 * until the path has completions again, and until then no other path would test its base.
 */
/*
 * promise steering/dips-of-used-paths: Paths that failed or hardly get I/O do not keep others from
 *   testing their base
 */
#include "test_world.h"

#include "check.h"
#include "dm.h"
#include "selector.h"

#define BYTES	4096

static struct dm_group *group;

static struct lw_path_state *state(unsigned int path)
{
	struct lw_selector *sel = dm_group_selector(group)->context;

	return &sel->member[path].path->state;
}

/* A window with eight I/Os of a millisecond on each of these paths. */
static void ios(unsigned int first, unsigned int last)
{
	u64 start_ns = world_now_ns;
	unsigned int i, path;

	for (path = first; path <= last; path++)
		for (i = 0; i < 8; i++)
			dm_group_start(group, path, BYTES);
	world_now_ns += NSEC_PER_MSEC;
	world_in_task = false;
	for (path = first; path <= last; path++)
		for (i = 0; i < 8; i++)
			dm_group_end(group, path, BYTES, start_ns);
	world_in_task = true;
	window();
}

static void begin(void)
{
	unsigned int i;

	group = dm_group_create(2, 0, NULL);
	CHECK(group);
	for (i = 0; i < 10; i++)
		ios(0, 1);
	for (i = 0; i < 2; i++)
		state(i)->capacity.dip = (struct lw_dip){ .pause = LW_DIP_FIRST };
}

static void wants_dip(unsigned int path)
{
	CHECK(state(path)->latency.load > 2 * LW_IO);
	state(path)->capacity.dip.wait = state(path)->capacity.dip.pause + 1;
}

static void two_used_paths_take_turns(void)
{
	begin();
	state(0)->capacity.dip.left = 6;
	wants_dip(1);
	ios(0, 1);
	CHECK(!state(1)->capacity.dip.left);
	state(0)->capacity.dip.left = 0;
	ios(0, 1);
	CHECK(state(1)->capacity.dip.left);
	dm_group_destroy(group);
}

static void path_that_failed_in_its_dip_blocks_nobody(void)
{
	begin();
	state(0)->capacity.dip.left = 6;
	dm_group_fail(group, 0);
	wants_dip(1);
	ios(1, 1);
	CHECK(state(0)->capacity.dip.left && state(1)->capacity.dip.left);
	dm_group_destroy(group);
}

static void path_that_failed_gets_no_dip(void)
{
	begin();
	dm_group_fail(group, 1);
	wants_dip(0);
	wants_dip(1);
	ios(0, 0);
	CHECK(state(0)->capacity.dip.left && !state(1)->capacity.dip.left);
	dm_group_destroy(group);
}

/* It has no completions, so that its dip does not end. */
static void path_that_is_not_used_blocks_nobody(void)
{
	unsigned int i;

	begin();
	state(0)->capacity.dip.left = 6;
	for (i = 0; i < 60; i++) {
		ios(1, 1);
		state(1)->capacity.dip = (struct lw_dip){ .pause = LW_DIP_FIRST };
	}
	wants_dip(1);
	ios(1, 1);
	CHECK(state(0)->capacity.dip.left && state(1)->capacity.dip.left);
	dm_group_destroy(group);
}

int main(void)
{
	two_used_paths_take_turns();
	path_that_failed_in_its_dip_blocks_nobody();
	path_that_failed_gets_no_dip();
	path_that_is_not_used_blocks_nobody();
	dm_unload_module();
	printf("dips: passed\n");
	return 0;
}
