// SPDX-License-Identifier: GPL-2.0
/*
 * A path whose queue gives out no request, as NVMe's during a reset. dm-mpath asks for a path again
 * and again, and starts nothing that would hang, fail or take long.
 */
/*
 * promise steering/frozen-queues: A path whose queue is frozen, or whose driver refuses each I/O,
 *   does not keep I/O of a request-based map waiting while another path of the group works
 */
#include "test_world.h"

#include "check.h"
#include "dm.h"
#include "selector.h"
#include "window.h"

#define BYTES	4096

static struct dm_group *group;

static struct lw_path_info *member(unsigned int i)
{
	struct lw_selector *sel = dm_group_selector(group)->context;

	return &sel->member[i];
}

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
static void begin(unsigned int argc, char **argv, bool by_bio)
{
	const unsigned int any[2] = { 0 };
	unsigned int i;

	group = dm_group_create_on(2, argc, argv, any, by_bio);
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

	begin(0, NULL, false);
	kernel_work = bytes ? NULL : &group;
	CHECK(asked_in_vain(bytes) == LW_UNSTARTED);
	/* The other CPU need not find out for itself, nor by a probe. */
	world_cpu = 1;
	CHECK(asked_in_vain(bytes) == 0);
	io(1, 10 * NSEC_PER_MSEC);
	member(0)->probe = BIT(LW_OP_DATA);
	CHECK(asked_in_vain(bytes) == 0);
	world_cpu = 0;
	/* Then it is tried again. */
	for (i = 0; i < 6; i++)
		io(1, 10 * NSEC_PER_MSEC);
	CHECK(dm_group_select(group, bytes) == 0);
	io(0, NSEC_PER_MSEC);
	CHECK(dm_group_select(group, bytes) == 0);
	kernel_work = NULL;
	dm_group_destroy(group);
}

/* The driver refuses each I/O at once, and path 0 is empty; path 1 has an I/O in flight, or not. */
static unsigned int refused_in_vain(void)
{
	unsigned int i;

	for (i = 0; i < 100; i++) {
		if (dm_group_select(group, BYTES) == 1)
			break;
		dm_group_start(group, 0, BYTES);
		world_now_ns += 1000;
		dm_group_end(group, 0, BYTES, 0);
	}
	return i;
}

static void path_that_refuses_is_left(bool other_busy)
{
	unsigned int i;

	begin(0, NULL, false);
	if (other_busy)
		dm_group_start(group, 1, BYTES);
	/* One refusal is no fault: another disk may have had the driver's last request. */
	dm_group_start(group, 0, BYTES);
	dm_group_end(group, 0, BYTES, 0);
	CHECK(dm_group_select(group, BYTES) == 0);
	CHECK(refused_in_vain() == LW_UNSTARTED - 1);
	world_cpu = 1;
	CHECK(refused_in_vain() == 0);
	world_cpu = 0;
	if (other_busy)
		dm_group_end(group, 1, BYTES, world_now_ns);
	for (i = 0; i < 6; i++)
		io(1, 10 * NSEC_PER_MSEC);
	CHECK(dm_group_select(group, BYTES) == 0);
	io(0, NSEC_PER_MSEC);
	CHECK(dm_group_select(group, BYTES) == 0);
	dm_group_destroy(group);
}

/* Also if no I/O comes. */
static void path_is_tried_again(void)
{
	unsigned int i;

	begin(0, NULL, false);
	CHECK(asked_in_vain(BYTES) == LW_UNSTARTED);
	for (i = 0; i < 6; i++)
		window();
	CHECK(dm_group_select(group, BYTES) == 0);
	dm_group_destroy(group);
}

/* The other path was failed and reinstated: it is not used before a probe, which a window wants. */
static void reinstated_path_is_probed(void)
{
	begin(0, NULL, false);
	window();
	dm_group_fail(group, 1);
	dm_group_reinstate(group, 1);
	asked_in_vain(BYTES);
	window();
	CHECK(asked_in_vain(BYTES) < LW_UNSTARTED);
	dm_group_destroy(group);
}

/* What tuning publishes hands out no probe that was taken since the window: the path may hang. */
static void probe_is_taken_once(void)
{
	begin(0, NULL, false);
	dm_group_fail(group, 1);
	dm_group_reinstate(group, 1);
	window();
	lw_publish(dm_group_selector(group)->context, false);
	CHECK(dm_group_select(group, BYTES) == 1);
	lw_publish(dm_group_selector(group)->context, false);
	CHECK(!member(1)->probe);
	io(0, NSEC_PER_MSEC);
	CHECK(member(1)->probe);
	dm_group_destroy(group);
}

/* dm starts bios wherever it is told to: if it did not, the group was being activated. */
static void bios_are_started(void)
{
	begin(0, NULL, true);
	CHECK(asked_in_vain(BYTES) == 100);
	dm_group_destroy(group);
}

/* I/Os that are in flight free a request when they end, if they are not lost. */
static void path_with_ios_is_waited_for(void)
{
	begin(0, NULL, false);
	dm_group_start(group, 0, BYTES);
	CHECK(asked_in_vain(BYTES) == 100);
	member(0)->cost.hung_ios = 1;
	CHECK(asked_in_vain(BYTES) <= LW_UNSTARTED);
	dm_group_end(group, 0, BYTES, world_now_ns);
	dm_group_destroy(group);
}

/* One that is chosen without an I/O, as for ioctls, is not taken for frozen. */
static void path_that_works_stays(void)
{
	begin(0, NULL, false);
	CHECK(asked_in_vain(0) == 100);
	CHECK(dm_group_select(group, BYTES) == 0);
	dm_group_destroy(group);
}

/* If all are frozen, each is tried. */
static void all_are_tried(void)
{
	unsigned int i, first = 0;

	begin(0, NULL, false);
	for (i = 0; i < 100; i++)
		first += dm_group_select(group, BYTES) == 0;
	CHECK(first > 20 && first < 80);
	dm_group_destroy(group);
}

static void observed_map_is_kept_going(void)
{
	char *argv[] = { "choose", "queue-length" };

	begin(2, argv, false);
	dm_group_start(group, 1, BYTES);
	CHECK(asked_in_vain(BYTES) == LW_UNSTARTED);
	dm_group_end(group, 1, BYTES, world_now_ns);
	dm_group_destroy(group);
}

int main(void)
{
	other_path_is_used(BYTES);
	other_path_is_used(0);
	path_that_refuses_is_left(false);
	path_that_refuses_is_left(true);
	path_is_tried_again();
	reinstated_path_is_probed();
	probe_is_taken_once();
	bios_are_started();
	path_with_ios_is_waited_for();
	path_that_works_stays();
	all_are_tried();
	observed_map_is_kept_going();
	dm_unload_module();
	printf("frozen: passed\n");
	return 0;
}
