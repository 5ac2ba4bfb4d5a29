// SPDX-License-Identifier: GPL-2.0
/* model/trend.h: throughput follows the load, or does not. */
/* promise steering/correction */
#include "unit.h"
#include "model/trend.h"

#define IOPS 1000	/* of a path that queues */

/* A span of one window in which starts found so many I/Os; what the trend says, 0 for nothing. */
static u64 span(struct lw_trend *t, u64 ios, u64 lat_ns)
{
	const struct lw_means w = { .sum = {
		[LW_HELD_NS] = 100 * lat_ns,
		[LW_DONE] = 100 << 8,
		[LW_STARTS] = 100 << 8,
		[LW_SEEN_IOS] = (100 * ios) << 8,
	} };
	struct lw_means of = { 0 };
	u64 least = lw_trend_add(t, &w, 1, true, &of);

	assert_int_equal(of.sum[LW_DONE], t->skip ? 0 : 100 << 8);
	return least;
}

/* A load that was steady goes to another level. */
static u64 step(u64 from, u64 was_ns, u64 to, u64 lat_ns)
{
	struct lw_trend t = { 0 };

	for (int n = 0; n < 10; n++)
		assert_int_equal(span(&t, from, was_ns), 0);
	return span(&t, to, lat_ns);
}

static void throughput_of_a_far_path_follows(void **state)
{
	assert_int_equal(step(16, 5 * MS, 24, 5 * MS), 5 * MS);
	assert_int_equal(step(24, 5 * MS, 16, 5 * MS), 5 * MS);
	assert_int_equal(step(100, 5 * MS, 1, 5 * MS), 5 * MS);
	/* A little longer under more load: the latency under the smaller one. */
	assert_int_equal(step(16, 5 * MS, 24, 5500000), 5 * MS);
	assert_int_equal(step(24, 5500000, 16, 5 * MS), 5 * MS);
}

static void throughput_of_a_saturated_path_does_not(void **state)
{
	assert_int_equal(step(16, 16 * SEC / IOPS, 24, 24 * SEC / IOPS), 0);
	assert_int_equal(step(24, 24 * SEC / IOPS, 16, 16 * SEC / IOPS), 0);
	assert_int_equal(step(100, 100 * SEC / IOPS, 1, 1 * SEC / IOPS), 0);
	/* More load, less throughput: seeks, say. */
	assert_int_equal(step(16, 16 * SEC / IOPS, 24, 30 * SEC / IOPS), 0);
	assert_int_equal(step(24, 30 * SEC / IOPS, 16, 16 * SEC / IOPS), 0);
}

/* Half as much load again: latency longer by a quarter of that. */
static void a_quarter_of_a_queue_is_the_border(void **state)
{
	assert_int_equal(lw_trend_base(16 << 8, 16 * MS, 24 << 8, 18 * MS - 1, false), 16 * MS);
	assert_int_equal(lw_trend_base(16 << 8, 16 * MS, 24 << 8, 18 * MS + 1, false), 0);
}

/* M/D/1: of 10 ms at half of the throughput of 16 I/Os in 20 ms, half a service of 1.25 ms is a wait. */
static void partly_idle_path_waits_little(void **state)
{
	assert_in_range(lw_trend_base(4 << 8, 10 * MS, 16 << 8, 20 * MS, true), 9300000, 9450000);
	/* unless lengths vary, or it was busy */
	assert_int_equal(lw_trend_base(4 << 8, 10 * MS, 16 << 8, 20 * MS, false), 0);
	assert_int_equal(lw_trend_base(8 << 8, 12 * MS, 16 << 8, 20 * MS, true), 0);
}

static void steady_load_tells_nothing(void **state)
{
	struct lw_trend t = { 0 };

	/* a fifth to either side, in turn: less than a quarter of the first one */
	for (int n = 0; n < 1000; n++)
		assert_int_equal(span(&t, n % 2 ? 20 : 24, 5 * MS), 0);
}

/* From span to span it is too little; against where it began it is not. */
static void slow_drift_is_seen(void **state)
{
	struct lw_trend far = { 0 }, capped = { 0 };
	u64 told = 0;

	for (u64 ios = 100; ios < 300; ios += ios / 100) {
		told |= span(&far, ios, 5 * MS);
		assert_int_equal(span(&capped, ios, ios * SEC / IOPS), 0);
	}
	assert_int_equal(told, 5 * MS);
}

/* The path has become slower; so what it took before under more load says nothing of it now. */
static void path_that_changed_is_another_path(void **state)
{
	struct lw_trend t = { 0 };

	for (int n = 0; n < 10; n++)
		span(&t, 16, 5 * MS);
	for (int n = 0; n < 10; n++)
		span(&t, 16, 16 * SEC / IOPS);
	assert_int_equal(span(&t, 12, 12 * SEC / IOPS), 0);
}

static void span_is_as_long_as_a_path_is_far(void **state)
{
	assert_int_equal(lw_span_windows(6, 1 * MS, 20 * MS), 6);
	assert_int_equal(lw_span_windows(6, 100 * MS, 20 * MS), LW_SPAN_LATENCIES * 5);
	assert_true(lw_span_windows(6, U64_MAX, MS) < U32_MAX);
}

static void windows_make_a_span(void **state)
{
	const struct lw_means w = { .sum = { [LW_HELD_NS] = 20 * MS, [LW_DONE] = 4 << 8,
					     [LW_STARTS] = 4 << 8, [LW_SEEN_IOS] = 4 << 8 } };
	struct lw_means of = { 0 };
	struct lw_trend t = { 0 };

	/* Skipped ones are no part of it. */
	lw_trend_begin(&t, 3, false);
	for (int n = 0; n < 3 + 5; n++) {
		lw_trend_add(&t, &w, 6, true, &of);
		assert_int_equal(of.sum[LW_DONE], 0);
	}
	lw_trend_add(&t, &w, 6, true, &of);
	assert_int_equal(of.sum[LW_DONE], 6 * 4 << 8);
	assert_int_equal(lw_means_little_ns(&of), 5 * MS);
}

/* What was before is compared only if it is asked for. */
static void new_span_forgets_what_was_before(void **state)
{
	struct lw_trend t = { 0 };

	span(&t, 16, 5 * MS);
	lw_trend_begin(&t, 0, true);
	assert_int_equal(span(&t, 24, 5 * MS), 5 * MS);
	lw_trend_begin(&t, 0, false);
	assert_int_equal(span(&t, 16, 5 * MS), 0);
}

/* A dip from 48 I/Os and 960 us, and the base before and after it. */
static bool dips_on(u64 load, u64 us, u64 was_us, u64 base_us)
{
	struct lw_dip d = { .left = 1, .wait = 100, .pause = 256, .knee = 24 * LW_IO, .base_ns = was_us * 1000,
			    .was_load = 48 * LW_IO, .was_ns = 960000, .load = load * LW_IO, .lat_ns = us * 1000 };

	lw_dip_window(&d, false, base_us * 1000);
	return d.wait > d.pause;
}

static void dip_that_leaves_a_queue_is_followed(void **state)
{
	/* As much shorter as the load: a queue; half as much may be one, a quarter is distance. */
	assert_true(dips_on(36, 720, 800, 720));
	assert_true(dips_on(36, 840, 800, 800));
	assert_true(dips_on(45, 900, 800, 800));
	assert_false(dips_on(36, 900, 800, 800));
	assert_false(dips_on(36, 960, 800, 800));
	/* It is plain that a queue is left, but too long for dips; and a load that stays tells nothing. */
	assert_false(dips_on(36, 720, 350, 350));
	assert_false(dips_on(46, 920, 800, 800));
	/* The base has fallen. */
	assert_true(dips_on(45, 650, 800, 650));
}

static void trend_survives_extremes(void **state)
{
	static const s64 v[] = { INT64_MIN, -1, 0, 1, 255, 1LL << 31, 1LL << 46, INT64_MAX };
	struct lw_trend t = { 0 };

	srand(1);
	for (int w = 0; w < 200000; w++) {
		struct lw_means of, mean;

		for (int i = 0; i < LW_SUMS; i++)
			of.sum[i] = v[rand() % 8];
		assert_true(lw_trend_add(&t, &of, rand() % 5, rand() % 2, &mean) <= LW_NS_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(throughput_of_a_far_path_follows),
		cmocka_unit_test(throughput_of_a_saturated_path_does_not),
		cmocka_unit_test(a_quarter_of_a_queue_is_the_border),
		cmocka_unit_test(partly_idle_path_waits_little),
		cmocka_unit_test(steady_load_tells_nothing),
		cmocka_unit_test(slow_drift_is_seen),
		cmocka_unit_test(path_that_changed_is_another_path),
		cmocka_unit_test(span_is_as_long_as_a_path_is_far),
		cmocka_unit_test(windows_make_a_span),
		cmocka_unit_test(new_span_forgets_what_was_before),
		cmocka_unit_test(dip_that_leaves_a_queue_is_followed),
		cmocka_unit_test(trend_survives_extremes),
	};

	return cmocka_run_group_tests_name("trend", tests, NULL, NULL);
}
