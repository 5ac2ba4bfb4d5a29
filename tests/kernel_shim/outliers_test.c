// SPDX-License-Identifier: GPL-2.0
/* Outliers as lw_end_io() counts them: what is one, and what a window makes of rare ones. */
/* promise service/outliers */
#include "test_world.h"

#include "check.h"
#include "dm.h"
#include "selector.h"
#include "window.h"

#define BYTES	4096

static struct dm_group *group;

static struct lw_path_info *member(void)
{
	struct lw_selector *sel = dm_group_selector(group)->context;

	return &sel->member[0];
}

static struct lw_path_state *state(void)
{
	return &member()->path->state;
}

static void end(u64 start_ns)
{
	world_in_task = false;
	dm_group_end(group, 0, BYTES, start_ns);
	world_in_task = true;
}

/* A window with eight I/Os of a millisecond. */
static void ios(void)
{
	u64 start_ns = world_now_ns;
	unsigned int i;

	for (i = 0; i < 8; i++)
		dm_group_start(group, 0, BYTES);
	world_now_ns += NSEC_PER_MSEC;
	for (i = 0; i < 8; i++)
		end(start_ns);
	window();
}

/* I/Os that take ten windows longer, one in each of @windows windows. */
static void lossy(unsigned int windows)
{
	u64 lost[10];
	unsigned int i;

	for (i = 0; i < windows; i++) {
		if (i >= 10)
			end(lost[i % 10]);
		lost[i % 10] = world_now_ns;
		dm_group_start(group, 0, BYTES);
		ios();
	}
	for (; i < windows + 10; i++) {
		end(lost[i % 10]);
		ios();
	}
}

static bool about(u64 value, u64 wanted)
{
	return 8 * value >= 7 * wanted && 7 * value <= 8 * wanted;
}

static void begin(void)
{
	unsigned int i;

	group = dm_group_create(2, 0, NULL);
	CHECK(group);
	for (i = 0; i < 10; i++)
		ios();
	CHECK(about(state()->capacity.base_ns, NSEC_PER_MSEC));
}

/* One of nine takes 220 ms: by Little's law the path would queue, and each I/O take 25 ms. */
static void losses_are_no_latency(void)
{
	begin();
	lossy(200);
	CHECK(about(state()->latency.lat_ns, NSEC_PER_MSEC));
	CHECK(about(state()->capacity.base_ns, NSEC_PER_MSEC));
	CHECK(!state()->capacity.queues);
	CHECK(about(lw_outliers_ns(&state()->capacity.outliers), 24 * NSEC_PER_MSEC));
	dm_group_destroy(group);
}

/* Half a minute is more than a stamp has. */
static void hung_io_takes_off_no_more_than_it_has(void)
{
	u64 start_ns;
	unsigned int i;

	begin();
	lossy(200);
	start_ns = world_now_ns;
	dm_group_start(group, 0, BYTES);
	for (i = 0; i < 1500; i++)
		ios();
	lossy(200);
	end(start_ns);
	ios();
	CHECK(about(state()->latency.lat_ns, NSEC_PER_MSEC));
	CHECK(about(state()->capacity.base_ns, NSEC_PER_MSEC));
	dm_group_destroy(group);
}

/* A path that never lost one may have become slow. */
static void first_late_io_is_latency(void)
{
	u64 start_ns;
	unsigned int i;

	begin();
	start_ns = world_now_ns;
	dm_group_start(group, 0, BYTES);
	for (i = 0; i < 10; i++)
		ios();
	end(start_ns);
	ios();
	CHECK(state()->latency.lat_ns > 2 * NSEC_PER_MSEC);
	dm_group_destroy(group);
}

/* The window comes late, too; before it an I/O ends that began at @start_ns. */
static void machine_stands_still(u64 start_ns)
{
	world_now_ns += 5 * NSEC_PER_SEC;
	end(start_ns);
	window();
	CHECK(state()->w.stood_still);
}

/* Neither the path nor its link took the time, whether the I/Os end after one halt or two. */
static void halts_are_no_outliers(void)
{
	u64 start_ns;
	unsigned int i, k;

	for (i = 0; i < 2; i++) {
		begin();
		start_ns = world_now_ns;
		for (k = 0; k < 4; k++)
			dm_group_start(group, 0, BYTES);
		machine_stands_still(start_ns);
		end(start_ns);
		window();
		if (i)
			machine_stands_still(start_ns);
		else
			end(start_ns);
		end(start_ns);
		window();
		ios();
		CHECK(!state()->capacity.outliers.excess_ns);
		CHECK(atomic64_read(&member()->path->ended.event[LW_EVENT_OUTLIER]) == 4);
		dm_group_destroy(group);
	}
}

/* From node 1 each I/O takes many times as long, one of 41: these are outliers, but not there. */
static void far_node_knows_its_latency(void)
{
	u64 start_ns, took_ns = 0;
	unsigned int i, k;

	begin();
	for (i = 0; i < 200; i++) {
		start_ns = world_now_ns;
		world_cpu = 1;
		dm_group_start(group, 0, BYTES);
		world_cpu = 0;
		for (k = 0; k < 5; k++)
			ios();
		world_cpu = 1;
		took_ns = world_now_ns - start_ns;
		end(start_ns);
		world_cpu = 0;
	}
	ios();
	CHECK(about(state()->latency.lat_ns, NSEC_PER_MSEC));
	CHECK(about(member()->path->nodes.of[0].lat_ns, NSEC_PER_MSEC));
	CHECK(about(member()->path->nodes.of[1].lat_ns, took_ns));
	dm_group_destroy(group);
}

/* One node alone has the path's base, however it changes. */
static void lone_node_is_the_mean(void)
{
	const struct lw_nodes *nodes;
	u64 start_ns;
	unsigned int i;

	begin();
	nodes = &member()->path->nodes;
	for (i = 0; i < 100; i++) {
		CHECK(about(nodes->lat_ns, nodes->of[0].lat_ns));
		start_ns = world_now_ns;
		dm_group_start(group, 0, BYTES);
		world_now_ns += 10 * NSEC_PER_MSEC;
		end(start_ns);
		window();
	}
	CHECK(about(nodes->lat_ns, 10 * NSEC_PER_MSEC));
	dm_group_destroy(group);
}

static void outlier_takes_many_times_the_usual(void)
{
	struct lw_selector *sel;
	struct lw_path_state *s;

	begin();
	sel = dm_group_selector(group)->context;
	s = state();
	CHECK(member()->outlier_base == lw_ticks(s->capacity.base_ns));
	s->kinds.write.longer_ns = 10 * NSEC_PER_MSEC;
	lw_publish(sel, true);
	CHECK(about(member()->outlier_base, lw_ticks(11 * NSEC_PER_MSEC)));
	s->capacity.queues = true;
	s->latency.lat_ns = 5 * NSEC_PER_MSEC;
	lw_publish(sel, true);
	CHECK(about(member()->outlier_base, lw_ticks(11 * NSEC_PER_MSEC)));
	s->latency.lat_ns = 20 * NSEC_PER_MSEC;
	lw_publish(sel, true);
	CHECK(member()->outlier_base == lw_ticks(s->latency.lat_ns));
	s->kinds.size.sums.spread = 1000 * s->kinds.size.sums.weight + 1;
	lw_publish(sel, true);
	CHECK(member()->outlier_base == U32_MAX);
	dm_group_destroy(group);
}

int main(void)
{
	losses_are_no_latency();
	hung_io_takes_off_no_more_than_it_has();
	first_late_io_is_latency();
	halts_are_no_outliers();
	world_nodes = 2;
	far_node_knows_its_latency();
	lone_node_is_the_mean();
	world_nodes = 1;
	outlier_takes_many_times_the_usual();
	dm_unload_module();
	printf("outliers: passed\n");
	return 0;
}
