// SPDX-License-Identifier: GPL-2.0
/* Are writes told apart, as far as the program says which they are, and while somebody asks? */
/* promise output/operations-apart */
#include "test_world.h"

#include "check.h"
#include "dm.h"
#include "operation.h"
#include "shim_operation.h"
#include "window.h"

#define BYTES	8192	/* two blocks */

static struct lw_selector *selector(struct dm_group *group)
{
	return dm_group_selector(group)->context;
}

static struct dm_group *group_by_operation(unsigned int paths)
{
	char name[] = "by_operation", on[] = "1", *words[] = { name, on };
	struct dm_group *group = dm_group_create(paths, 2, words);

	CHECK(group);
	return group;
}

static u64 unknown(struct lw_device *path)
{
	u64 count;

	mutex_lock(&path->lock);
	count = lw_event_count(path, LW_EVENT_UNKNOWN_OP);
	mutex_unlock(&path->lock);
	return count;
}

/* An I/O of 1 ms; it ends on another CPU, by an interrupt. */
static void io(struct dm_group *group, enum lw_op op)
{
	u64 start_ns = world_now_ns;
	int path;

	lw_shim_op = op;
	path = dm_group_select(group, BYTES);
	CHECK(lw_current_op(selector(group), BYTES) == op);
	CHECK(lw_current_op(selector(group), 0) == LW_OP_OTHER);
	dm_group_start(group, path, BYTES);
	world_now_ns += NSEC_PER_MSEC;
	world_cpu = !world_cpu;
	world_in_task = false;
	dm_group_end(group, path, BYTES, start_ns);
	world_in_task = true;
}

/* A group that had a window with these. */
static struct dm_group *group_after(const enum lw_op *ops, unsigned int n)
{
	struct dm_group *group = group_by_operation(1);
	unsigned int i;

	for (i = 0; i < n; i++)
		io(group, ops[i]);
	window();
	return group;
}

/* Three reads, two writes, and an I/O that nobody knows. */
static void writes_are_told_apart(void)
{
	static const enum lw_op ops[] = {
		LW_OP_WRITE, LW_OP_READ, LW_OP_READ, LW_OP_DATA, LW_OP_WRITE, LW_OP_READ
	};
	struct dm_group *group = group_after(ops, ARRAY_SIZE(ops));
	struct lw_device *path = selector(group)->member[0].path;
	const struct lw_path_state *s = &path->state;

	CHECK(s->w.writes_known);
	CHECK(s->w.writes.count == 2 && s->w.writes.blocks == 4 && s->w.stamped_data.count == 6);
	CHECK(s->w.writes.took_ns > 1990000 && s->w.writes.took_ns < 2010000);
	CHECK(unknown(path) == 1);
	io(group, LW_OP_READ);
	window();
	CHECK(s->w.writes_known && !s->w.writes.count && !s->w.writes.blocks && !s->w.writes.took_ns);
	dm_group_destroy(group);
}

/* A discard, as long as data: neither a write nor a read, and its latency counts for neither. */
static void discards_are_others(void)
{
	static const enum lw_op ops[] = { LW_OP_READ, LW_OP_OTHER, LW_OP_WRITE, LW_OP_OTHER };
	struct dm_group *group = group_after(ops, ARRAY_SIZE(ops));
	struct lw_device *path = selector(group)->member[0].path;
	const struct lw_path_state *s = &path->state;

	CHECK(s->w.writes.count == 1 && s->w.others.count == 2 && s->w.others.blocks == 4);
	CHECK(s->w.stamped_data.count == 2 && s->w.stamped_data.sum_ns < 2010000);
	CHECK(s->kinds.op[LW_OP_READ].done == 1 && s->kinds.op[LW_OP_WRITE].done == 1);
	CHECK(s->kinds.op[LW_OP_OTHER].done == 2 && !unknown(path));
	io(group, LW_OP_OTHER);
	window();
	CHECK(s->kinds.op[LW_OP_READ].done == 1 && s->kinds.op[LW_OP_OTHER].done == 3);
	dm_group_destroy(group);
}

static void long_io(struct dm_group *group)
{
	u64 start_ns = world_now_ns;

	dm_group_start(group, 0, 4 << 20);
	world_now_ns += NSEC_PER_MSEC;
	dm_group_end(group, 0, 4 << 20, start_ns);
}

/*
 * No request of data is longer than the path's queue takes. A lower limit waits until nothing is in
 * flight, as an I/O has to end as what it started; bios may be longer.
 */
static void what_is_longer_than_a_request_is_no_data(bool by_bio)
{
	struct dm_group *group = dm_group_create_on(1, 0, NULL, NULL, by_bio);
	struct lw_path_info *m = &selector(group)->member[0];
	const struct lw_counters *counters = m->path->sums.counters;
	struct request_queue *q = bdev_get_queue(m->dm_path->dev->bdev);
	u64 start_ns = world_now_ns;

	dm_group_start(group, 0, 4 << 20);
	window();
	q->max_sectors = 2 << 11;
	window();
	world_now_ns += NSEC_PER_MSEC;
	dm_group_end(group, 0, 4 << 20, start_ns);
	window();
	CHECK(counters[LW_CLASS_MORE].ends == 1 && !counters[LW_CLASS_HUGE].ends);
	long_io(group);
	window();
	CHECK(counters[LW_CLASS_HUGE].ends == !by_bio);
	CHECK(counters[LW_CLASS_MORE].ends == 1 + by_bio);
	q->max_sectors = 8 << 11;
	long_io(group);
	window();
	long_io(group);
	window();
	CHECK(counters[LW_CLASS_MORE].ends >= 2 + by_bio && !m->path->state.w.inflight);
	dm_group_destroy(group);
}

/* A table that is loaded meanwhile does not know yet whether its map has requests. */
static void what_is_longer_stays_so_at_a_reload(void)
{
	struct dm_group *group = dm_group_create(1, 0, NULL), *next;
	struct lw_path_info *m = &selector(group)->member[0];
	const struct lw_counters *counters = m->path->sums.counters;
	u64 start_ns = world_now_ns;

	bdev_get_queue(m->dm_path->dev->bdev)->max_sectors = 2 << 11;
	long_io(group);
	window();
	dm_group_start(group, 0, 4 << 20);
	next = dm_group_create_beside(group, 1);
	world_now_ns += NSEC_PER_MSEC;
	dm_group_end(group, 0, 4 << 20, start_ns);
	window();
	CHECK(counters[LW_CLASS_HUGE].starts == 1 && counters[LW_CLASS_HUGE].ends == 1);
	CHECK(counters[LW_CLASS_MORE].starts == 1 && counters[LW_CLASS_MORE].ends == 1);
	dm_group_destroy(next);
	dm_group_destroy(group);
}

/* The first I/O is that, also if a plug started others at the same time. */
static void first_of_a_plug_is_kept(void)
{
	static const enum lw_op ops[] = { LW_OP_READ, LW_OP_WRITE };
	struct dm_group *group = group_by_operation(1);
	struct lw_device *path = selector(group)->member[0].path;
	u64 start_ns = world_now_ns;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		dm_group_start(group, dm_group_select(group, BYTES), BYTES);
	world_in_task = false;
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		world_now_ns += NSEC_PER_MSEC;
		lw_shim_op = ops[i];
		dm_group_end(group, 0, BYTES, start_ns);
	}
	world_in_task = true;
	CHECK(path->first_ticks == lw_ticks(NSEC_PER_MSEC));
	dm_group_destroy(group);
}

/* Of two tables with one device, only one asks; a select of the other knows nothing. */
static void one_table_asks(void)
{
	struct dm_group *asks = group_by_operation(1), *other = dm_group_create_beside(asks, 1);
	struct lw_device *path = selector(other)->member[0].path;

	CHECK(path == selector(asks)->member[0].path && path->measuring.by_operation == 1);
	lw_shim_op = LW_OP_WRITE;
	CHECK(lw_current_op(selector(asks), BYTES) == LW_OP_WRITE);
	CHECK(lw_current_op(selector(other), BYTES) == LW_OP_DATA);
	dm_group_destroy(other);
	CHECK(path->measuring.by_operation == 1 && path->op.cells && path->sums.was_op);
	dm_group_destroy(asks);
}

static void takes(struct lw_path_info *m, u64 read_us, u64 write_us)
{
	struct lw_path_state *s = &m->path->state;

	CHECK(m->use == LW_USE);
	s->capacity.base_ns = read_us * NSEC_PER_USEC;
	s->kinds.writes_q16 = 0;
	s->kinds.write.longer_ns = (write_us - read_us) * NSEC_PER_USEC;
}

/* Writes take twice as long on both paths, and only the reads are similar enough to be equal. */
static void equal_multiples_stay_together(void)
{
	struct dm_group *group = group_by_operation(2);
	struct lw_selector *sel = selector(group);
	unsigned int i;

	for (i = 0; i < 8; i++)
		io(group, i % 4 < 2 ? LW_OP_READ : LW_OP_WRITE);
	window();
	takes(&sel->member[0], 100, 200);
	takes(&sel->member[1], 111, 228);
	lw_publish(sel, true);
	CHECK(!(sel->ops & BIT(LW_OP_WRITE)));
	takes(&sel->member[1], 111, 333);
	lw_publish(sel, true);
	CHECK(sel->ops & BIT(LW_OP_WRITE));
	dm_group_destroy(group);
}

/* On all CPUs, of one operation: I/Os of 1 ms, and all. */
static void check_op_histogram(struct lw_device *path, enum lw_op op, u64 ios)
{
	unsigned int of_ms = lw_bucket(world_now_ns - NSEC_PER_MSEC, world_now_ns), cpu, b;
	u64 in_bucket = 0, all = 0;

	for_each_possible_cpu(cpu) {
		const u64 *bucket = per_cpu_ptr(path->op.histogram.row, cpu)[op - LW_OP_READ].bucket;

		in_bucket += bucket[of_ms];
		for (b = 0; b < LW_HISTOGRAM_SIZE; b++)
			all += bucket[b];
	}
	CHECK(in_bucket == ios && all == ios);
}

static struct dm_group *group_with(char *option)
{
	char on[] = "1", *words[] = { option, on };
	struct dm_group *group = dm_group_create(1, 2, words);

	CHECK(group);
	return group;
}

/* Operations and histograms; NULL if memory lacks. */
static struct dm_group *group_with_both(unsigned int paths)
{
	char operations[] = "by_operation", histogram[] = "histogram", on[] = "1";
	char *words[] = { operations, on, histogram, on };

	return dm_group_create(paths, ARRAY_SIZE(words), words);
}

/* Latencies are counted by operation only for who asks for operations and histograms. */
static void latencies_by_operation(void)
{
	static const enum lw_op ops[] = {
		LW_OP_WRITE, LW_OP_READ, LW_OP_READ, LW_OP_DATA, LW_OP_OTHER, LW_OP_READ
	};
	char operations[] = "by_operation", histogram[] = "histogram";
	struct dm_group *group = group_with(operations);
	struct lw_device *path = selector(group)->member[0].path;
	unsigned int i;

	CHECK(path->op.cells && !path->histogram.row && !path->op.histogram.row);
	io(group, LW_OP_READ);
	dm_group_destroy(group);

	group = group_with(histogram);
	path = selector(group)->member[0].path;
	CHECK(!path->op.cells && path->histogram.row && !path->op.histogram.row);
	dm_group_destroy(group);

	group = group_with_both(1);
	CHECK(group);
	path = selector(group)->member[0].path;
	CHECK(path->op.histogram.row && path->op.histogram.nr == 1);
	for (i = 0; i < ARRAY_SIZE(ops); i++)
		io(group, ops[i]);
	check_op_histogram(path, LW_OP_READ, 3);
	check_op_histogram(path, LW_OP_WRITE, 1);
	dm_group_destroy(group);
}

/* Without memory for one measurement, all paths have the other. */
static void one_measurement_lacks_memory(void)
{
	unsigned int nth, lacks = 0;

	for (nth = 1; ; nth++) {
		unsigned int i, cells = 0, rows = 0, op_rows = 0;
		struct dm_group *group;

		kernel_no_memory_at = nth;
		group = group_with_both(3);
		if (!group)
			continue;
		for (i = 0; i < 3; i++) {
			const struct lw_device *path = selector(group)->member[i].path;

			cells += !!path->op.cells;
			rows += !!path->histogram.row;
			op_rows += !!path->op.histogram.row;
		}
		CHECK(cells == 3 || rows == 3);
		lacks += cells + rows + op_rows < 9;
		dm_group_destroy(group);
		if (kernel_no_memory_at)
			break;
	}
	kernel_no_memory_at = 0;
	/* Cells, their copy, both kinds of histograms; a path added later would bring them. */
	CHECK(lacks == 4);
}

/* By default nothing is allocated, counted or called. */
static void nobody_asks(void)
{
	struct dm_group *group = dm_group_create(1, 0, NULL);
	struct lw_device *path;

	CHECK(group);
	path = selector(group)->member[0].path;
	CHECK(!static_branch_unlikely(&lw_by_operation));
	CHECK(!path->op.cells && !path->sums.was_op);
	lw_shim_op = LW_OP_DATA;
	io(group, LW_OP_DATA);
	window();
	CHECK(!path->state.w.writes_known && !unknown(path));
	dm_group_destroy(group);
}

int main(void)
{
	writes_are_told_apart();
	discards_are_others();
	what_is_longer_than_a_request_is_no_data(false);
	what_is_longer_than_a_request_is_no_data(true);
	what_is_longer_stays_so_at_a_reload();
	first_of_a_plug_is_kept();
	one_table_asks();
	equal_multiples_stay_together();
	latencies_by_operation();
	one_measurement_lacks_memory();
	nobody_asks();
	dm_unload_module();
	printf("operations: passed\n");
	return 0;
}
