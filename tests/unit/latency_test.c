// SPDX-License-Identifier: GPL-2.0
/* model/estimate.h and lw_stamp(): a path has the latency and load of its data. */
#include "bench.h"
#include "start-time.h"

/* One latency for all data, the mean of its I/Os; what is no data has its own. */
static void data_of_all_sizes_is_one_latency(void **state)
{
	struct bench b = bench(true);

	for (int w = 0; w < 50; w++) {
		for (int i = 0; i < 4; i++) {
			u64 t = b.now + i * 4 * MS;

			start_sized(&b, 4096, t);
			start_sized(&b, 1 << 20, t);
			start_sized(&b, 0, t);
			end_sized(&b, 4096, t, t + 1 * MS);
			end_sized(&b, 0, t, t + 2 * MS);
			end_sized(&b, 1 << 20, t, t + 3 * MS);
		}
		close_window(&b);
	}
	assert_in_range(b.s.lat_ns, 1990000, 2010000);
	assert_in_range(b.s.cls[LW_CLASS_32K].lat_ns, 990000, 1010000);
	assert_in_range(b.s.cls[LW_CLASS_1M].lat_ns, 2990000, 3010000);
	assert_in_range(b.s.cls[LW_CLASS_ZERO].lat_ns, 1990000, 2010000);
	assert_int_equal(b.s.cls[LW_CLASS_32K].blocks, 1);
	assert_int_equal(b.s.cls[LW_CLASS_1M].blocks, 256);
	assert_int_equal(lw_path_lat(&b.s), b.s.lat_ns);
}

/* Flushes and discards say nothing of data: neither latency nor base nor knee. */
static void what_is_no_data_tells_nothing_of_data(void **state)
{
	static const size_t sizes[] = { 0, LW_DATA_MAX + 4096 };
	struct bench b = bench(true);

	for (int w = 0; w < 50; w++) {
		for (int i = 0; i < 4; i++) {
			u64 t = b.now + i * 4 * MS;

			start_sized(&b, sizes[i % 2], t);
			end_sized(&b, sizes[i % 2], t, t + 3 * MS);
		}
		close_window(&b);
	}
	assert_true(b.s.validated);
	assert_int_equal(b.s.lat_ns, 0);
	assert_int_equal(b.s.base_ns, 0);
	assert_int_equal(lw_path_lat(&b.s), b.s.cls[LW_CLASS_HUGE].lat_ns);
	traffic(&b, 1, 8, 1 * MS);
	assert_in_range(b.s.base_ns, 1 * MS - 16, 1 * MS);
}

static void latency_follows_a_step(void **state)
{
	for (int stamps = 0; stamps < 2; stamps++) {
		struct bench b = bench(stamps);

		traffic(&b, 50, 8, 2 * MS);
		assert_in_range(b.s.lat_ns, 1900000, 2100000);
		traffic(&b, 10, 8, 12 * MS);
		assert_in_range(b.s.lat_ns, 10 * MS, 12 * MS + 100);
		assert_in_range(b.s.cls[C].lat_ns, 10 * MS, 12 * MS + 100);
		traffic(&b, 10, 8, 2 * MS);
		assert_in_range(b.s.lat_ns, 2 * MS - 100, 4 * MS);
		assert_in_range(b.s.cls[C].lat_ns, 2 * MS - 100, 4 * MS);
	}
}

/* Stamps begin when the driver takes a request: what waited before it, the path is slow for. */
static void waiting_before_the_driver_counts(void **state)
{
	struct bench b = bench(true);

	for (int w = 0; w < 50; w++) {
		for (int i = 0; i < 8; i++) {
			u64 t = b.now + i * MS;

			start_at(&b, t);
			end_at(&b, t + 8 * MS, t + 10 * MS);
		}
		close_window(&b);
	}
	assert_in_range(b.s.lat_ns, 9900000, 10100000);
}

/* Of few I/Os some go on at the end of each window; stamps have all of their time. */
static void few_ios_in_a_window_are_measured_right(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	closed_loop(&b, &l, 5, 2, 0, 17 * MS);
	for (int w = 0; w < 100; w++) {
		closed_loop(&b, &l, 1, 2, 0, 17 * MS);
		assert_in_range(b.s.lat_ns, 16800000, 17200000);
	}
}

/* Bursts of eight I/Os of 5 ms that begin together, one each 20 ms. */
static void rest_does_not_dilute_load_and_throughput(void **state)
{
	struct bench b = bench(true);

	for (int w = 0; w < 10; w++) {
		for (int i = 0; i < 8; i++)
			start_at(&b, b.now);
		for (int i = 0; i < 8; i++)
			end_at(&b, b.now, b.now + 5 * MS);
		close_window(&b);
	}
	assert_int_equal(b.s.load, 8 * LW_IO);
	assert_int_equal(b.s.ios, 8 * 1000 / 5);
	assert_int_equal(b.s.blocks, 8 * 1000 / 5);
	assert_int_equal(b.s.rate, 8 * LW_IO * 1000 / 5);
	assert_int_equal(b.s.busy_q10, LW_ONE / 4);
	/* At rest there is neither. */
	close_window(&b);
	assert_int_equal(b.s.load, 0);
	assert_int_equal(b.s.rate, 0);
}

/* Load and throughput count I/Os of usual length, whatever these cost. */
static void load_counts_usual_ios(void **state)
{
	struct bench b = bench(true);

	b.s.block_cost = 1024;		/* 1M costs five I/Os without data */
	for (int w = 0; w < 20; w++) {
		for (int i = 0; i < 4; i++) {
			start_sized(&b, 1 << 20, b.now + i * 5 * MS);
			end_sized(&b, 1 << 20, b.now + i * 5 * MS, b.now + (i + 1) * 5 * MS);
		}
		close_window(&b);
	}
	assert_int_equal(lw_usual_load(&b.s), 5 * LW_IO);
	assert_int_equal(b.s.held, LW_IO);
	assert_int_equal(b.s.load, LW_IO);
	assert_int_equal(b.s.ios, 200);
	assert_int_equal(b.s.blocks, 200 * 256);
	assert_int_equal(b.s.rate, 200 * LW_IO);
	/* One of 4k beside them is a fifth of one. */
	for (int i = 0; i < 4; i++) {
		start_at(&b, b.now + i * 5 * MS);
		end_at(&b, b.now + i * 5 * MS, b.now + (i + 1) * 5 * MS);
	}
	close_window(&b);
	assert_in_range(b.s.load, LW_IO / 5, LW_IO / 5 + 4);
	assert_in_range(b.s.rate, 200 * LW_IO / 5, 200 * LW_IO / 5 + 800);
}

static void size_counts_without_overflow(void **state)
{
	struct lw_path_state s = {
		.held = LW_LOAD_LIMIT, .held_blocks = LW_LOAD_LIMIT << 12, .block_cost = LW_BLOCK_MAX,
		.ios = 1ULL << 40, .blocks = 1ULL << 44,
	};

	lw_count_size(&s);
	assert_true(s.load >= LW_LOAD_LIMIT << 12);
	assert_true(s.rate >= 1ULL << 52);
}

/* Clocks of CPUs differ, and who says late that a path is idle says too much. */
static void idle_time_that_cannot_be_is_bounded(void **state)
{
	struct lw_path_state s = { .idle_ns = 100 * MS };

	assert_int_equal(lw_busy(&s, 100 * MS, 20 * MS, WINDOW), 20 * MS);
	assert_int_equal(lw_busy(&s, 90 * MS, 20 * MS, WINDOW), 20 * MS);
	assert_int_equal(lw_busy(&s, 105 * MS, 20 * MS, WINDOW), 15 * MS);
	assert_int_equal(lw_busy(&s, 120 * MS, 20 * MS, WINDOW), 20 * MS / 64 + 1);
	assert_int_equal(lw_busy(&s, 9000 * MS, 20 * MS, WINDOW), 20 * MS / 64 + 1);
	assert_int_equal(lw_busy(&s, 9000 * MS, 1, WINDOW), 1);
	/* After an hour of rest, a window that was in use all the time. */
	s.idle_ns = 0;
	assert_int_equal(lw_busy(&s, 3600 * SEC, 3600 * SEC + WINDOW, WINDOW), WINDOW);
	assert_int_equal(lw_busy(&s, 3600 * SEC + WINDOW, 3600 * SEC + WINDOW, WINDOW), 2 * WINDOW / 64 + 1);
}

static void a_fast_probe_is_believed_at_once(void **state)
{
	struct bench b = bench(true);

	traffic(&b, 50, 8, 12 * MS);
	probe(&b, 1 * MS);
	assert_int_equal(b.s.lat_ns, 1 * MS);
	assert_int_equal(b.s.cls[C].lat_ns, 1 * MS);
}

/* A completion that is ignored is no sample, and its time is not the next one's. */
static void ignored_ios_have_no_part_in_the_latency(void **state)
{
	struct bench b = bench(true);
	u64 start;

	traffic(&b, 20, 8, 2 * MS);
	lw_path_invalidate(&b.s, LW_STALL_TIMEOUT_NS);
	forget_first(&b);
	b.now += 100 * MS;
	close_window(&b);
	start = b.now;
	start_at(&b, start);
	b.valid_from = start + 1;
	end_at(&b, start, start + 19 * MS);
	close_window(&b);
	assert_false(b.s.validated);
	probe(&b, 1 * MS);
	assert_true(b.s.validated);
	assert_int_equal(b.s.lat_ns, 1 * MS);
}

static void unknown_class_goes_by_its_neighbour(void **state)
{
	struct lw_path_state s = { 0 };

	s.cls[LW_CLASS_64K].lat_ns = 1;
	s.cls[LW_CLASS_512K].lat_ns = 1;
	assert_int_equal(lw_class_known(&s, LW_CLASS_64K), LW_CLASS_64K);
	assert_int_equal(lw_class_known(&s, LW_CLASS_256K), LW_CLASS_64K);
	assert_int_equal(lw_class_known(&s, LW_CLASS_HUGE), LW_CLASS_512K);
	assert_int_equal(lw_class_known(&s, LW_CLASS_ZERO), LW_CLASS_64K);
	s.cls[LW_CLASS_ZERO].lat_ns = 1;
	assert_int_equal(lw_class_known(&s, LW_CLASS_32K), LW_CLASS_64K);
	assert_int_equal(lw_class_known(&s, LW_CLASS_ZERO), LW_CLASS_ZERO);
	memset(&s, 0, sizeof(s));
	assert_int_equal(lw_class_known(&s, LW_CLASS_32K), LW_CLASSES);
	s.cls[LW_CLASS_ZERO].lat_ns = 1;
	assert_int_equal(lw_class_known(&s, LW_CLASS_32K), LW_CLASS_ZERO);
}

/* 5.10's bio-based maps: whole microseconds of a clock of their own. */
static void jiffies_are_no_stamp(void **state)
{
	u64 now = 4000 * SEC + 12345;

	assert_int_equal(lw_stamp(0, now), 0);
	assert_int_equal(lw_stamp(now - 5 * MS, now), now - 5 * MS);
	assert_int_equal(lw_stamp(now, now), 0);
	assert_int_equal(lw_stamp(now + 7, now), 0);
	assert_false(lw_may_be_jiffies(now - 1));
	for (u64 uptime = 1; uptime < 100000; uptime += 37) {
		/* jiffies_to_usecs() of 250 Hz, cut to 32 bits */
		uint32_t us = (uint32_t)((uptime * 250 - 300 * 250) * 4000);

		assert_true(lw_may_be_jiffies(us * 1000ULL));
	}
}

/* 1 ms, and 10 us for each block, whatever sizes a window has: they change the latency by nothing. */
static void sizes_are_not_taken_for_noise(void **state)
{
	struct bench b = bench(true);

	for (int w = 0; w < 200; w++) {
		for (int i = 0; i < 8; i++) {
			size_t bytes = w % 5 < i ? 4096 : 1 << 20;
			u64 t = b.now + i * 2 * MS;

			start_sized(&b, bytes, t);
			end_sized(&b, bytes, t, t + 1 * MS + (bytes >> 12) * 10000);
		}
		close_window(&b);
	}
	assert_in_range(lw_path_block_ns(&b.s), 9800, 10200);
	assert_in_range(b.s.noise_q16 >> 8, 0, 5);
	/* 97 blocks are usual, more or less */
	assert_in_range(lw_path_base_lat(&b.s), 1700000, 2200000);
	/* one of 4k takes a millisecond, one of 1M three and a half */
	assert_in_range(b.s.base_ns + lw_size_longer_ns(&b.s.size, 1 << 4), 950000, 1060000);
	assert_in_range(b.s.base_ns + lw_size_longer_ns(&b.s.size, 256 << 4), 3500000, 3650000);
}

/* A path that had a long I/O and one that had short ones are compared by one length. */
static void cost_of_size_outlasts_one_size(void **state)
{
	struct bench b = bench(true);

	for (int w = 0; w < 400; w++) {
		for (int i = 0; i < 8; i++) {
			size_t bytes = w < 100 && i % 2 ? 1 << 20 : 4096;
			u64 t = b.now + i * 2 * MS;

			start_sized(&b, bytes, t);
			end_sized(&b, bytes, t, t + 1 * MS + (bytes >> 12) * 10000);
		}
		close_window(&b);
	}
	assert_in_range(lw_path_block_ns(&b.s), 9800, 10200);
	assert_in_range(b.s.base_ns, 1000000, 1030000);
}

/* While the long ones go to another path, it is forgotten, so that one of them is tried here again. */
static void cost_of_size_fades_if_others_go_elsewhere(void **state)
{
	struct lw_size_latency z = { 0 };
	u64 before;

	lw_size_latency_fit(&z, 30000 * LW_SIZE_SPREAD, LW_SIZE_SPREAD, false);
	before = z.block_q4;
	for (int w = 0; w < 10000; w++)
		lw_size_latency_fit(&z, 0, 0, false);
	assert_int_equal(z.block_q4, before);
	for (int w = 0; w < 1 << LW_FORGET_SHIFT; w++)
		lw_size_latency_fit(&z, 0, 0, true);
	assert_in_range(z.block_q4, before / 3, before / 2);
	lw_size_latency_fit(&z, 30000 * LW_SIZE_SPREAD, LW_SIZE_SPREAD, true);
	assert_in_range(z.block_q4, before / 3, before / 2);
}

static void fit_survives_extremes(void **state)
{
	static const s64 v[] = { -(1LL << 61), -1, 0, 1, 15, 16, 1LL << 24, 1LL << 61 };

	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		for (size_t j = 2; j < ARRAY_SIZE(v) - 1; j++) {
			struct lw_size_latency z = { .usual_q4 = 1 };

			for (int n = 0; n < 100; n++) {
				lw_size_latency_fit(&z, v[(i + n) % ARRAY_SIZE(v)], v[j], n % 3);
				assert_true(z.block_q4 <= LW_SIZE_BLOCK_MOST);
				lw_size_longer_ns(&z, LW_DATA_MAX >> 8);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_of_all_sizes_is_one_latency),
		cmocka_unit_test(what_is_no_data_tells_nothing_of_data),
		cmocka_unit_test(load_counts_usual_ios),
		cmocka_unit_test(size_counts_without_overflow),
		cmocka_unit_test(latency_follows_a_step),
		cmocka_unit_test(rest_does_not_dilute_load_and_throughput),
		cmocka_unit_test(idle_time_that_cannot_be_is_bounded),
		cmocka_unit_test(waiting_before_the_driver_counts),
		cmocka_unit_test(few_ios_in_a_window_are_measured_right),
		cmocka_unit_test(a_fast_probe_is_believed_at_once),
		cmocka_unit_test(ignored_ios_have_no_part_in_the_latency),
		cmocka_unit_test(unknown_class_goes_by_its_neighbour),
		cmocka_unit_test(jiffies_are_no_stamp),
		cmocka_unit_test(sizes_are_not_taken_for_noise),
		cmocka_unit_test(cost_of_size_outlasts_one_size),
		cmocka_unit_test(cost_of_size_fades_if_others_go_elsewhere),
		cmocka_unit_test(fit_survives_extremes),
	};

	return cmocka_run_group_tests_name("latency", tests, NULL, NULL);
}
