// SPDX-License-Identifier: GPL-2.0
/* model/operation.h, model/bracket.h: what reads, writes and flushes of a path differ in. */
#include "bench.h"

static struct bench by_operation(void)
{
	struct bench b = bench(true);

	b.by_op = true;
	return b;
}

struct kind {
	enum lw_op op;
	size_t bytes;
	u64 lat;
};

/* @n windows with one I/O of each of these kinds after the other, @ios in all. */
static void mix(struct bench *b, int n, int ios, const struct kind *kinds, int nr)
{
	while (n--) {
		u64 t = b->now;

		for (int i = 0; i < ios; i++) {
			const struct kind *k = &kinds[i % nr];

			start_sized(b, k->bytes, t);
			end_op(b, k->op, k->bytes, t, t + k->lat);
			t += k->lat;
		}
		assert_true(t <= b->now + WINDOW);
		close_window(b);
	}
}

static u64 base_of(const struct bench *b, enum lw_op op)
{
	return lw_op_base(&b->s.kinds, op, b->s.capacity.base_ns);
}

#define assert_near(value, wanted)	assert_in_range(value, (wanted) - (wanted) / 20,	\
						(wanted) + (wanted) / 20)

static const struct kind near_reads[] = {
	{ LW_OP_READ, 4096, MS / 5 }, { LW_OP_WRITE, 4096, 4 * MS },
};

static const struct kind only_reads[] = { { LW_OP_READ, 4096, MS / 5 } };
static const struct kind only_writes[] = { { LW_OP_WRITE, 4096, 4 * MS } };

static void each_operation_has_its_base(void **state)
{
	struct bench b = by_operation();

	mix(&b, 50, 8, near_reads, 2);
	assert_near(base_of(&b, LW_OP_READ), MS / 5);
	assert_near(base_of(&b, LW_OP_WRITE), 4 * MS);
	assert_false(b.s.capacity.queues);
}

/* What the path has most of is what latency and base are of, and the other one is kept. */
static void base_follows_the_usual_operation(void **state)
{
	struct bench b = by_operation();

	mix(&b, 50, 8, near_reads, 2);
	mix(&b, 200, 8, only_reads, 1);
	assert_near(b.s.capacity.base_ns, MS / 5);
	assert_near(base_of(&b, LW_OP_WRITE), 4 * MS);
	mix(&b, 200, 4, only_writes, 1);
	assert_near(b.s.capacity.base_ns, 4 * MS);
	/* a difference, so what the sum is rounded by */
	assert_in_range(base_of(&b, LW_OP_READ), 190000, 220000);
}

/* In files, only operations that were done have one. */
static void base_is_shown_of_what_was_done(void **state)
{
	struct bench b = by_operation();

	mix(&b, 50, 4, only_writes, 1);
	assert_near(lw_path_op_base(&b.s, LW_OP_WRITE), 4 * MS);
	assert_int_equal(lw_path_op_base(&b.s, LW_OP_READ), 0);
	assert_int_equal(lw_path_op_base(&b.s, LW_OP_OTHER), 0);
	assert_int_equal(b.s.kinds.op[LW_OP_WRITE].done, 200);
	mix(&b, 50, 8, near_reads, 2);
	assert_near(lw_path_op_base(&b.s, LW_OP_READ), MS / 5);
	assert_near(lw_path_op_base(&b.s, LW_OP_WRITE), 4 * MS);
	assert_int_equal(b.s.kinds.op[LW_OP_READ].done, 200);
	assert_int_equal(b.s.kinds.op[LW_OP_WRITE].done, 400);
}

/* A change of the mix is neither a queue nor a faster path. */
static void other_mix_is_no_queue(void **state)
{
	struct bench b = by_operation();
	u64 knee;

	mix(&b, 50, 8, near_reads, 2);
	knee = b.s.capacity.knee;
	for (int n = 0; n < 50; n++) {
		mix(&b, 1, 4, only_writes, 1);
		assert_false(b.s.capacity.queues);
		assert_near(base_of(&b, LW_OP_WRITE), 4 * MS);
	}
	assert_true(b.s.capacity.knee >= knee);
}

static void slow_reads_after_a_fast_write_are_no_queue(void **state)
{
	static const struct kind write_first[] = {
		{ LW_OP_WRITE, 4096, MS / 5 }, { LW_OP_READ, 4096, 4 * MS },
	};
	struct bench b = by_operation();

	for (int n = 0; n < 50; n++) {
		mix(&b, 1, 8, write_first, 2);
		assert_false(b.s.capacity.queues);
	}
	assert_near(base_of(&b, LW_OP_WRITE), MS / 5);
	assert_near(base_of(&b, LW_OP_READ), 4 * MS);
}

/* Longer writes are slower for their length, not since they are writes. */
static void length_is_no_operation(void **state)
{
	static const struct kind long_writes[] = {
		{ LW_OP_WRITE, 4096, MS }, { LW_OP_READ, 4096, MS },
		{ LW_OP_WRITE, 1 << 20, 3 * MS }, { LW_OP_WRITE, 1 << 20, 3 * MS },
	};
	struct bench b = by_operation();

	mix(&b, 100, 8, long_writes, 4);
	assert_in_range(abs(b.s.kinds.write.longer_ns), 0, MS / 5);
}

/* Where nobody tells operations apart, all are alike. */
static void nothing_is_learned_unless_asked(void **state)
{
	struct bench b = bench(true);

	mix(&b, 50, 8, near_reads, 2);
	assert_int_equal(b.s.kinds.write.longer_ns, 0);
	assert_int_equal(b.s.kinds.writes_q16, 0);
	assert_int_equal(base_of(&b, LW_OP_READ), b.s.capacity.base_ns);
	assert_int_equal(base_of(&b, LW_OP_WRITE), b.s.capacity.base_ns);
}

/* A window of few I/Os says less; what is old fades. */
static void difference_is_a_fading_mean(void **state)
{
	struct lw_op_latency o = { 0 };

	lw_op_learn(&o, MS, 64);
	assert_int_equal(o.longer_ns, MS);
	lw_op_learn(&o, -20 * (s64)MS, 1);
	assert_in_range(o.longer_ns, MS / 2, MS);
	for (int n = 0; n < 100; n++)
		lw_op_learn(&o, 2 * MS, 1);
	assert_near(o.longer_ns, 2 * MS);
}

static void extremes_do_not_overflow(void **state)
{
	static const s64 longer[] = { INT64_MIN, -1, 0, 1, INT64_MAX };
	struct lw_op_latency o = { 0 };

	for (int n = 0; n < 1000; n++) {
		lw_op_learn(&o, longer[n % 5], n % 3 ? U64_MAX : 0);
		assert_in_range(abs(o.longer_ns), 0, LW_OP_LONGEST);
	}
}

static void flushes_have_their_latency(void **state)
{
	static const struct kind slow_flushes[] = {
		{ LW_OP_READ, 4096, MS / 2 }, { LW_OP_OTHER, 0, 4 * MS },
	};
	struct bench b = bench(true);

	mix(&b, 50, 8, slow_flushes, 2);
	assert_near(base_of(&b, LW_OP_OTHER), 4 * MS);
	assert_near(base_of(&b, LW_OP_DATA), MS / 2);
	assert_int_equal(b.s.kinds.op[LW_OP_OTHER].done, 50 * 4);
}

/* Though what is usual, to which they are compared, becomes slower, and faster again. */
static void flushes_keep_their_latency_in_another_mix(void **state)
{
	static const struct kind all[] = {
		{ LW_OP_READ, 4096, MS / 2 }, { LW_OP_WRITE, 4096, 4 * MS }, { LW_OP_OTHER, 0, 2 * MS },
	};
	static const struct kind reads[] = { { LW_OP_READ, 4096, MS / 2 } };
	struct bench b = by_operation();

	mix(&b, 50, 8, reads, 1);
	mix(&b, 50, 6, all, 3);
	assert_near(base_of(&b, LW_OP_OTHER), 2 * MS);
	mix(&b, 50, 8, reads, 1);
	assert_near(base_of(&b, LW_OP_OTHER), 2 * MS);
	mix(&b, 50, 6, all, 3);
	assert_near(base_of(&b, LW_OP_OTHER), 2 * MS);
}

/* The queue in which data waited is gone when they come. */
static void flushes_after_a_queue_have_their_latency(void **state)
{
	static const struct kind flushes[] = { { LW_OP_OTHER, 0, 8 * MS } };
	struct bench b = bench(true);
	struct loop l = { 0 };

	closed_loop(&b, &l, 20, 1, MS, 4 * MS);
	closed_loop(&b, &l, 50, 32, MS, 4 * MS);
	assert_true(b.s.latency.lat_ns > 30 * MS);
	while (l.depth)
		closed_loop(&b, &l, 1, 0, MS, 4 * MS);
	for (int n = 0; n < 50; n++) {
		mix(&b, 1, 2, flushes, 1);
		assert_near(base_of(&b, LW_OP_OTHER), 8 * MS);
	}
}

/* An operation that a path never had is as fast as data, until a probe tells. */
static void unknown_flush_is_as_data(void **state)
{
	struct bench b = bench(true);

	traffic(&b, 20, 8, MS);
	assert_int_equal(base_of(&b, LW_OP_OTHER), b.s.capacity.base_ns);
}

static bool op_wanted(const struct bench *b, enum lw_op op, u64 missed)
{
	struct lw_probing p = { .min_ms = 100, .max_ms = 5000, .unused = 1, .inflight = 16,
				.recent_q8 = 1000 << 8, .least_ns = b->s.latency.lat_ns / 4 };

	return lw_op_probe_wanted(&b->s, op, &p, missed);
}

static void operation_that_others_have_is_probed(void **state)
{
	struct bench b = by_operation();

	assert_false(op_wanted(&b, LW_OP_WRITE, 1000));
	mix(&b, 20, 8, only_reads, 1);
	assert_false(op_wanted(&b, LW_OP_WRITE, 0));
	assert_true(op_wanted(&b, LW_OP_WRITE, 1000));
	mix(&b, 1, 2, near_reads, 2);
	assert_false(op_wanted(&b, LW_OP_WRITE, 1000));
	b.s.counted.active_ns += SEC;
	assert_true(op_wanted(&b, LW_OP_WRITE, 1000));
	/* A rare one is not spent on probes. */
	/* nor if it is faster elsewhere */
	assert_false(op_wanted(&b, LW_OP_WRITE, 4 * LW_OP_MISSED - 1));
	assert_true(op_wanted(&b, LW_OP_WRITE, 4 * LW_OP_MISSED + 1));
	b.s.health.stalled = true;
	assert_false(op_wanted(&b, LW_OP_WRITE, 1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_operation_has_its_base),
		cmocka_unit_test(base_follows_the_usual_operation),
		cmocka_unit_test(base_is_shown_of_what_was_done),
		cmocka_unit_test(other_mix_is_no_queue),
		cmocka_unit_test(slow_reads_after_a_fast_write_are_no_queue),
		cmocka_unit_test(length_is_no_operation),
		cmocka_unit_test(nothing_is_learned_unless_asked),
		cmocka_unit_test(difference_is_a_fading_mean),
		cmocka_unit_test(extremes_do_not_overflow),
		cmocka_unit_test(flushes_have_their_latency),
		cmocka_unit_test(flushes_keep_their_latency_in_another_mix),
		cmocka_unit_test(flushes_after_a_queue_have_their_latency),
		cmocka_unit_test(unknown_flush_is_as_data),
		cmocka_unit_test(operation_that_others_have_is_probed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
