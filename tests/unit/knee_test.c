// SPDX-License-Identifier: GPL-2.0
/* lw_knee.h: what is the path's own latency, and what is queue; over many windows. */
#include "bench.h"

static void knee_grows_while_latency_is_flat(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	closed_loop(&b, &l, 20, 1, 0, 5 * MS);
	assert_in_range(b.s.knee, 2 * 5, 3 * 5);
	closed_loop(&b, &l, 20, 32, 0, 5 * MS);
	assert_in_range(b.s.knee, 32 * 5, 64 * 5 + 10);
	assert_in_range(b.s.cls[C].base_ns, 4900000, 5100000);
}

static void knee_is_the_bandwidth_delay_product(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	/* 1000 IOPS in 4 ms: four I/Os */
	closed_loop(&b, &l, 20, 1, 1 * MS, 3 * MS);
	assert_in_range(b.s.cls[C].base_ns, 3900000, 4100000);
	closed_loop(&b, &l, 100, 16, 1 * MS, 3 * MS);
	assert_in_range(b.s.cls[C].lat_ns, 15 * MS, 17 * MS);
	assert_in_range(b.s.cls[C].base_ns, 3900000, 4100000);
	assert_in_range(b.s.knee, 4 * 5, 5 * 5);
}

static void base_and_knee_do_not_confirm_each_other(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	/* Load close to the knee for half a minute: neither of them drifts. */
	closed_loop(&b, &l, 20, 1, 1 * MS, 1 * MS);
	closed_loop(&b, &l, 1500, 3, 1 * MS, 1 * MS);
	assert_in_range(b.s.cls[C].base_ns, 1900000, 2200000);
	assert_in_range(b.s.knee, 2 * 5, 3 * 5);
}

static void base_follows_a_path_that_became_slower(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	closed_loop(&b, &l, 50, 8, 0, 5 * MS);
	closed_loop(&b, &l, 20, 8, 0, 15 * MS);
	/* The knee falls, so traffic leaves, but the latency stays. */
	assert_true(b.s.knee < 5 * 5);
	nudged_loop(&b, &l, 40, 4, 0, 15 * MS);
	assert_in_range(b.s.cls[C].base_ns, 14 * MS, 15 * MS + MS / 10);
	nudged_loop(&b, &l, 40, 8, 0, 15 * MS);
	assert_true(b.s.knee >= 8 * 5);
}

static void nudges_show_that_a_path_became_slower(void **state)
{
	for (int depth = 4; depth <= 32; depth *= 2) {
		struct bench b = bench(true);
		struct loop l = { 0 };

		/* 16 windows of rest, 8 of less load and as many of more */
		nudged_loop(&b, &l, 50, depth, 0, 5 * MS);
		nudged_loop(&b, &l, 40, depth, 0, 15 * MS);
		assert_in_range(b.s.cls[C].base_ns, 14 * MS, 15 * MS + MS / 10);
		nudged_loop(&b, &l, 20, depth, 0, 15 * MS);
		assert_true(b.s.knee >= (u64)depth * 5);
	}
}

static void nudges_do_not_hide_a_cap(void **state)
{
	for (int depth = 8; depth <= 32; depth *= 2) {
		struct bench b = bench(true);
		struct loop l = { 0 };

		nudged_loop(&b, &l, 100, depth, 0, 5 * MS);
		nudged_loop(&b, &l, 1000, depth, 1 * MS, 4 * MS);
		assert_int_equal(b.s.nudge.pause, 4 * 4 * 4 * LW_NUDGE_FIRST);
		assert_in_range(b.s.cls[C].base_ns, 4900000, 5500000);
		assert_in_range(b.s.knee, 5 * 5, 7 * 5);
	}
}

static void base_stays_where_the_load_was_the_cause(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	closed_loop(&b, &l, 50, 32, 0, 5 * MS);
	closed_loop(&b, &l, 20, 32, 1 * MS, 4 * MS);
	/* Traffic leaves, and the queue with it. */
	for (int depth = 24; depth >= 6; depth -= 3) {
		closed_loop(&b, &l, 12, depth, 1 * MS, 4 * MS);
		assert_in_range(b.s.cls[C].base_ns, 4900000, 6000000);
	}
	assert_in_range(b.s.knee, 5 * 5, 7 * 5);
}

static void base_stays_after_a_short_peak(void **state)
{
	for (int peak = 1; peak < 12; peak++) {
		struct bench b = bench(true);
		struct loop l = { 0 };

		closed_loop(&b, &l, 20, 1, 1 * MS, 4 * MS);
		/* The latency is still rising when the load goes. */
		closed_loop(&b, &l, peak, 32, 1 * MS, 4 * MS);
		closed_loop(&b, &l, 60, 8, 1 * MS, 4 * MS);
		assert_in_range(b.s.cls[C].base_ns, 4900000, 5500000);
	}
}

static void base_follows_down_at_once(void **state)
{
	struct bench b = bench(true);

	traffic(&b, 50, 8, 12 * MS);
	traffic(&b, 1, 1, 1 * MS);
	assert_int_equal(b.s.cls[C].base_ns, 1 * MS);
}

static void first_sample_is_the_base(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	/* From the first moment 32 in flight on 1000 IOPS and 5 ms. */
	closed_loop(&b, &l, 100, 32, 1 * MS, 4 * MS);
	assert_in_range(b.s.cls[C].lat_ns, 31 * MS, 33 * MS);
	assert_in_range(b.s.cls[C].base_ns, 4900000, 5100000);
	assert_in_range(b.s.knee, 5 * 5, 7 * 5);
}

static void slope_is_the_time_to_serve_a_knee(void **state)
{
	struct lw_path_state s = { .knee = 25, .load = 50, .rate = 5000,
				   .mean_base_ns = 4 * MS };

	/* 25 units at 5000 a second */
	assert_int_equal(lw_slope(&s), 5 * MS);
	/* no less than the base */
	s.mean_base_ns = 6 * MS;
	assert_int_equal(lw_slope(&s), 6 * MS);
	/* below the knee the rate is not what the path can do */
	s.mean_base_ns = 4 * MS;
	s.load = 25;
	assert_int_equal(lw_slope(&s), 4 * MS);
	s.load = 1 << 30;
	s.knee = LW_KNEE_MAX;
	s.rate = 0;
	assert_int_equal(lw_slope(&s), LW_KNEE_MAX * SEC);
}

static void knee_seen_is_throughput_times_base(void **state)
{
	struct lw_path_state s = { .rate = 5000, .mean_base_ns = 5 * MS };

	/* 5000 / s * 5 ms = 25, and an eighth */
	assert_int_equal(lw_knee_seen(&s), 28);
	/* a quarter of the way down, half of it up */
	s.knee = 68;
	s.open = true;
	lw_knee_step(&s);
	assert_int_equal(s.knee, 58);
	assert_false(s.open);
	s.knee = 16;
	lw_knee_step(&s);
	assert_int_equal(s.knee, 22);
	/* but by no more than half at a time */
	s.knee = 8;
	lw_knee_step(&s);
	assert_int_equal(s.knee, 12);
	/* It arrives: the last units are not rounded away. */
	for (int w = 0; w < 10; w++)
		lw_knee_step(&s);
	assert_int_equal(s.knee, 28);
	s.knee = 31;
	for (int w = 0; w < 3; w++)
		lw_knee_step(&s);
	assert_int_equal(s.knee, 28);
	s.rate = s.mean_base_ns = U64_MAX;
	assert_true(lw_knee_seen(&s) > LW_KNEE_MAX);
	s.rate = 0;
	assert_int_equal(lw_knee_seen(&s), 0);
}

static void knee_grows_when_the_next_io_would_pass_it(void **state)
{
	struct lw_path_state s = { .knee = 16, .least = 10 };

	/* an I/O of 5, half of the least knee, makes three quarters of 16 */
	s.load = 6;
	assert_false(lw_at_knee(&s));
	s.load = 7;
	assert_true(lw_at_knee(&s));
	/* and of a large knee */
	s.knee = 160;
	s.load = 114;
	assert_false(lw_at_knee(&s));
	s.load = 115;
	assert_true(lw_at_knee(&s));
}

static void knee_once_found_is_tried_again_later(void **state)
{
	/* at the knee of 40, and flat as can be: it would grow to 60 */
	struct lw_path_state s = { .knee = 40, .least = 10, .load = 40 };

	for (int w = 0; w < LW_REOPEN; w++) {
		lw_estimate_knee(&s, 256, false);
		assert_int_equal(s.knee, 40);
		assert_false(s.open);
	}
	lw_estimate_knee(&s, 256, false);
	assert_int_equal(s.knee, 60);
	assert_true(s.open);
	/* Once open it grows in every window. */
	s.load = 60;
	lw_estimate_knee(&s, 256, false);
	assert_int_equal(s.knee, 90);
}

static void class_first_seen_under_load_has_its_base(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	/* The path is proven by I/O of another size before the load comes. */
	b.s.proven = true;
	b.s.cls[LW_CLASS_128K].lat_ns = b.s.cls[LW_CLASS_128K].base_ns = 6 * MS;
	closed_loop(&b, &l, 50, 32, 1 * MS, 4 * MS);
	assert_in_range(b.s.cls[C].base_ns, 4900000, 5100000);
}

static void base_outlives_a_stall_under_load(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	closed_loop(&b, &l, 50, 16, 1 * MS, 4 * MS);
	for (int i = 0; i < l.depth; i++)
		l.due[i] += SEC;
	l.server_free += SEC;
	closed_loop(&b, &l, 150, 16, 1 * MS, 4 * MS);
	assert_true(b.s.proven);
	assert_in_range(b.s.cls[C].base_ns, 4900000, 5100000);
}

static void constant_load_does_not_hide_a_cap(void **state)
{
	for (int depth = 8; depth <= 32; depth *= 2) {
		struct bench b = bench(true);
		struct loop l = { 0 };

		closed_loop(&b, &l, 100, depth, 0, 5 * MS);
		closed_loop(&b, &l, 200, depth, 1 * MS, 4 * MS);
		assert_in_range(b.s.cls[C].base_ns, 4900000, 5500000);
		assert_in_range(b.s.knee, 5 * 5, 7 * 5);
	}
}

static void flushes_do_not_move_the_knee(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };
	u64 knee;

	closed_loop(&b, &l, 50, 16, 0, 5 * MS);
	knee = b.s.knee;
	b.s.cls[LW_CLASS_ZERO].lat_ns = 100 * MS;
	b.s.cls[LW_CLASS_ZERO].base_ns = 1;
	for (int w = 0; w < 50; w++) {
		b.s.cls[LW_CLASS_ZERO].seen_ns = b.s.active_ns + WINDOW;
		b.s.cls[LW_CLASS_ZERO].little.done_q4 = 1000;
		closed_loop(&b, &l, 1, 16, 0, 5 * MS);
	}
	assert_in_range(b.s.knee, knee, knee + 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_sample_is_the_base),
		cmocka_unit_test(slope_is_the_time_to_serve_a_knee),
		cmocka_unit_test(knee_seen_is_throughput_times_base),
		cmocka_unit_test(knee_grows_when_the_next_io_would_pass_it),
		cmocka_unit_test(knee_once_found_is_tried_again_later),
		cmocka_unit_test(class_first_seen_under_load_has_its_base),
		cmocka_unit_test(base_outlives_a_stall_under_load),
		cmocka_unit_test(constant_load_does_not_hide_a_cap),
		cmocka_unit_test(flushes_do_not_move_the_knee),
		cmocka_unit_test(knee_grows_while_latency_is_flat),
		cmocka_unit_test(knee_is_the_bandwidth_delay_product),
		cmocka_unit_test(base_and_knee_do_not_confirm_each_other),
		cmocka_unit_test(base_follows_a_path_that_became_slower),
		cmocka_unit_test(nudges_show_that_a_path_became_slower),
		cmocka_unit_test(nudges_do_not_hide_a_cap),
		cmocka_unit_test(base_stays_where_the_load_was_the_cause),
		cmocka_unit_test(base_stays_after_a_short_peak),
		cmocka_unit_test(base_follows_down_at_once),
	};

	return cmocka_run_group_tests_name("knee", tests, NULL, NULL);
}
