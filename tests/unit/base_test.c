// SPDX-License-Identifier: GPL-2.0
/* lw_knee.h: where base latencies come from, and their bounds. */
#include "bench.h"

static void base_is_the_first_started_not_the_luckiest(void **state)
{
	struct bench b = bench(true);

	start_at(&b, b.now);
	start_at(&b, b.now + 1);
	end_at(&b, b.now + 1, b.now + 2 * MS);
	end_at(&b, b.now, b.now + 6 * MS);
	close_window(&b);
	assert_int_equal(b.s.cls[C].base_ns, 6 * MS);
}

static void first_base_goes_by_what_is_known(void **state)
{
	struct lw_path_state light = { 0 }, loaded = { .inflight = 9 };
	struct lw_class_state k = { .lat_ns = 5 * MS };

	/* stamped: the first sample, may later ones be faster or slower */
	assert_int_equal(lw_first_base(&loaded, &k, 4 * MS, true), 4 * MS);
	assert_int_equal(lw_first_base(&loaded, &k, 6 * MS, true), 6 * MS);
	/* not stamped: the latency */
	assert_int_equal(lw_first_base(&loaded, &k, 0, true), 5 * MS);
	/* an older base, if it is lower and a stall may have left a queue */
	k.base_ns = 3 * MS;
	assert_int_equal(lw_first_base(&loaded, &k, 6 * MS, true), 3 * MS);
	assert_int_equal(lw_first_base(&loaded, &k, 0, true), 3 * MS);
	assert_int_equal(lw_first_base(&light, &k, 6 * MS, true), 6 * MS);
	/* the same flood, but an I/O that started earlier is done only now */
	assert_int_equal(lw_first_base(&loaded, &k, 6 * MS, false), 6 * MS);
	k.base_ns = 7 * MS;
	assert_int_equal(lw_first_base(&loaded, &k, 0, true), 5 * MS);
}

static void less_data_takes_no_longer(void **state)
{
	static const u64 base_ns[LW_CLASSES] = {
		[LW_CLASS_ZERO] = 20, [LW_CLASS_32K] = 9, [LW_CLASS_64K] = 7,
		[LW_CLASS_256K] = 8, [LW_CLASS_1M] = 3, [LW_CLASS_HUGE] = 1,
	};
	struct lw_path_state s = { .active_ns = 5 };
	unsigned int c;

	for (c = 0; c < LW_CLASSES; c++) {
		s.cls[c].base_ns = s.cls[c].lat_ns = base_ns[c];
		s.cls[c].seen_ns = c == LW_CLASS_1M ? 4 : 5;
	}
	lw_bases_by_size(&s);
	assert_int_equal(s.cls[LW_CLASS_32K].base_ns, 7);
	assert_int_equal(s.cls[LW_CLASS_64K].base_ns, 7);
	assert_int_equal(s.cls[LW_CLASS_128K].base_ns, 0);	/* still unknown */
	assert_int_equal(s.cls[LW_CLASS_256K].base_ns, 8);
	/* Not seen in this window, so it neither learns nor teaches. */
	assert_int_equal(s.cls[LW_CLASS_1M].base_ns, 3);
	/* Flushes and discards are no data. */
	assert_int_equal(s.cls[LW_CLASS_ZERO].base_ns, 20);
	assert_int_equal(s.cls[LW_CLASS_HUGE].base_ns, 1);
}

static void base_of_a_size_not_in_use_holds_for_none(void **state)
{
	struct bench b = bench(true);

	/* The path is proven; its 128k was as fast as 3 ms, long ago. */
	b.s.proven = true;
	b.s.cls[LW_CLASS_128K].lat_ns = b.s.cls[LW_CLASS_128K].base_ns = 3 * MS;
	traffic(&b, 1, 8, 5 * MS);
	assert_int_equal(b.s.cls[C].base_ns, 5 * MS);
	assert_int_equal(b.s.cls[LW_CLASS_128K].base_ns, 3 * MS);
}

static void serial_service_bounds_the_base(void **state)
{
	struct lw_class_state k = { .work = 5, .lat_ns = 16 * MS };
	struct lw_path_state s = { .load = 40, .ios_q8 = 8 << 8 };

	/* eight I/Os, 40 units of 5: one alone takes 2 ms at least */
	assert_int_equal(lw_base_bound(&s, &k), 2 * MS);
	/* two I/Os, but of 160 units: as long as 32 of this class */
	s.ios_q8 = 2 << 8;
	s.load = 160;
	assert_int_equal(lw_base_bound(&s, &k), MS / 2);
	/* never less than one */
	s.ios_q8 = 100;
	s.load = 2;
	assert_int_equal(lw_base_bound(&s, &k), 16 * MS);
	k = (struct lw_class_state){ .lat_ns = LW_NS_MAX };
	s.load = 1ULL << 31;
	assert_int_equal(lw_base_bound(&s, &k), LW_NS_MAX >> 31);
}

static void base_rises_to_what_no_queue_explains(void **state)
{
	struct lw_path_state s = { .load = 40, .load_met = 40, .ios_q8 = 8 << 8, .knee = 20 };
	struct lw_class_state k = { .work = 5, .lat_ns = 16 * MS, .window_ns = 16 * MS,
				    .base_ns = 1 * MS, .first_ns = 1 * MS };

	/* loaded twice the knee, but 8 times 1 ms is not 16: a quarter to 2 ms */
	lw_class_base(&s, &k, 1 * MS, false);
	assert_int_equal(k.base_ns, 1250000);
	/* 8 times 2 ms is */
	k.base_ns = 2 * MS;
	lw_class_base(&s, &k, 1 * MS, false);
	assert_int_equal(k.base_ns, 2 * MS);
}

static void base_does_not_rise_while_a_queue_runs_dry(void **state)
{
	struct bench b = bench(true);
	u64 loaded;

	traffic(&b, 5, 8, 2 * MS);
	assert_int_equal(b.s.cls[C].base_ns, 2 * MS);
	/* Twenty at once, half a millisecond each; the load ends with the window. */
	for (int i = 0; i < 20; i++)
		start_at(&b, b.now + 10 * MS);
	for (int i = 0; i < 10; i++)
		end_at(&b, b.now + 10 * MS, b.now + 12 * MS + i * MS / 2);
	b.s.knee = 4 * lw_work(4096);
	loaded = b.now + 10 * MS;
	close_window(&b);
	assert_int_equal(b.s.cls[C].base_ns, 2 * MS);
	/* The last ten find less and less beside them, but have waited for the others. */
	for (int i = 0; i < 10; i++)
		end_at(&b, loaded, b.now + i * MS / 2);
	b.s.knee = 20 * lw_work(4096);
	close_window(&b);
	assert_true(b.s.load < 6 * lw_work(4096));
	assert_true(b.s.load_met > 14 * lw_work(4096));
	assert_int_equal(b.s.cls[C].base_ns, 2 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(base_is_the_first_started_not_the_luckiest),
		cmocka_unit_test(first_base_goes_by_what_is_known),
		cmocka_unit_test(less_data_takes_no_longer),
		cmocka_unit_test(base_of_a_size_not_in_use_holds_for_none),
		cmocka_unit_test(serial_service_bounds_the_base),
		cmocka_unit_test(base_rises_to_what_no_queue_explains),
		cmocka_unit_test(base_does_not_rise_while_a_queue_runs_dry),
	};

	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
