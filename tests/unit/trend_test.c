// SPDX-License-Identifier: GPL-2.0
/* model/trend.h: throughput follows the load, or does not; dips and spans show which. */
#include "unit.h"
#include "model/trend.h"

#define LAT_MS 5	/* of a path that does not queue */
#define SETTLE 64	/* spans after which averages are what goes in */

static u64 far(u64 load)
{
	return load * 1000 / LAT_MS;
}

/* Spans of one window of this load; did throughput follow in any of them? */
static bool spans(struct lw_trend *t, int n, u64 load, u64 rate)
{
	bool follows = false;

	while (n--) {
		lw_trend_add(t, load, rate, 1);
		follows |= t->follows;
	}
	return follows;
}

/* A load that was steady goes to another level, and throughput with it. */
static bool step(u64 from, u64 was_rate, u64 to, u64 rate)
{
	struct lw_trend t = { 0 };

	if (spans(&t, SETTLE, from, was_rate))
		return true;
	return spans(&t, SETTLE, to, rate);
}

static void deviation_is_a_part_of_the_mean(void **state)
{
	assert_int_equal(lw_deviation(6, 4), 512);
	assert_int_equal(lw_deviation(3, 4), -256);
	assert_int_equal(lw_deviation(0, 4), -1024);
	assert_int_equal(lw_deviation(20, 4), 4096);
	assert_int_equal(lw_deviation(1000, 4), 4096);
	assert_int_equal(lw_deviation(0, 0), 0);
	assert_int_equal(lw_deviation(1ULL << 62, 0), 4096);
	assert_int_equal(lw_deviation(0, 1ULL << 62), 0);	/* at most 2^50 of 2^62 */
}

static void throughput_of_a_far_path_follows(void **state)
{
	assert_true(step(4000, far(4000), 5600, far(5600)));
	assert_true(step(4000, far(4000), 7000, far(7000)));
	assert_true(step(5600, far(5600), 4000, far(4000)));
	assert_true(step(7000, far(7000), 4000, far(4000)));
}

static void throughput_of_a_saturated_path_does_not(void **state)
{
	assert_false(step(4000, 800000, 5600, 800000));
	assert_false(step(4000, 800000, 7000, 800000));
	assert_false(step(5600, 800000, 4000, 800000));
	/* More load, less throughput: seeks, say. */
	assert_false(step(4000, 800000, 5600, 700000));
	assert_false(step(5600, 700000, 4000, 800000));
}

/* Load up by 40 %: throughput up by 36 %, or by 24 %; and down. */
static void three_quarters_is_the_border(void **state)
{
	assert_true(step(4000, 800000, 5600, 1088000));
	assert_false(step(4000, 800000, 5600, 992000));
	assert_true(step(5600, 1088000, 3600, 760000));
	assert_false(step(5600, 1088000, 3600, 860000));
}

static void steady_load_tells_nothing(void **state)
{
	struct lw_trend t = { 0 };

	/* A fifth to either side, in turn: less than a quarter. */
	for (int n = 0; n < 1000; n++)
		assert_false(spans(&t, 8, n % 2 ? 4400 : 3600, far(n % 2 ? 4400 : 3600)));
	assert_false(step(4000, far(4000), 4960, far(4960)));
}

/* From span to span it is too little; against the anchor it is not. */
static void slow_drift_is_seen(void **state)
{
	bool follows = false, saturated = false;
	struct lw_trend far_path = { 0 }, capped = { 0 };

	for (u64 load = 4000; load < 12000; load += load / 100) {
		follows |= spans(&far_path, 1, load, far(load));
		saturated |= spans(&capped, 1, load, 800000);
	}
	assert_true(follows);
	assert_false(saturated);
}

/* Until averages of both ends differ nothing is compared. */
static void few_windows_tell_nothing(void **state)
{
	struct lw_trend t = { 0 };

	lw_trend_add(&t, 4000, far(4000), 1);
	assert_int_equal(t.was_load, 4000);
	assert_int_equal(t.windows, 0);
	for (int n = 1; n < LW_TREND_LEAST; n++) {
		lw_trend_add(&t, 5600, far(5600), 1);
		assert_false(t.follows);
		assert_int_equal(t.was_load, 4000);
		assert_int_equal(t.windows, n);
	}
	lw_trend_add(&t, 5600, far(5600), 1);
	assert_true(t.follows);
	assert_int_equal(t.was_load, t.load);
	/* A long span counts for as many windows as it has. */
	t = (struct lw_trend){ 0 };
	lw_trend_add(&t, 4000, far(4000), 16);
	lw_trend_add(&t, 8000, far(8000), 16);
	assert_true(t.follows);
}

/* What was said is said of one span. */
static void answer_holds_for_one_span(void **state)
{
	struct lw_trend t = { 0 };
	int n = 0;

	spans(&t, SETTLE, 4000, far(4000));
	while (!t.follows && n++ < SETTLE)
		lw_trend_add(&t, 5600, far(5600), 1);
	assert_true(t.follows);
	lw_trend_add(&t, 5600, far(5600), 1);
	assert_false(t.follows);
}

/* Throughput that changes by itself: another path, and the anchor is new. */
static void jump_of_throughput_is_another_path(void **state)
{
	struct lw_trend t = { 0 };

	spans(&t, SETTLE, 4000, 800000);
	assert_false(spans(&t, SETTLE, 4000, 1600000));
	assert_in_range(t.was_rate, 1400000, 1600000);
	/* Half of it is left: it fell below five eighths of the anchor. */
	assert_false(spans(&t, SETTLE, 4000, 400000));
	assert_in_range(t.was_rate, 400000, 1000000);
}

/* From well below the knee to far above it: throughput follows part of the way. */
static void peak_across_the_knee_does_not_follow(void **state)
{
	/* 32 times the load, four times the throughput */
	assert_false(step(500, 100000, 16000, 400000));
	/* and back to where it has still almost half of the throughput */
	assert_false(step(16000, 400000, 1000, 180000));
}

static void window_without_load_or_completion_is_left_out(void **state)
{
	struct lw_trend t = { 0 }, was;

	spans(&t, 10, 4000, far(4000));
	was = t;
	lw_trend_add(&t, 0, 8000, 1);
	lw_trend_add(&t, 4000, 0, 1);
	lw_trend_add(&t, 0, 0, 1);
	assert_memory_equal(&t, &was, sizeof(t));
}

static void trend_survives_extremes(void **state)
{
	static const u64 load[] = { 1, 1ULL << 31, 1ULL << 34, 5, 1ULL << 55 };
	static const u64 rate[] = { 1, 1ULL << 40, 1ULL << 62, 1000, U64_MAX };

	for (size_t i = 0; i < ARRAY_SIZE(load); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(rate); k++) {
			struct lw_trend t = { 0 };

			for (int w = 0; w < 100; w++) {
				lw_trend_add(&t, load[i], rate[k], 1);
				lw_trend_add(&t, load[k], rate[i], 1);
				assert_in_range(t.load, 1, LW_NS_MAX);
				assert_in_range(t.rate, 1, LW_NS_MAX);
			}
		}
	}
}

static void dip_waits_while_there_is_no_queue(void **state)
{
	struct lw_dip d = { 0 };

	lw_dip_reset(&d);
	for (int w = 0; w < 1000; w++)
		lw_dip_window(&d, false);
	assert_int_equal(d.wait, LW_DIP_FIRST);
	for (unsigned int w = 0; w < LW_DIP_FIRST; w++) {
		assert_true(d.wait);
		lw_dip_window(&d, true);
	}
	assert_int_equal(d.wait, 0);
	assert_int_equal(d.left, 0);
}

static void span_lasts_twice_the_latency(void **state)
{
	struct lw_span s = { 0 };

	/* 100 ms: ten windows of 20 ms */
	for (int n = 1; n < 10; n++)
		assert_false(lw_span_add(&s, 300, 20, 40, 20 * MS, 100 * MS));
	assert_true(lw_span_add(&s, 300, 20, 40, 20 * MS, 100 * MS));
	assert_int_equal(s.windows, 10);
	assert_int_equal(s.held, 3000);
	assert_int_equal(s.ios, 200);
	assert_int_equal(s.blocks, 400);
	/* 16 windows at most */
	s = (struct lw_span){ 0 };
	for (int n = 1; n < LW_SPAN_WINDOWS; n++)
		assert_false(lw_span_add(&s, 300, 20, 40, 20 * MS, LW_NS_MAX));
	assert_true(lw_span_add(&s, 300, 20, 40, 20 * MS, LW_NS_MAX));
	/* a single one where nothing is known */
	s = (struct lw_span){ 0 };
	assert_true(lw_span_add(&s, 300, 20, 40, 20 * MS, 0));
}

static void rest_is_no_part_of_a_span(void **state)
{
	struct lw_span s = { 0 }, was;

	lw_span_add(&s, 300, 20, 40, 20 * MS, 100 * MS);
	was = s;
	assert_false(lw_span_add(&s, 0, 0, 0, 3600 * SEC, 100 * MS));
	assert_memory_equal(&s, &was, sizeof(s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deviation_is_a_part_of_the_mean),
		cmocka_unit_test(throughput_of_a_far_path_follows),
		cmocka_unit_test(throughput_of_a_saturated_path_does_not),
		cmocka_unit_test(three_quarters_is_the_border),
		cmocka_unit_test(steady_load_tells_nothing),
		cmocka_unit_test(slow_drift_is_seen),
		cmocka_unit_test(few_windows_tell_nothing),
		cmocka_unit_test(answer_holds_for_one_span),
		cmocka_unit_test(jump_of_throughput_is_another_path),
		cmocka_unit_test(peak_across_the_knee_does_not_follow),
		cmocka_unit_test(window_without_load_or_completion_is_left_out),
		cmocka_unit_test(trend_survives_extremes),
		cmocka_unit_test(dip_waits_while_there_is_no_queue),
		cmocka_unit_test(span_lasts_twice_the_latency),
		cmocka_unit_test(rest_is_no_part_of_a_span),
	};

	return cmocka_run_group_tests_name("trend", tests, NULL, NULL);
}
