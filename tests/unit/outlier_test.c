// SPDX-License-Identifier: GPL-2.0
/* model/outlier.h: I/Os that take many times the base. */
/* promise service/outliers */
#include "unit.h"
#include "model/outlier.h"

#define BASE 1000	/* ticks */

static void outlier_takes_eight_times_the_base(void **state)
{
	assert_int_equal(lw_outlier_excess(BASE, BASE), 0);
	assert_int_equal(lw_outlier_excess(8 * BASE - 1, BASE), 0);
	assert_int_equal(lw_outlier_excess(8 * BASE, BASE), 7 * BASE);
	assert_int_equal(lw_outlier_excess(100 * BASE, BASE), 99 * BASE);
}

static void hang_counts_no_more_than_the_limit(void **state)
{
	assert_int_equal(lw_outlier_excess(256 * BASE, BASE), 255 * BASE);
	assert_int_equal(lw_outlier_excess(LW_TICKS_MAX, BASE), 255 * BASE);
	assert_int_equal(lw_outlier_excess(LW_TICKS_MAX, LW_TICKS_MAX / 8),
			 LW_TICKS_MAX - LW_TICKS_MAX / 8);
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
		lw_outliers_add(o, 100, i % every ? 0 : excess_ns, SEC, false);
}

static void repeated_outliers_add_their_mean(void **state)
{
	struct lw_outliers o = { 0 };

	/* 50 ms in each fourth window of 100 I/Os are 125 us an I/O, less the worst window. */
	run(&o, 2000, 4, 50 * MS);
	assert_in_range(lw_outliers_ns(&o), 116000, 128000);
	/* They are forgotten, but not where nothing ends. */
	for (int i = 0; i < 10000; i++)
		lw_outliers_add(&o, 0, 0, 0, false);
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
	lw_outliers_add(&o, 8, 8 * SEC, 8 * SEC, false);
	for (int i = 0; i < 1000; i++) {
		assert_true(lw_outliers_ns(&o) < 1000);
		lw_outliers_add(&o, 100, 0, 0, false);
	}
	/* The second one does. */
	lw_outliers_add(&o, 8, SEC, SEC, false);
	lw_outliers_add(&o, 8, SEC, SEC, false);
	assert_true(lw_outliers_ns(&o) > 50000);
}

/* Six I/Os hang; four end in one window, none in the next, two in that after it. */
static void stall_is_one_event(void **state)
{
	struct lw_outliers o = { 0 };

	run(&o, 100, 1000, 0);
	lw_outliers_add(&o, 4, 4 * SEC, 4 * SEC, true);
	lw_outliers_add(&o, 0, 0, 0, true);
	lw_outliers_add(&o, 2, 2 * SEC, 2 * SEC, true);
	for (int i = 0; i < 1000; i++) {
		lw_outliers_add(&o, 1, 0, 0, false);
		assert_true(lw_outliers_ns(&o) < 1000);
	}
	/* The second stall does count. */
	lw_outliers_add(&o, 6, 6 * SEC, 6 * SEC, true);
	lw_outliers_add(&o, 1, 0, 0, false);
	lw_outliers_add(&o, 6, 6 * SEC, 6 * SEC, true);
	assert_in_range(lw_outliers_ns(&o), 30 * MS, 60 * MS);
}

/* Half of the windows have outliers of 50 ms; the base has all of it, or lacks 100 us an I/O. */
static void what_the_base_has_does_not_count(void **state)
{
	struct lw_outliers has = { 0 }, lacks = { 0 };

	for (int i = 0; i < 2000; i++) {
		lw_outliers_add(&has, 100, i % 2 ? 50 * MS : 0, 0, false);
		lw_outliers_add(&lacks, 100, i % 2 ? 50 * MS : 0, 100 * 100000, false);
	}
	assert_int_equal(lw_outliers_ns(&has), 0);
	assert_in_range(lw_outliers_ns(&lacks), 99000, 101000);
}

static void extremes_do_not_overflow(void **state)
{
	struct lw_outliers o = { 0 };

	assert_int_equal(lw_outliers_ns(&o), 0);
	for (int i = 0; i < 10000; i++) {
		lw_outliers_add(&o, i % 2 ? U64_MAX : 1, U64_MAX, U64_MAX, false);
		assert_true(lw_outliers_ns(&o) <= LW_NS_MAX << (LW_OUTLIER_MEMORY + 1));
	}
	for (int i = 0; i < 10000; i++)
		lw_outliers_add(&o, 1, 0, 0, false);
	assert_true(lw_outliers_ns(&o) < 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outlier_takes_eight_times_the_base),
		cmocka_unit_test(hang_counts_no_more_than_the_limit),
		cmocka_unit_test(nothing_is_an_outlier_without_a_base),
		cmocka_unit_test(repeated_outliers_add_their_mean),
		cmocka_unit_test(single_window_does_not_count),
		cmocka_unit_test(stall_is_one_event),
		cmocka_unit_test(what_the_base_has_does_not_count),
		cmocka_unit_test(extremes_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
