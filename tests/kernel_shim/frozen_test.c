// SPDX-License-Identifier: GPL-2.0
/*
 * A path whose queue gives out no request, as NVMe's during a reset. dm-mpath asks for a path again
 * and again, and starts nothing that would hang, fail or take long.
 */
/*
 * promise steering/frozen-queues: A path whose queue is frozen does not keep I/O waiting while
 *   another path works
 */
#include "test_world.h"

#include "check.h"
#include "dm.h"
#include "selector.h"

#define BYTES	4096

static struct dm_group *group;

static void io(int path, u64 took_ns)
{
	u64 start_ns = world_now_ns;

	dm_group_start(group, path, BYTES);
	world_now_ns += took_ns;
	world_in_task = false;
	dm_group_end(group, path, BYTES, start_ns);
	world_in_task = true;
	window();
}

/* Path 0 is much nearer. */
static void begin(unsigned int argc, char **argv)
{
	unsigned int i;

	group = dm_group_create(2, argc, argv);
	CHECK(group);
	for (i = 0; i < 20; i++) {
		io(0, NSEC_PER_MSEC);
		io(1, 10 * NSEC_PER_MSEC);
	}
}

/* How often path 0 is chosen until path 1 is; 100 if that never happens. */
static unsigned int asked_in_vain(size_t bytes)
{
	unsigned int i;

	for (i = 0; i < 100; i++)
		if (dm_group_select(group, bytes) == 1)
			break;
	return i;
}

static void other_path_is_used(size_t bytes)
{
	unsigned int i;

	begin(0, NULL);
	kernel_work = bytes ? NULL : &group;
	CHECK(asked_in_vain(bytes) == LW_UNSTARTED);
	/* Each CPU need not find out for itself. */
	io(1, 10 * NSEC_PER_MSEC);
	CHECK(asked_in_vain(bytes) == 0);
	/* Then it is tried again. */
	for (i = 0; i < 6; i++)
		io(1, 10 * NSEC_PER_MSEC);
	CHECK(dm_group_select(group, bytes) == 0);
	io(0, NSEC_PER_MSEC);
	CHECK(dm_group_select(group, bytes) == 0);
	kernel_work = NULL;
	dm_group_destroy(group);
}

/* I/Os that are in flight free a request when they end. */
static void path_with_ios_is_waited_for(void)
{
	begin(0, NULL);
	dm_group_start(group, 0, BYTES);
	CHECK(asked_in_vain(BYTES) == 100);
	dm_group_end(group, 0, BYTES, world_now_ns);
	dm_group_destroy(group);
}

/* One that is chosen without an I/O, as for ioctls, is not taken for frozen. */
static void path_that_works_stays(void)
{
	begin(0, NULL);
	CHECK(asked_in_vain(0) == 100);
	CHECK(dm_group_select(group, BYTES) == 0);
	dm_group_destroy(group);
}

/* If all are frozen, each is tried. */
static void all_are_tried(void)
{
	unsigned int i, first = 0;

	begin(0, NULL);
	for (i = 0; i < 100; i++)
		first += dm_group_select(group, BYTES) == 0;
	CHECK(first > 20 && first < 80);
	dm_group_destroy(group);
}

static void observed_map_is_kept_going(void)
{
	char *argv[] = { "choose", "queue-length" };

	begin(2, argv);
	dm_group_start(group, 1, BYTES);
	CHECK(asked_in_vain(BYTES) == LW_UNSTARTED);
	dm_group_end(group, 1, BYTES, world_now_ns);
	dm_group_destroy(group);
}

int main(void)
{
	other_path_is_used(BYTES);
	other_path_is_used(0);
	path_with_ios_is_waited_for();
	path_that_works_stays();
	all_are_tried();
	observed_map_is_kept_going();
	dm_unload_module();
	printf("frozen: passed\n");
	return 0;
}
