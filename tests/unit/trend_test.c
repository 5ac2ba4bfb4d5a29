// SPDX-License-Identifier: GPL-2.0
/* lw_trend.h: does throughput follow the load, and how is the load made to vary? */
#include "unit.h"
#include "lw_trend.h"

#define LAT_MS 5	/* of a path that does not queue */

/* @n windows whose load swings between @low and @high; rate = flat + load / LAT_MS. */
static void swing(struct lw_trend *t, int n, u64 low, u64 high, u64 flat, bool follows)
{
	for (int w = 0; w < n; w++) {
		u64 load = w % 2 ? high : low;

		lw_trend_add(t, load, flat + (follows ? load * 1000 / LAT_MS : 0), 1);
	}
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

static void products_are_averaged(void **state)
{
	struct lw_trend t = { 0 };

	lw_trend_add(&t, 40, 8000, 1);
	assert_int_equal(t.windows, 0);
	/* both a quarter up: 256 * 256 / 16 */
	lw_trend_add(&t, 50, 10000, 1);
	assert_int_equal(t.windows, 1);
	assert_int_equal(t.vary, 4096);
	assert_int_equal(t.follow, 4096);
	/* a quarter up, an eighth down: 256 * -128 / 16 */
	t = (struct lw_trend){ 0 };
	lw_trend_add(&t, 40, 8000, 1);
	lw_trend_add(&t, 50, 7000, 1);
	assert_int_equal(t.vary, 4096);
	assert_int_equal(t.follow, -2048);
}

static void throughput_of_a_far_path_follows(void **state)
{
	struct lw_trend t = { 0 };

	swing(&t, 40, 30, 50, 0, true);
	assert_true(lw_trend_tells(&t));
	assert_true(lw_trend_follows(&t));
}

static void throughput_of_a_saturated_path_does_not(void **state)
{
	struct lw_trend t = { 0 };

	swing(&t, 40, 30, 50, 8000, false);
	assert_true(lw_trend_tells(&t));
	assert_false(lw_trend_follows(&t));
}

static void three_quarters_is_the_border(void **state)
{
	struct lw_trend t = { 0 };

	/* 8000 a second at a load of 40: 1/2 of it, then 4/5, depends on the load */
	swing(&t, 40, 30, 50, 8000, true);
	assert_true(lw_trend_tells(&t));
	assert_false(lw_trend_follows(&t));
	t = (struct lw_trend){ 0 };
	swing(&t, 40, 30, 50, 2000, true);
	assert_true(lw_trend_follows(&t));
}

static void steady_load_tells_nothing(void **state)
{
	struct lw_trend t = { 0 };

	/* an eighth of 40 is 5: a swing of 4 to either side is too little */
	swing(&t, 1000, 36, 44, 0, true);
	assert_false(lw_trend_tells(&t));
	assert_false(lw_trend_follows(&t));
}

static void few_windows_tell_nothing(void **state)
{
	struct lw_trend t = { 0 };

	/* the first one is the mean that the others deviate from */
	swing(&t, LW_TREND_LEAST, 20, 40, 0, true);
	assert_true(t.vary >= LW_TREND_VARY);
	assert_false(lw_trend_tells(&t));
	swing(&t, 1, 20, 40, 0, true);
	assert_true(lw_trend_tells(&t));
}

static void jump_of_throughput_restarts(void **state)
{
	struct lw_trend t = { 0 };

	for (int w = 0; w < 20; w++)
		lw_trend_add(&t, 40, 8000, 1);
	/* 4000 / 8000 = 512 > 384 */
	lw_trend_add(&t, 40, 12000, 1);
	assert_int_equal(t.windows, 0);
	assert_int_equal(t.load_q8, 40 << 8);
	assert_int_equal(t.rate, 12000);
	/* so it is down: 6000 / 12000 */
	lw_trend_add(&t, 40, 12000, 1);
	lw_trend_add(&t, 40, 6000, 1);
	assert_int_equal(t.windows, 0);
	assert_int_equal(t.rate, 6000);
}

static void jump_that_the_load_explains_does_not(void **state)
{
	struct lw_trend t = { 0 };

	for (int w = 0; w < 20; w++)
		lw_trend_add(&t, 40, 8000, 1);
	/* load half up, rate twice: 1024 < 2 * 512 + 384 */
	lw_trend_add(&t, 60, 16000, 1);
	assert_int_equal(t.windows, 20);
}

/* From well below the knee to far above it: throughput follows part of the way. */
static void peak_across_the_knee_does_not_follow(void **state)
{
	struct lw_trend t = { 0 };

	for (int w = 0; w < 20; w++)
		lw_trend_add(&t, 5, 1000, 1);
	/* 32 times the load, four times the throughput: slope 3/31 */
	lw_trend_add(&t, 160, 4000, 1);
	assert_false(lw_trend_follows(&t));
}

static void window_without_load_or_completion_is_left_out(void **state)
{
	struct lw_trend t = { 0 }, was;

	swing(&t, 10, 30, 50, 0, true);
	was = t;
	lw_trend_add(&t, 0, 8000, 1);
	lw_trend_add(&t, 40, 0, 1);
	lw_trend_add(&t, 0, 0, 1);
	assert_memory_equal(&t, &was, sizeof(t));
}

static void trend_survives_extremes(void **state)
{
	static const u64 load[] = { 1, 1ULL << 31, 1ULL << 34, 5, 1ULL << 55 };
	static const u64 rate[] = { 1, 1ULL << 40, 1ULL << 62, 1000, U64_MAX };
	const s64 most = 4096 * 4096;

	for (size_t i = 0; i < ARRAY_SIZE(load); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(rate); k++) {
			struct lw_trend t = { 0 };

			for (int w = 0; w < 100; w++) {
				lw_trend_add(&t, load[i], rate[k], 1);
				lw_trend_add(&t, load[k], rate[i], 1);
				assert_true(t.vary >= 0 && t.vary <= most);
				assert_true(t.follow >= -most && t.follow <= most);
			}
		}
	}
}

static struct lw_nudge fresh_nudge(void)
{
	struct lw_nudge n;

	memset(&n, 0xff, sizeof(n));
	lw_nudge_reset(&n);
	return n;
}

/* Windows in doubt until it is wanted. */
static unsigned int rest(struct lw_nudge *n)
{
	unsigned int windows = 0;

	while (!n->wanted && windows < 2 * LW_NUDGE_MAX) {
		lw_nudge_window(n, true);
		windows++;
	}
	return windows;
}

static void nudge_is_wanted_in_doubt_only(void **state)
{
	struct lw_nudge n = fresh_nudge();

	for (int w = 0; w < 100; w++) {
		lw_nudge_window(&n, false);
		assert_false(n.wanted);
	}
	assert_int_equal(rest(&n), 16);
	/* It waits for its turn among the paths, as long as there is doubt. */
	lw_nudge_window(&n, true);
	assert_true(n.wanted);
	lw_nudge_window(&n, false);
	assert_false(n.wanted);
	lw_nudge_window(&n, true);
	assert_true(n.wanted);
}

static void nudge_lasts_as_latency_needs(void **state)
{
	static const struct {
		u64 lat_ns, window_ns;
		unsigned int half;
	} v[] = {
		{ 1 * MS, 20 * MS, 4 },
		{ 15 * MS, 20 * MS, 8 },		/* 4 * (1 + 30 / 20) */
		{ 100 * MS, 20 * MS, 44 },		/* 4 * (1 + 200 / 20) */
		{ LW_NS_MAX, 20 * MS, 44 },		/* no more than 100 ms */
		{ 100 * MS, 5 * MS, 164 },
		{ 100 * MS, 1000 * MS, 4 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		struct lw_nudge n = fresh_nudge();

		rest(&n);
		lw_nudge_start(&n, v[i].lat_ns, v[i].window_ns);
		assert_int_equal(n.half, v[i].half);
		assert_int_equal(n.step, 1);
		assert_false(n.wanted);
	}
}

static void nudge_lowers_then_raises_the_knee(void **state)
{
	struct lw_nudge n = fresh_nudge();
	unsigned int w;

	assert_int_equal(lw_nudge_knee(&n, 120), 120);
	lw_nudge_start(&n, 15 * MS, 20 * MS);
	for (w = 0; w < 8; w++) {
		assert_int_equal(lw_nudge_knee(&n, 120), 90);
		lw_nudge_window(&n, true);
	}
	/* Once begun it goes on, even if the doubt is gone. */
	for (w = 0; w < 8; w++) {
		assert_int_equal(lw_nudge_knee(&n, 120), 160);
		lw_nudge_window(&n, false);
	}
	assert_int_equal(n.step, 0);
	assert_int_equal(lw_nudge_knee(&n, 120), 120);
	/* the least and the largest knee */
	n.step = 1;
	assert_int_equal(lw_nudge_knee(&n, 4), 3);
	assert_int_equal(lw_nudge_knee(&n, 1 << 20), 3 << 18);
}

static void pauses_grow_fourfold_up_to_the_limit(void **state)
{
	static const unsigned int pause[] = { 16, 64, 256, 1024, 4096, 4096, 4096 };
	struct lw_nudge n = fresh_nudge();

	for (size_t i = 0; i < ARRAY_SIZE(pause); i++) {
		assert_int_equal(rest(&n), pause[i]);
		lw_nudge_start(&n, 1 * MS, 20 * MS);
		while (n.step)
			lw_nudge_window(&n, true);
		assert_false(n.wanted);
	}
	lw_nudge_reset(&n);
	assert_int_equal(rest(&n), 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deviation_is_a_part_of_the_mean),
		cmocka_unit_test(products_are_averaged),
		cmocka_unit_test(throughput_of_a_far_path_follows),
		cmocka_unit_test(throughput_of_a_saturated_path_does_not),
		cmocka_unit_test(three_quarters_is_the_border),
		cmocka_unit_test(steady_load_tells_nothing),
		cmocka_unit_test(few_windows_tell_nothing),
		cmocka_unit_test(jump_of_throughput_restarts),
		cmocka_unit_test(jump_that_the_load_explains_does_not),
		cmocka_unit_test(peak_across_the_knee_does_not_follow),
		cmocka_unit_test(window_without_load_or_completion_is_left_out),
		cmocka_unit_test(trend_survives_extremes),
		cmocka_unit_test(nudge_is_wanted_in_doubt_only),
		cmocka_unit_test(nudge_lasts_as_latency_needs),
		cmocka_unit_test(nudge_lowers_then_raises_the_knee),
		cmocka_unit_test(pauses_grow_fourfold_up_to_the_limit),
	};

	return cmocka_run_group_tests_name("trend", tests, NULL, NULL);
}
