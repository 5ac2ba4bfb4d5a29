// SPDX-License-Identifier: GPL-2.0
/* lw_knee.h: what is the path's own latency, and what is queue; over many windows. */
#include "bench.h"

static void knee_grows_while_latency_is_flat(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	closed_loop(&b, &l, 20, 1, 0, 5 * MS);
	assert_in_range(b.s.knee, 2 * LW_IO, 4 * LW_IO);
	closed_loop(&b, &l, 20, 32, 0, 5 * MS);
	assert_in_range(b.s.knee, 32 * LW_IO, 66 * LW_IO);
	assert_in_range(b.s.base_ns, 4900000, 5100000);
}

static void knee_is_the_bandwidth_delay_product(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	/* 1000 IOPS in 4 ms: four I/Os */
	closed_loop(&b, &l, 20, 1, 1 * MS, 3 * MS);
	assert_in_range(b.s.base_ns, 3900000, 4100000);
	closed_loop(&b, &l, 100, 16, 1 * MS, 3 * MS);
	assert_in_range(b.s.lat_ns, 15 * MS, 17 * MS);
	assert_in_range(b.s.base_ns, 3900000, 4100000);
	assert_in_range(b.s.knee, 4 * LW_IO, 5 * LW_IO);
}

static void base_and_knee_do_not_confirm_each_other(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	/* Load close to the knee for half a minute: neither of them drifts. */
	closed_loop(&b, &l, 20, 1, 1 * MS, 1 * MS);
	closed_loop(&b, &l, 1500, 3, 1 * MS, 1 * MS);
	assert_in_range(b.s.base_ns, 1900000, 2200000);
	assert_in_range(b.s.knee, 2 * LW_IO, 3 * LW_IO);
}

/* Load that leaves, or comes, shows that it is distance and no queue. */
static void base_follows_a_path_that_became_slower(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	closed_loop(&b, &l, 50, 8, 0, 5 * MS);
	closed_loop(&b, &l, 20, 8, 0, 15 * MS);
	/* The knee falls, so traffic leaves, but the latency stays. */
	assert_true(b.s.knee < 5 * LW_IO);
	closed_loop(&b, &l, 40, 4, 0, 15 * MS);
	assert_in_range(b.s.base_ns, 27 * MS / 2, 15 * MS + MS / 10);
	closed_loop(&b, &l, 40, 8, 0, 15 * MS);
	assert_true(b.s.knee >= 8 * LW_IO);
}

static void throughput_that_follows_the_load_shows_distance(void **state)
{
	for (int depth = 8; depth <= 32; depth *= 2) {
		struct bench b = bench(true);
		struct loop l = { 0 };

		closed_loop(&b, &l, 50, depth, 0, 5 * MS);
		/* A load that goes up and down by a third, on a path three times as far. */
		for (int n = 0; n < 4; n++) {
			dipped_loop(&b, &l, 12, depth - depth / 4, 0, 15 * MS);
			dipped_loop(&b, &l, 12, depth + depth / 4, 0, 15 * MS);
		}
		assert_in_range(b.s.base_ns, 27 * MS / 2, 15 * MS + MS / 10);
		closed_loop(&b, &l, 20, depth, 0, 15 * MS);
		assert_true(b.s.knee >= (u64)depth * LW_IO);
	}
}

static void throughput_that_stays_shows_a_queue(void **state)
{
	for (int depth = 16; depth <= 32; depth *= 2) {
		struct bench b = bench(true);
		struct loop l = { 0 };

		closed_loop(&b, &l, 100, depth, 0, 5 * MS);
		closed_loop(&b, &l, 20, depth, 1 * MS, 4 * MS);
		for (int n = 0; n < 40; n++) {
			closed_loop(&b, &l, 12, depth - depth / 4, 1 * MS, 4 * MS);
			closed_loop(&b, &l, 12, depth + depth / 4, 1 * MS, 4 * MS);
		}
		assert_in_range(b.s.base_ns, 4900000, 5500000);
		assert_in_range(b.s.knee, 5 * LW_IO, 7 * LW_IO);
	}
}

/* Constant load, and a path three times as far: only a dip can tell. */
static void dips_show_that_a_path_became_slower(void **state)
{
	for (int depth = 4; depth <= 32; depth *= 2) {
		struct bench b = bench(true);
		struct loop l = { 0 };

		dipped_loop(&b, &l, 50, depth, 0, 5 * MS);
		dipped_loop(&b, &l, 60, depth, 0, 15 * MS);
		assert_in_range(b.s.base_ns, 27 * MS / 2, 15 * MS + MS / 10);
		dipped_loop(&b, &l, 20, depth, 0, 15 * MS);
		assert_true(b.s.knee >= (u64)depth * LW_IO);
	}
}

static void dips_do_not_hide_a_cap(void **state)
{
	for (int depth = 8; depth <= 32; depth *= 2) {
		struct bench b = bench(true);
		struct loop l = { 0 };

		dipped_loop(&b, &l, 100, depth, 0, 5 * MS);
		dipped_loop(&b, &l, 1000, depth, 1 * MS, 4 * MS);
		assert_true(b.s.dip.pause > LW_DIP_FIRST);
		assert_in_range(b.s.base_ns, 4900000, 5500000);
		assert_in_range(b.s.knee, 5 * LW_IO, 7 * LW_IO);
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
		assert_in_range(b.s.base_ns, 4900000, 6000000);
	}
	/* Latency that falls looks like noise, which lets the knee grow: docs/design.md, limits. */
	assert_in_range(b.s.knee, 5 * LW_IO, 11 * LW_IO);
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
		assert_in_range(b.s.base_ns, 4900000, 5500000);
	}
}

static void first_sample_is_the_base(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	/* From the first moment 32 in flight on 1000 IOPS and 5 ms. */
	closed_loop(&b, &l, 100, 32, 1 * MS, 4 * MS);
	assert_in_range(b.s.lat_ns, 31 * MS, 33 * MS);
	assert_in_range(b.s.base_ns, 4900000, 5100000);
	assert_in_range(b.s.knee, 5 * LW_IO, 7 * LW_IO);
}

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

/* 4k, 16k and 64k by turns that last some windows, so that the mean size varies. */
static size_t turns(struct loop *l)
{
	static const size_t bytes[] = { 4096, 16384, 65536 };

	return bytes[(l->seed++ >> 6) % 3];
}

static size_t mixed(struct loop *l)
{
	l->seed = l->seed * 1103515245 + 12345;
	return (l->seed >> 16) % 8 ? 8192 : 131072;
}

static void blocks_count_nothing_where_ios_limit(void **state)
{
	size_t (*sizes[])(struct loop *l) = { turns, mixed };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct bench b = bench(true);
		struct loop l = { .size = sizes[i] };

		closed_loop(&b, &l, 1500, 32, 500000, 2 * MS);
		/* 16 blocks, the largest of turns(), count as an eighth of an I/O at most */
		assert_in_range(b.s.block_cost, 0, 65536 / 16 / 8);
		/* 2000 IOPS in 2.5 ms */
		assert_in_range(b.s.knee, 5 * LW_IO, 7 * LW_IO);
	}
}

static void blocks_count_where_bytes_limit(void **state)
{
	size_t (*sizes[])(struct loop *l) = { turns, mixed };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct bench b = bench(true);
		struct loop l = { .size = sizes[i], .per_block = 50000 };

		/* 100 us for each I/O, 50 us for each block: half of it */
		closed_loop(&b, &l, 1500, 32, 100000, 2 * MS);
		assert_in_range(b.s.block_cost, 65536 / 4, LW_BLOCK_MAX);
	}
}

static void blocks_of_one_size_are_not_judged(void **state)
{
	struct bench b = bench(true);
	struct loop l = { .per_block = 50000 };

	b.s.block_cost = 1234;
	closed_loop(&b, &l, 500, 32, 100000, 2 * MS);
	assert_int_equal(b.s.block_cost, 1234);
}

/* With size learned, the knee holds as much of either size as the path serves in its base. */
static void flushes_beside_data_do_not_count_as_blocks(void **state)
{
	struct lw_path_state s = { .block_cost = LW_BLOCK_MAX };

	assert_int_equal(lw_class_load(&s, LW_CLASS_ZERO), LW_IO);
	s.cls[LW_CLASS_32K].blocks = 1;
	assert_int_equal(lw_class_load(&s, LW_CLASS_32K), 2 * LW_IO);
}

/* A class that was not there before does not make the path's base another one. */
static void another_size_under_load_leaves_the_base(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };
	u64 base;

	closed_loop(&b, &l, 20, 1, 1 * MS, 4 * MS);
	closed_loop(&b, &l, 50, 32, 1 * MS, 4 * MS);
	base = b.s.base_ns;
	l.size = mixed;
	closed_loop(&b, &l, 50, 32, 1 * MS, 4 * MS);
	assert_in_range(b.s.base_ns, base - base / 16, base + base / 16);
}

static void base_outlives_a_stall_under_load(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	closed_loop(&b, &l, 50, 16, 1 * MS, 4 * MS);
	loop_pause(&l, SEC);
	closed_loop(&b, &l, 150, 16, 1 * MS, 4 * MS);
	assert_true(b.s.proven);
	assert_in_range(b.s.base_ns, 4900000, 5100000);
	assert_in_range(b.s.knee, 5 * LW_IO, 7 * LW_IO);
}

/* Short or long, and as often as it likes, with something completed in between. */
static void stalls_under_load_keep_base_and_knee(void **state)
{
	for (u64 pause = 40 * MS; pause < SEC; pause *= 2) {
		struct bench b = bench(true);
		struct loop l = { 0 };

		closed_loop(&b, &l, 20, 1, 0, 5 * MS);
		closed_loop(&b, &l, 50, 16, 0, 5 * MS);
		for (int n = 0; n < 5; n++) {
			loop_pause(&l, pause);
			for (u64 t = 0; t < pause + 3 * WINDOW; t += WINDOW) {
				closed_loop(&b, &l, 1, 16, 0, 5 * MS);
				assert_in_range(b.s.base_ns, 4800000, 5200000);
				assert_true(b.s.knee >= 14 * LW_IO);
			}
			closed_loop(&b, &l, 10, 16, 0, 5 * MS);
		}
		assert_true(b.s.proven);
	}
}

static void constant_load_does_not_hide_a_cap(void **state)
{
	for (int depth = 8; depth <= 32; depth *= 2) {
		struct bench b = bench(true);
		struct loop l = { 0 };

		closed_loop(&b, &l, 100, depth, 0, 5 * MS);
		closed_loop(&b, &l, 200, depth, 1 * MS, 4 * MS);
		assert_in_range(b.s.base_ns, 4900000, 5500000);
		assert_in_range(b.s.knee, 5 * LW_IO, 7 * LW_IO);
	}
}

static void flushes_do_not_move_the_knee(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };
	u64 knee;

	closed_loop(&b, &l, 50, 16, 0, 5 * MS);
	knee = b.s.knee;
	for (int w = 0; w < 50; w++) {
		u64 t = b.now + 1 * MS;

		start_sized(&b, 0, t);
		end_sized(&b, 0, t, t + 18 * MS);
		closed_loop(&b, &l, 1, 16, 0, 5 * MS);
	}
	assert_in_range(b.s.cls[LW_CLASS_ZERO].lat_ns, 17 * MS, 19 * MS);
	assert_in_range(b.s.lat_ns, 4900000, 5100000);
	assert_in_range(b.s.base_ns, 4900000, 5100000);
	assert_in_range(b.s.knee, knee, knee + 4 * LW_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knee_grows_while_latency_is_flat),
		cmocka_unit_test(knee_is_the_bandwidth_delay_product),
		cmocka_unit_test(base_and_knee_do_not_confirm_each_other),
		cmocka_unit_test(base_follows_a_path_that_became_slower),
		cmocka_unit_test(throughput_that_follows_the_load_shows_distance),
		cmocka_unit_test(throughput_that_stays_shows_a_queue),
		cmocka_unit_test(dips_show_that_a_path_became_slower),
		cmocka_unit_test(dips_do_not_hide_a_cap),
		cmocka_unit_test(base_stays_where_the_load_was_the_cause),
		cmocka_unit_test(base_stays_after_a_short_peak),
		cmocka_unit_test(first_sample_is_the_base),
		cmocka_unit_test(slope_is_the_time_to_serve_a_knee),
		cmocka_unit_test(knee_seen_is_throughput_times_base),
		cmocka_unit_test(knee_seen_survives_extremes),
		cmocka_unit_test(knee_grows_when_the_next_io_would_pass_it),
		cmocka_unit_test(knee_once_found_is_tried_again_later),
		cmocka_unit_test(knee_grows_slowly_where_it_may_be_noise),
		cmocka_unit_test(noise_does_not_lower_the_knee),
		cmocka_unit_test(knee_stays_between_its_limits),
		cmocka_unit_test(rescaling_keeps_ratios),
		cmocka_unit_test(blocks_count_nothing_where_ios_limit),
		cmocka_unit_test(blocks_count_where_bytes_limit),
		cmocka_unit_test(blocks_of_one_size_are_not_judged),
		cmocka_unit_test(flushes_beside_data_do_not_count_as_blocks),
		cmocka_unit_test(another_size_under_load_leaves_the_base),
		cmocka_unit_test(base_outlives_a_stall_under_load),
		cmocka_unit_test(stalls_under_load_keep_base_and_knee),
		cmocka_unit_test(constant_load_does_not_hide_a_cap),
		cmocka_unit_test(flushes_do_not_move_the_knee),
	};

	return cmocka_run_group_tests_name("knee", tests, NULL, NULL);
}
