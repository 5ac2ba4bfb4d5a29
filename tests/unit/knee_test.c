// SPDX-License-Identifier: GPL-2.0
/* lw_knee.h: every function at its borders, and the knee moves window by window. */
#include "unit.h"
#include "lw_knee.h"

static void slope_is_the_time_to_serve_a_knee(void **state)
{
	struct lw_path_state s = { .knee = 5 * LW_IO, .load = 10 * LW_IO,
				   .rate = 1000 * LW_IO, .base_ns = 4 * MS };

	/* five I/Os at 1000 a second */
	assert_int_equal(lw_slope(&s), 5 * MS);
	/* no less than the base */
	s.base_ns = 6 * MS;
	assert_int_equal(lw_slope(&s), 6 * MS);
	/* below the knee the rate is not what the path can do */
	s.base_ns = 4 * MS;
	s.load = 5 * LW_IO;
	assert_int_equal(lw_slope(&s), 4 * MS);
	s.load = 1 << 30;
	s.knee = LW_KNEE_MOST;
	s.rate = 0;
	assert_int_equal(lw_slope(&s), LW_KNEE_MOST * SEC);
}

static void knee_seen_is_throughput_times_base(void **state)
{
	struct lw_path_state s = { .rate = 1000 * LW_IO, .base_ns = 5 * MS };

	/* 1000 / s * 5 ms = 5, and an eighth */
	assert_int_equal(lw_knee_seen(&s), 5 * LW_IO * 9 / 8);
	/* a quarter of the way down, half of it up */
	s.knee = 4 * 1440;
	s.open = true;
	s.flat = 3;
	lw_knee_step(&s);
	assert_int_equal(s.knee, 3 * 1440 + 360);
	assert_false(s.open);
	assert_int_equal(s.flat, 0);
	s.knee = 440;
	lw_knee_step(&s);
	assert_int_equal(s.knee, 940);
	/* It arrives: the last units are not rounded away. */
	for (int w = 0; w < 12; w++)
		lw_knee_step(&s);
	assert_int_equal(s.knee, 1440);
	s.knee = 1443;
	for (int w = 0; w < 3; w++)
		lw_knee_step(&s);
	assert_int_equal(s.knee, 1440);
}

/* Neither wraps: more throughput, or a longer base, is never a smaller knee. */
static void knee_seen_survives_extremes(void **state)
{
	static const u64 v[] = { 0, 1, 1ULL << 20, 1ULL << 36, (1ULL << 38) - 1, 1ULL << 38,
				 LW_NS_MAX, 1ULL << 60, U64_MAX };

	for (size_t r = 0; r < ARRAY_SIZE(v); r++) {
		u64 by_rate = 0, by_base = 0;

		for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
			struct lw_path_state s = { .rate = v[r], .base_ns = v[i] };

			assert_true(lw_knee_seen(&s) >= by_base);
			by_base = lw_knee_seen(&s);
			s = (struct lw_path_state){ .rate = v[i], .base_ns = v[r] };
			assert_true(lw_knee_seen(&s) >= by_rate);
			by_rate = lw_knee_seen(&s);
		}
	}
	assert_true(lw_knee_seen(&(struct lw_path_state){ .rate = 1ULL << 36, .base_ns = 60 * SEC }) >
		    LW_KNEE_MOST);
	assert_int_equal(lw_knee_seen(&(struct lw_path_state){ .base_ns = U64_MAX }), 0);
}

static void knee_grows_when_the_next_io_would_pass_it(void **state)
{
	struct lw_path_state s = { .knee = 3 * LW_IO, .least = 2 * LW_IO };

	/* an I/O, half of the least knee, makes five eighths of three */
	s.load = 7 * LW_IO / 8 - 1;
	assert_false(lw_at_knee(&s));
	s.load++;
	assert_true(lw_at_knee(&s));
	/* and of a large knee */
	s.knee = 32 * LW_IO;
	s.load = 19 * LW_IO - 1;
	assert_false(lw_at_knee(&s));
	s.load++;
	assert_true(lw_at_knee(&s));
}

/* One window of a path whose latency is so many 256ths of its base. */
static void window(struct lw_path_state *s, u64 inflation)
{
	s->base_ns = 4 * MS;
	s->lat_ns = (4 * MS * inflation) >> 8;
	s->load_met = s->load;
	lw_estimate_knee(s, true, false);
}

static void knee_once_found_is_tried_again_later(void **state)
{
	/* at the knee of eight, and flat as can be: it would grow to twelve */
	struct lw_path_state s = { .knee = 8 * LW_IO, .least = 2 * LW_IO, .load = 8 * LW_IO };

	for (int w = 0; w < LW_REOPEN; w++) {
		window(&s, 256);
		assert_int_equal(s.knee, 8 * LW_IO);
		assert_false(s.open);
	}
	window(&s, 256);
	assert_int_equal(s.knee, 12 * LW_IO);
	assert_true(s.open);
	/* Once open it grows in every window. */
	s.load = 12 * LW_IO;
	window(&s, 256);
	assert_int_equal(s.knee, 18 * LW_IO);
	/* A queue ends that, and the windows count anew. */
	s.rate = 0;
	window(&s, 400);
	assert_false(s.open);
	assert_int_equal(s.flat, 0);
}

static void knee_grows_slowly_where_it_may_be_noise(void **state)
{
	struct lw_path_state s = { .knee = 16 * LW_IO, .least = 2 * LW_IO,
				   .load = 16 * LW_IO, .open = true };

	/* by half of an eighth of the load */
	window(&s, LW_VERY_FLAT + 2);
	assert_int_equal(s.knee, 17 * LW_IO);
	/* Nothing was done in the window: nothing is known. */
	lw_estimate_knee(&s, false, false);
	assert_int_equal(s.knee, 17 * LW_IO);
	/* Not at the knee: it is not what holds the load back. */
	s.load = 8 * LW_IO;
	window(&s, 256);
	assert_int_equal(s.knee, 17 * LW_IO);
}

/* What the path's own noise explains is no queue. */
static void noise_does_not_lower_the_knee(void **state)
{
	struct lw_path_state s = { .knee = 16 * LW_IO, .least = 2 * LW_IO,
				   .load = 16 * LW_IO, .rate = 1000 * LW_IO };

	window(&s, 340);
	assert_true(s.knee < 16 * LW_IO);
	s.knee = 16 * LW_IO;
	s.noise_q16 = 32 << 8;		/* an eighth; up to 1.44 times the base */
	window(&s, 360);
	assert_int_equal(s.knee, 16 * LW_IO);
	window(&s, 370);
	assert_true(s.knee < 16 * LW_IO);
}

static void knee_stays_between_its_limits(void **state)
{
	struct lw_path_state s = { .knee = LW_KNEE_MOST, .least = 2 * LW_IO,
				   .load = 1ULL << 31, .open = true };

	for (int w = 0; w < 100; w++) {
		window(&s, 256);
		assert_int_equal(s.knee, LW_KNEE_MOST);
	}
	for (int w = 0; w < 100; w++)
		window(&s, 1000);
	assert_int_equal(s.knee, 2 * LW_IO);
}

/* The unit of load changes, and nothing else: ratios are what they were. */
static void rescaling_keeps_ratios(void **state)
{
	struct lw_path_state s = {
		.ios = 1000, .blocks = 64000, .rate = 1000 * LW_IO, .load = 20 * LW_IO,
		.knee = 10 * LW_IO, .least = 2 * LW_IO,
		.trend = { .load = 16 * LW_IO, .rate = 900 * LW_IO, .was_load = 8 * LW_IO,
			   .was_rate = 450 * LW_IO },
	};
	struct lw_path_state was = s;

	/* a block costs a 16th of an I/O, so each of the 64 blocks counts as five */
	lw_load_rescale(&s, 4096);
	assert_int_equal(s.block_cost, 4096);
	assert_int_equal(s.rate, 5 * was.rate);
	assert_int_equal(s.load, 5 * was.load);
	assert_int_equal(s.knee, 5 * was.knee);
	assert_int_equal(s.least, 5 * was.least);
	assert_int_equal(s.trend.load, 5 * was.trend.load);
	assert_int_equal(s.trend.rate, 5 * was.trend.rate);
	assert_int_equal(s.trend.was_load, 5 * was.trend.was_load);
	assert_int_equal(s.trend.was_rate, 5 * was.trend.was_rate);
	/* and back */
	lw_load_rescale(&s, 0);
	assert_int_equal(s.rate, was.rate);
	assert_in_range(s.load, was.load - 1, was.load + 1);
	assert_in_range(s.knee, was.knee - 1, was.knee + 1);
	/* A window in which nothing was done tells of no ratio. */
	s = was;
	s.rate = s.ios = s.blocks = 0;
	lw_load_rescale(&s, 4096);
	assert_int_equal(s.block_cost, 4096);
	assert_int_equal(s.load, was.load);
	assert_int_equal(s.knee, was.knee);
}

/* With size learned, the knee holds as much of either size as the path serves in its base. */
static void flushes_beside_data_do_not_count_as_blocks(void **state)
{
	struct lw_path_state s = { .block_cost = LW_BLOCK_MAX };

	assert_int_equal(lw_class_load(&s, LW_CLASS_ZERO), LW_IO);
	s.cls[LW_CLASS_32K].blocks = 1;
	assert_int_equal(lw_class_load(&s, LW_CLASS_32K), 2 * LW_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slope_is_the_time_to_serve_a_knee),
		cmocka_unit_test(knee_seen_is_throughput_times_base),
		cmocka_unit_test(knee_seen_survives_extremes),
		cmocka_unit_test(knee_grows_when_the_next_io_would_pass_it),
		cmocka_unit_test(knee_once_found_is_tried_again_later),
		cmocka_unit_test(knee_grows_slowly_where_it_may_be_noise),
		cmocka_unit_test(noise_does_not_lower_the_knee),
		cmocka_unit_test(knee_stays_between_its_limits),
		cmocka_unit_test(rescaling_keeps_ratios),
		cmocka_unit_test(flushes_beside_data_do_not_count_as_blocks),
	};

	return cmocka_run_group_tests_name("knee", tests, NULL, NULL);
}
