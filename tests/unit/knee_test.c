// SPDX-License-Identifier: GPL-2.0
/* model/knee.h: every function at its borders, and the knee moves window by window. */
#include "unit.h"
#include "model/knee.h"

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
	/* half of the way, down and up */
	s.knee = 3 * 1440;
	s.open = true;
	s.flat = 3;
	lw_knee_step(&s);
	assert_int_equal(s.knee, 2 * 1440);
	assert_false(s.open);
	assert_int_equal(s.flat, 0);
	s.knee = 440;
	lw_knee_step(&s);
	assert_int_equal(s.knee, 940);
	/* It arrives, but for what is rounded away. */
	for (int w = 0; w < 12; w++)
		lw_knee_step(&s);
	assert_in_range(s.knee, 1439, 1440);
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
	struct lw_path_state s = { .knee = 3 * LW_IO };

	/* one I/O more makes five eighths of three */
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
	struct lw_path_state s = { .knee = 8 * LW_IO, .load = 8 * LW_IO };

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
	struct lw_path_state s = { .knee = 16 * LW_IO,
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
	struct lw_path_state s = { .knee = 16 * LW_IO,
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
	struct lw_path_state s = { .knee = LW_KNEE_MOST,
				   .load = 1ULL << 31, .open = true };

	for (int w = 0; w < 100; w++) {
		window(&s, 256);
		assert_int_equal(s.knee, LW_KNEE_MOST);
	}
	for (int w = 0; w < 100; w++)
		window(&s, 1000);
	assert_int_equal(s.knee, 2 * LW_IO);
}

/* Eight windows and as many times twice the latency; then rarer and rarer. */
static void dip_lowers_the_knee_and_ends(void **state)
{
	static const unsigned int pause[] = { 256, 4096, 4096 };
	struct lw_path_state s = {
		.lat_ns = 15 * MS, .size.usual_q4 = 4 << 4, .block_cost = LW_BLOCK_MAX, .load = 8000, .knee = 4000, .queues = true,
		.trend = { .load = 8000, .rate = 1600000, .was_load = 1, .windows = 99 },
	};

	lw_dip_reset(&s.dip);
	for (size_t i = 0; i < ARRAY_SIZE(pause); i++) {
		assert_false(lw_dip_wanted(&s));
		s.dip.wait = 0;
		assert_true(lw_dip_wanted(&s));
		assert_int_equal(lw_dip_knee(&s), U64_MAX);
		lw_dip_start(&s, 20 * MS);
		assert_int_equal(s.dip.left, 8 * 2);
		assert_int_equal(s.dip.wait, pause[i]);
		/* compared with how it was before */
		assert_int_equal(s.trend.was_load, 8000);
		assert_int_equal(s.trend.was_rate, 1600000);
		assert_int_equal(s.trend.windows, 0);
		for (int w = 0; w < 16; w++) {
			/* as it was at the beginning, whatever becomes of load and knee */
			assert_int_equal(lw_dip_knee(&s), 5 * 2500);
			s.load = 2000;
			lw_dip_window(&s.dip, true);
		}
		assert_int_equal(s.dip.left, 0);
		assert_int_equal(s.dip.wait, pause[i]);
		s.load = 8000;
	}
	/* Too far, or no queue. */
	s.dip.wait = 0;
	s.lat_ns = LW_DIP_FAR_NS;
	assert_false(lw_dip_wanted(&s));
	s.lat_ns = 15 * MS;
	s.queues = false;
	assert_false(lw_dip_wanted(&s));
}

static void base_error_is_what_flat_latency_leaves_open(void **state)
{
	struct lw_path_state s = { .base_ns = 256 * MS, .baseline_ns = 256 * MS, .lat_ns = SEC };

	assert_int_equal(lw_base_error(&s), 0);
	s.baseline_ns = 270 * MS;
	assert_int_equal(lw_base_error(&s), 14 * MS);
	/* the average still has a queue that is gone */
	s.lat_ns = 260 * MS;
	assert_int_equal(lw_base_error(&s), 4 * MS);
	s.lat_ns = 250 * MS;
	assert_int_equal(lw_base_error(&s), 0);
	/* no longer flat */
	s.lat_ns = s.baseline_ns = LW_NS_MAX;
	assert_int_equal(lw_base_error(&s), (LW_FLAT - 256) * MS);
	/* a queue explains any latency */
	s.queues = true;
	assert_int_equal(lw_base_error(&s), 0);
	s.queues = false;
	s.base_ns = 0;		/* unknown */
	assert_int_equal(lw_base_error(&s), 0);
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
		cmocka_unit_test(base_error_is_what_flat_latency_leaves_open),
		cmocka_unit_test(dip_lowers_the_knee_and_ends),
	};

	return cmocka_run_group_tests_name("knee", tests, NULL, NULL);
}
