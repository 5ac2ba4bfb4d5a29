// SPDX-License-Identifier: GPL-2.0
/*
 * What does an I/O write that CPUs share? The line of its path's work in flight, and
 * nothing else. Per-CPU data lies elsewhere; what is compared here is all the rest:
 * the selector, its members, what the window published for them, and the paths. And what
 * is written of the paths, which tables share, when a table is loaded or tuned? Nothing.
 */
/* promise steering/shared-line: An I/O writes one shared cache line | full: `host`, `builds` */
#include "test_world.h"

#include "check.h"
#include "dm.h"
#include "shim_operation.h"
#include "window.h"

#define PATHS	2
#define LINE	64
#define WINDOWS	200

static struct dm_group *group;
static struct lw_selector *sel;

/**
 * struct area - memory that CPUs share, and what was in it
 * @at: where
 * @size: how much
 * @own: where the line is that may be written, @size for none
 * @was: its copy
 */
struct area {
	const char *at;
	size_t size;
	size_t own;
	char was[4096];
};

static struct area area[3 + PATHS];
static unsigned int areas;

static void watch(const void *at, size_t size, size_t own)
{
	CHECK(areas < ARRAY_SIZE(area) && size <= sizeof(area[0].was));
	area[areas++] = (struct area){ .at = at, .size = size, .own = own };
}

static void watch_all(void)
{
	size_t row = PATHS * sizeof(u32);
	unsigned int i;

	watch(sel, sizeof(*sel), sizeof(*sel));
	watch(sel->member, PATHS * sizeof(*sel->member), PATHS * sizeof(*sel->member));
	watch(sel->ticks, world_nodes * LW_OPS * row, world_nodes * LW_OPS * row);
	for (i = 0; i < PATHS; i++)
		watch(sel->member[i].path, sizeof(struct lw_device),
		      offsetof(struct lw_device, line));
}

static void remember(void)
{
	unsigned int i;

	for (i = 0; i < areas; i++)
		memcpy(area[i].was, area[i].at, area[i].size);
}

/* Bytes that are not what they were, outside of the lines that may be written; or within. */
static unsigned int written(bool own)
{
	unsigned int i, bytes = 0;
	size_t b;

	for (i = 0; i < areas; i++)
		for (b = 0; b < area[i].size; b++)
			if ((b / LINE == area[i].own / LINE) == own)
				bytes += area[i].at[b] != area[i].was[b];
	return bytes;
}

/* Four I/Os of 4k at a time, which take 1 ms, on all CPUs; completed by interrupts. */
static void four_ios(void (*then)(void))
{
	u64 start_ns[4];
	int path[4], i;

	for (i = 0; i < 4; i++) {
		world_cpu = i;
		start_ns[i] = world_now_ns += 1000;
		path[i] = dm_group_select(group, 4096);
		then();
		dm_group_start(group, path[i], 4096);
		then();
	}
	world_now_ns += NSEC_PER_MSEC;
	world_in_task = false;
	for (i = 0; i < 4; i++) {
		world_cpu = i;
		dm_group_end(group, path[i], 4096, start_ns[i]);
		then();
	}
	world_in_task = true;
}

static void nothing(void)
{
}

static void only_lines_of_work_are_written(void)
{
	CHECK(!written(false));
}

/* Until the paths are known, and every CPU has done what it does only once. */
static void warm_up(void)
{
	unsigned int i;

	for (i = 0; i < WINDOWS; i++) {
		do
			four_ios(nothing);
		while (world_now_ns < timer_ns);
		window();
	}
	for (i = 0; i < PATHS; i++)
		CHECK(sel->member[i].use == LW_USE);
	four_ios(nothing);
}

/* That the test would see a write: some I/O later the window writes what it learned. */
static void window_writes_elsewhere(void)
{
	window();
	CHECK(written(false));
}

/* As if each path had had a queue for long enough, and another latency: one is to have its load varied. */
static void wait_for_a_dip(void)
{
	unsigned int i;

	for (i = 0; i < PATHS; i++) {
		struct lw_path_state *s = &sel->member[i].path->state;

		s->capacity.queues = true;
		s->capacity.dip.wait = s->capacity.dip.pause + 1;
		s->latency.lat_ns = (i + 1) * NSEC_PER_MSEC;
	}
}

/*
 * promise lifecycle/publishing: A table that is loaded or tuned changes no estimate of its paths,
 *   which other tables share
 */
/* Who loads or tunes a table publishes, but ends no window. All but how many members there are. */
static void publishing_writes_no_path(void)
{
	unsigned int i, paths;

	wait_for_a_dip();
	areas = 0;
	for (i = 0; i < PATHS; i++)
		watch(sel->member[i].path, offsetof(struct lw_device, measuring), sizeof(struct lw_device));
	remember();
	lw_publish(sel, true);
	CHECK(!written(false));
	for (paths = 1; paths <= PATHS; paths++) {
		struct dm_group *loaded = dm_group_create_beside(group, paths);

		CHECK(loaded && !written(false));
		dm_group_destroy(loaded);
		CHECK(!written(false));
	}
}

static void an_io_writes_one_line(unsigned int argc, char **argv)
{
	unsigned int i;

	areas = 0;
	group = dm_group_create(PATHS, argc, argv);
	CHECK(group);
	sel = dm_group_selector(group)->context;
	CHECK(sel->nr == PATHS);
	warm_up();
	watch_all();
	remember();
	dm_group_start(group, 0, 4096);
	CHECK(written(true) && !written(false));
	world_now_ns += NSEC_PER_MSEC;	/* no driver was too busy: that is counted */
	dm_group_end(group, 0, 4096, 0);
	for (i = 0; i < 1000; i++)
		four_ios(only_lines_of_work_are_written);
	window_writes_elsewhere();
	publishing_writes_no_path();
	dm_group_destroy(group);
}

int main(void)
{
	char name[] = "by_operation", on[] = "1", *by_operation[] = { name, on };

	world_cpus = 4;
	world_nodes = 2;
	an_io_writes_one_line(0, NULL);
	lw_shim_op = LW_OP_WRITE;
	an_io_writes_one_line(2, by_operation);
	dm_unload_module();
	printf("what an I/O writes: passed\n");
	return 0;
}
