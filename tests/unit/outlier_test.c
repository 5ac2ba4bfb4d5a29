// SPDX-License-Identifier: GPL-2.0
/* model/outlier.h: I/Os that take many times the base. */
/* promise service/outliers */
#include "unit.h"
#include "model/outlier.h"

#define BASE 1000	/* ticks */

/* A window of so many I/Os of this latency, @number of them outliers. */
static void window_of(struct lw_outliers *o, u64 ended, u64 number, u64 excess_ns, u64 lat_ns,
		      bool same)
{
	struct lw_outlier_ends ends = { .number = number, .of_samples_ns = excess_ns };

	lw_outliers_add(o, ended, &ends, 10 * MS, lat_ns, same);
}

/* Of which the base has nothing. */
static void window(struct lw_outliers *o, u64 ended, u64 number, u64 excess_ns, bool same)
{
	window_of(o, ended, number, excess_ns, 60 * SEC, same);
}

static void outlier_takes_eight_times_the_base(void **state)
{
	assert_int_equal(lw_outlier_excess(BASE, BASE), 0);
	assert_int_equal(lw_outlier_excess(8 * BASE - 1, BASE), 0);
	assert_int_equal(lw_outlier_excess(8 * BASE, BASE), 7 * BASE);
	assert_int_equal(lw_outlier_excess(100 * BASE, BASE), 99 * BASE);
}

/* No more is taken off the latencies than they have. */
static void excess_is_a_part_of_the_stamp(void **state)
{
	for (u64 ns = 1000 * MS; ns < 60 * SEC; ns += 7 * MS)
		assert_in_range(lw_outlier_excess(lw_ticks(ns), BASE) << LW_TICK_SHIFT, 990 * MS,
				(u64)lw_took(ns) << LW_SUM_SHIFT);
	assert_int_equal(lw_outlier_excess(LW_TICKS_MAX, LW_TICKS_MAX / 8), 0);
}

static void hang_counts_no_more_than_the_limit(void **state)
{
	struct lw_outliers o = { 0 };

	window(&o, 1, 1, MS, false);
	window(&o, 1, 2, 60 * SEC, false);
	assert_int_equal(o.worst_ns, 2 * 256 * 10 * MS);
}

static void nothing_is_an_outlier_without_a_base(void **state)
{
	assert_int_equal(lw_outlier_excess(LW_TICKS_MAX, U32_MAX), 0);
	assert_int_equal(lw_outlier_excess(0, U32_MAX), 0);
}

/* @windows windows of 100 I/Os, of which each @every th has such an outlier. */
static void run(struct lw_outliers *o, int windows, int every, u64 excess_ns)
{
	for (int i = 1; i <= windows; i++)
		window(o, 100, i % every ? 0 : 1, i % every ? 0 : excess_ns, false);
}

static void repeated_outliers_add_their_mean(void **state)
{
	struct lw_outliers o = { 0 };

	/* 50 ms in each fourth window of 100 I/Os are 125 us an I/O, less the worst window. */
	run(&o, 2000, 4, 50 * MS);
	assert_in_range(lw_outliers_ns(&o), 116000, 128000);
	/* They are forgotten, but not where nothing ends. */
	for (int i = 0; i < 10000; i++)
		window(&o, 0, 0, 0, false);
	assert_in_range(lw_outliers_ns(&o), 116000, 128000);
	run(&o, 128, 1000, 0);
	assert_in_range(lw_outliers_ns(&o), 40000, 50000);
	run(&o, 2000, 10000, 0);
	assert_true(lw_outliers_ns(&o) < 100);
}

static void single_window_does_not_count(void **state)
{
	struct lw_outliers o = { 0 };

	run(&o, 100, 1000, 0);
	window(&o, 8, 8, 8 * SEC, false);
	for (int i = 0; i < 1000; i++) {
		assert_true(lw_outliers_ns(&o) < 1000);
		window(&o, 100, 0, 0, false);
	}
	/* The second one does. */
	window(&o, 8, 8, SEC, false);
	window(&o, 8, 8, SEC, false);
	assert_true(lw_outliers_ns(&o) > 50000);
}

/* Six I/Os hang; four end in one window, none in the next, two in that after it. */
static void stall_is_one_event(void **state)
{
	struct lw_outliers o = { 0 };

	run(&o, 100, 1000, 0);
	window(&o, 4, 4, 4 * SEC, true);
	window(&o, 0, 0, 0, true);
	window(&o, 2, 2, 2 * SEC, true);
	for (int i = 0; i < 1000; i++) {
		window(&o, 1, 0, 0, false);
		assert_true(lw_outliers_ns(&o) < 1000);
	}
	/* The second stall does count. */
	window(&o, 6, 6, 6 * SEC, true);
	window(&o, 1, 0, 0, false);
	window(&o, 6, 6, 6 * SEC, true);
	assert_in_range(lw_outliers_ns(&o), 30 * MS, 60 * MS);
}

/* Of 100 I/Os an eighth takes 5 ms longer, or a third, and the mean is 0.1 ms above the base. */
static void of_frequent_outliers_the_base_has_a_part(void **state)
{
	struct lw_outliers rare = { 0 }, frequent = { 0 };

	for (int i = 0; i < 2000; i++) {
		window_of(&rare, 100, 12, 60 * MS, 10 * MS + 100000, false);
		window_of(&frequent, 100, 33, 165 * MS, 10 * MS + 100000, false);
	}
	assert_in_range(lw_outliers_ns(&rare), 590000, 600000);
	assert_in_range(lw_outliers_ns(&frequent), 99000, 101000);
}

/* 4k takes 1600 ticks. What is 256 times as long may take that much longer until its price is known. */
static void longer_io_may_take_longer(void **state)
{
	assert_true(lw_may_be_longer(8 * 256 * 1600 - 1, 1600, 255 << 4, 1 << 4));
	assert_false(lw_may_be_longer(8 * 256 * 1600, 1600, 255 << 4, 1 << 4));
	assert_true(lw_may_be_longer(8 * 2 * 1600 - 1, 1600, 128 << 4, 128 << 4));
	assert_false(lw_may_be_longer(8 * 1600, 1600, 0, 1 << 4));
	assert_false(lw_may_be_longer(8 * 1600, 1600, -(8 << 4), 16 << 4));
	assert_true(lw_may_be_longer(1, 1600, 1, 0));
}

static bool apart(const struct lw_outliers *o, u64 number, u64 ended)
{
	const struct lw_outlier_ends ends = { .number = number };

	/* A path whose base is unknown knows none. */
	assert_false(lw_outliers_are_apart(o, &ends, ended, 0));
	return lw_outliers_are_apart(o, &ends, ended, 500000);
}

/* Some 0.12 ms, of a base of 0.5. A path that had none, or has many now, has become slow. */
static void rare_outliers_are_apart(void **state)
{
	struct lw_outliers known = { 0 }, never = { 0 };

	run(&known, 2000, 4, 50 * MS);
	run(&never, 2000, 10000, 0);
	assert_true(apart(&known, 16, 100));
	assert_false(apart(&known, 17, 100));
	assert_false(apart(&known, 1, 5));
	assert_false(apart(&never, 1, 100));
}

static void extremes_do_not_overflow(void **state)
{
	const struct lw_outlier_ends most = { .number = U64_MAX, .of_samples_ns = U64_MAX / 2,
					      .of_others_ns = U64_MAX / 2 };
	struct lw_outliers o = { 0 };

	assert_int_equal(lw_outliers_ns(&o), 0);
	for (int i = 0; i < 10000; i++) {
		lw_outliers_add(&o, i % 2 ? U64_MAX : 1, &most, U64_MAX, U64_MAX, i % 3);
		assert_true(lw_outliers_ns(&o) <= LW_NS_MAX << (LW_OUTLIER_MEMORY + 1));
	}
	for (int i = 0; i < 10000; i++)
		window(&o, 1, 0, 0, false);
	assert_true(lw_outliers_ns(&o) < 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outlier_takes_eight_times_the_base),
		cmocka_unit_test(excess_is_a_part_of_the_stamp),
		cmocka_unit_test(hang_counts_no_more_than_the_limit),
		cmocka_unit_test(nothing_is_an_outlier_without_a_base),
		cmocka_unit_test(repeated_outliers_add_their_mean),
		cmocka_unit_test(single_window_does_not_count),
		cmocka_unit_test(stall_is_one_event),
		cmocka_unit_test(of_frequent_outliers_the_base_has_a_part),
		cmocka_unit_test(longer_io_may_take_longer),
		cmocka_unit_test(rare_outliers_are_apart),
		cmocka_unit_test(extremes_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
