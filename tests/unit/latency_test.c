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
	assert_in_range(b.s.latency.lat_ns, 1990000, 2010000);
	assert_in_range(b.s.latency.cls[LW_CLASS_32K].lat_ns, 990000, 1010000);
	assert_in_range(b.s.latency.cls[LW_CLASS_1M].lat_ns, 2990000, 3010000);
	assert_in_range(b.s.latency.cls[LW_CLASS_ZERO].lat_ns, 1990000, 2010000);
	assert_int_equal(b.s.counted.cls[LW_CLASS_32K].blocks, 1);
	assert_int_equal(b.s.counted.cls[LW_CLASS_1M].blocks, 256);
	assert_int_equal(lw_path_lat(&b.s), b.s.latency.lat_ns);
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
	assert_true(b.s.health.validated);
	assert_int_equal(b.s.latency.lat_ns, 0);
	assert_int_equal(b.s.capacity.base_ns, 0);
	assert_int_equal(lw_path_lat(&b.s), b.s.latency.cls[LW_CLASS_HUGE].lat_ns);
	traffic(&b, 1, 8, 1 * MS);
	assert_in_range(b.s.capacity.base_ns, 1 * MS - 16, 1 * MS);
}

static void latency_follows_a_step(void **state)
{
	for (int stamps = 0; stamps < 2; stamps++) {
		struct bench b = bench(stamps);

		traffic(&b, 50, 8, 2 * MS);
		assert_in_range(b.s.latency.lat_ns, 1900000, 2100000);
		traffic(&b, stamps ? 10 : 40, 8, 12 * MS);
		assert_in_range(b.s.latency.lat_ns, 10 * MS, 12 * MS + 100);
		assert_in_range(b.s.latency.cls[C].lat_ns, 10 * MS, 12 * MS + 100);
		traffic(&b, stamps ? 10 : 40, 8, 2 * MS);
		assert_in_range(b.s.latency.lat_ns, 2 * MS - 100, 4 * MS);
		assert_in_range(b.s.latency.cls[C].lat_ns, 2 * MS - 100, 4 * MS);
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
	assert_in_range(b.s.latency.lat_ns, 9900000, 10100000);
}

/* Of few I/Os some go on at the end of each window; those are not taken for shorter. */
static void few_ios_in_a_window_are_measured_right(void **state)
{
	for (int depth = 1; depth <= 4; depth *= 2) {
		for (u64 lat = 7 * MS; lat < 200 * MS; lat += lat / 3) {
			struct bench b = bench(true);
			struct loop l = { 0 };

			closed_loop(&b, &l, 100, depth, 0, lat);
			for (int w = 0; w < 200; w++) {
				closed_loop(&b, &l, 1, depth, 0, lat);
				assert_in_range(b.s.latency.lat_ns, lat - lat / 6, lat + lat / 6);
				assert_in_range(b.s.capacity.base_ns, lat - lat / 6, lat + lat / 6);
			}
		}
	}
}

/* Bursts of eight I/Os of 5 ms that begin together, one each 20 ms: they find one to eight. */
static void rest_does_not_dilute_the_load(void **state)
{
	struct bench b = bench(true);

	for (int w = 0; w < 10; w++) {
		for (int i = 0; i < 8; i++)
			start_at(&b, b.now);
		for (int i = 0; i < 8; i++)
			end_at(&b, b.now, b.now + 5 * MS);
		close_window(&b);
		assert_in_range(b.s.latency.load, 9 * LW_IO / 2 - 1, 9 * LW_IO / 2);
		assert_int_equal(b.s.w.busy_q10, LW_ONE / 4);
	}
	/* Nor does a window without I/O, or an hour of them. */
	close_window(&b);
	b.now += 3600 * SEC;
	close_window(&b);
	assert_in_range(b.s.latency.load, 9 * LW_IO / 2 - 1, 9 * LW_IO / 2);
	assert_int_equal(b.s.w.busy_q10, 0);
}

/* What starts find is what counts, not what is in flight at some time. */
static void load_is_what_starts_find(void **state)
{
	struct bench b = bench(true);

	for (int w = 0; w < 20; w++) {
		u64 held = b.now;

		for (int i = 0; i < 4; i++)
			start_at(&b, held);
		for (int i = 0; i < 4; i++)
			end_at(&b, held, held + 10 * MS);
		for (int i = 10; i < 18; i++) {
			start_at(&b, b.now + i * MS);
			end_at(&b, b.now + i * MS, b.now + (i + 1) * MS);
		}
		close_window(&b);
	}
	/* ten of four, eight of one */
	assert_in_range(b.s.latency.load, 18 * LW_IO / 12 - 1, 18 * LW_IO / 12 + 1);
}

/* Load counts I/Os of usual length, whatever these cost. */
static void load_counts_usual_ios(void **state)
{
	struct lw_path_state s = { .kinds.size.usual_q4 = 256 << 4, .capacity.block_cost = 1024 };
	struct lw_data_window data = { 0 };

	/* 1M costs five I/Os without data */
	assert_int_equal(lw_usual_load(&s), 5 * LW_IO);
	s.w.found = 10;
	s.w.starts = 5;
	data.in_flight_q4 = 256 << 4;
	assert_int_equal(lw_window_means(&s, &data).sum[LW_SEEN], 10 * LW_IO);
	assert_int_equal(lw_window_means(&s, &data).sum[LW_SEEN_IOS], 10 * LW_IO);
	/* Without data they cost a fifth. */
	data.in_flight_q4 = 0;
	assert_int_equal(lw_window_means(&s, &data).sum[LW_SEEN], 2 * LW_IO);
	/* What hangs is not found; nor is less than nothing. */
	s.health.hung.were = 1;
	s.w.starts = 4;
	assert_int_equal(lw_window_means(&s, &data).sum[LW_SEEN_IOS], 6 * LW_IO);
	s.w.found = -10;
	assert_int_equal(lw_window_means(&s, &data).sum[LW_SEEN], 0);
	/* Extremes do not overflow. */
	s.w.found = INT64_MAX;
	data.in_flight_q4 = LW_DATA_MAX >> 8;
	s.capacity.block_cost = LW_BLOCK_MAX;
	assert_true(lw_window_means(&s, &data).sum[LW_SEEN] > 0);
}

/* Clocks of CPUs differ, and who says late that a path is idle says too much. */
static void idle_time_that_cannot_be_is_bounded(void **state)
{
	struct lw_counted n = { .idle_ns = 100 * MS };

	assert_int_equal(lw_busy(&n, 100 * MS, 20 * MS, WINDOW), 20 * MS);
	assert_int_equal(lw_busy(&n, 90 * MS, 20 * MS, WINDOW), 20 * MS);
	assert_int_equal(lw_busy(&n, 105 * MS, 20 * MS, WINDOW), 15 * MS);
	assert_int_equal(lw_busy(&n, 120 * MS, 20 * MS, WINDOW), 20 * MS / 64 + 1);
	assert_int_equal(lw_busy(&n, 9000 * MS, 20 * MS, WINDOW), 20 * MS / 64 + 1);
	assert_int_equal(lw_busy(&n, 9000 * MS, 1, WINDOW), 1);
	/* After an hour of rest, a window that was in use all the time. */
	n.idle_ns = 0;
	assert_int_equal(lw_busy(&n, 3600 * SEC, 3600 * SEC + WINDOW, WINDOW), WINDOW);
	assert_int_equal(lw_busy(&n, 3600 * SEC + WINDOW, 3600 * SEC + WINDOW, WINDOW), 2 * WINDOW / 64 + 1);
}

static void a_fast_probe_is_believed_at_once(void **state)
{
	struct bench b = bench(true);

	traffic(&b, 50, 8, 12 * MS);
	probe(&b, 1 * MS);
	assert_int_equal(b.s.latency.lat_ns, 1 * MS);
	assert_int_equal(b.s.capacity.base_ns, 1 * MS);
}

/* @n windows of nine I/Os of 1 ms, and one that began @late windows ago. */
static void lossy(struct bench *b, int n, int late)
{
	u64 lost[8];

	for (int i = -late; i < n; i++) {
		u64 now = b->now;

		for (int k = 0; k < 9; k++) {
			start_at(b, now + k * MS);
			end_at(b, now + k * MS, now + (k + 1) * MS);
		}
		if (i >= 0)
			end_at(b, lost[i % late], now + 10 * MS);
		lost[(i + late) % late] = now + 10 * MS;
		start_at(b, now + 10 * MS);
		close_window(b);
	}
	for (int i = 0; i < late; i++)
		end_at(b, lost[i], b->now);
}

/* A tenth of the I/Os is lost for 100 ms: they are in no latency, trend or base, but in the mean. */
static void what_a_link_loses_is_apart(void **state)
{
	struct bench b = bench(true);

	b.outliers = true;
	traffic(&b, 50, 9, 1 * MS);
	lossy(&b, 200, 5);
	assert_in_range(b.s.latency.lat_ns, 990000, 1010000);
	assert_in_range(b.s.capacity.base_ns, 990000, 1010000);
	assert_in_range(lw_outliers_ns(&b.s.capacity.outliers), 8 * MS, 10 * MS);
	/* The knee counts the five that are lost, the trend does not. */
	assert_in_range(b.s.latency.load, 5 * LW_IO, 7 * LW_IO);
	assert_in_range(b.s.latency.means.sum[LW_SEEN_IOS], b.s.latency.means.sum[LW_STARTS],
			11 * b.s.latency.means.sum[LW_STARTS] / 10);
}

/* Of such a path each I/O waits before the driver stamps it: that is latency. */
static void waits_before_the_stamp_count_beside_losses(void **state)
{
	struct bench b = bench(true);

	b.outliers = true;
	traffic(&b, 50, 9, 1 * MS);
	lossy(&b, 200, 5);
	for (int i = 0; i < 150; i++) {
		for (int k = 0; k < 9; k++)
			start_at(&b, b.now + k * MS);
		for (int k = 0; k < 9; k++)
			end_at(&b, b.now + (k + 9) * MS, b.now + (k + 10) * MS);
		close_window(&b);
	}
	assert_in_range(b.s.latency.lat_ns, 9 * MS, 11 * MS);
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
	assert_false(b.s.health.validated);
	probe(&b, 1 * MS);
	assert_true(b.s.health.validated);
	assert_int_equal(b.s.latency.lat_ns, 1 * MS);
}

static void unknown_class_goes_by_its_neighbour(void **state)
{
	struct lw_latency l = { 0 };

	l.cls[LW_CLASS_64K].lat_ns = 1;
	l.cls[LW_CLASS_512K].lat_ns = 1;
	assert_int_equal(lw_class_known(&l, LW_CLASS_64K), LW_CLASS_64K);
	assert_int_equal(lw_class_known(&l, LW_CLASS_256K), LW_CLASS_64K);
	assert_int_equal(lw_class_known(&l, LW_CLASS_HUGE), LW_CLASS_512K);
	assert_int_equal(lw_class_known(&l, LW_CLASS_ZERO), LW_CLASS_64K);
	l.cls[LW_CLASS_ZERO].lat_ns = 1;
	assert_int_equal(lw_class_known(&l, LW_CLASS_32K), LW_CLASS_64K);
	assert_int_equal(lw_class_known(&l, LW_CLASS_ZERO), LW_CLASS_ZERO);
	memset(&l, 0, sizeof(l));
	assert_int_equal(lw_class_known(&l, LW_CLASS_32K), LW_CLASSES);
	l.cls[LW_CLASS_ZERO].lat_ns = 1;
	assert_int_equal(lw_class_known(&l, LW_CLASS_32K), LW_CLASS_ZERO);
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
	assert_in_range(b.s.latency.noise_q16 >> 8, 0, 5);
	/* 97 blocks are usual, more or less */
	assert_in_range(lw_path_base_lat(&b.s), 1700000, 2200000);
	/* one of 4k takes a millisecond, one of 1M three and a half */
	assert_in_range(b.s.capacity.base_ns + lw_size_longer_ns(&b.s.kinds.size, 1 << 4), 950000, 1060000);
	assert_in_range(b.s.capacity.base_ns + lw_size_longer_ns(&b.s.kinds.size, 256 << 4), 3500000, 3650000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_of_all_sizes_is_one_latency),
		cmocka_unit_test(what_is_no_data_tells_nothing_of_data),
		cmocka_unit_test(load_counts_usual_ios),
		cmocka_unit_test(load_is_what_starts_find),
		cmocka_unit_test(latency_follows_a_step),
		cmocka_unit_test(rest_does_not_dilute_the_load),
		cmocka_unit_test(idle_time_that_cannot_be_is_bounded),
		cmocka_unit_test(waiting_before_the_driver_counts),
		cmocka_unit_test(few_ios_in_a_window_are_measured_right),
		cmocka_unit_test(a_fast_probe_is_believed_at_once),
		cmocka_unit_test(what_a_link_loses_is_apart),
		cmocka_unit_test(waits_before_the_stamp_count_beside_losses),
		cmocka_unit_test(ignored_ios_have_no_part_in_the_latency),
		cmocka_unit_test(unknown_class_goes_by_its_neighbour),
		cmocka_unit_test(jiffies_are_no_stamp),
		cmocka_unit_test(sizes_are_not_taken_for_noise),
	};

	return cmocka_run_group_tests_name("latency", tests, NULL, NULL);
}
