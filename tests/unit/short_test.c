// SPDX-License-Identifier: GPL-2.0
/* model/probe.h: which I/Os are short for a path, and when it gets one to find out. */
#include "bench.h"

static void sized_traffic(struct bench *b, int n, size_t bytes, u64 lat)
{
	while (n--) {
		start_sized(b, bytes, b->now);
		end_sized(b, bytes, b->now, b->now + lat);
		close_window(b);
	}
}

/* Others get 4k and 1M; this path gets 1M alone, 64 windows long, and then an I/O of 4k. */
static void short_io_that_never_comes_is_probed(void **state)
{
	struct lw_probing p = { .window_ns = WINDOW, .recent_q8 = 4 << 8, .least_ns = 5 * MS, .inflight = 5,
				.min_ms = 100, .max_ms = 5000 };
	struct bench b = bench(true);

	traffic(&b, 1, 4, 5 * MS);
	sized_traffic(&b, 60, 1 << 20, 5 * MS);
	assert_int_equal(lw_short_below(&b.s), LW_CLASS_1M);
	assert_false(lw_short_probe_wanted(&b.s, &p, 100));
	sized_traffic(&b, 10, 1 << 20, 5 * MS);
	assert_true(lw_short_probe_wanted(&b.s, &p, 100));
	/* Not where nobody has short ones, or few: no more than one in 64; and a slow path costs more. */
	assert_false(lw_short_probe_wanted(&b.s, &p, 0));
	assert_false(lw_short_probe_wanted(&b.s, &p, 63));
	p.least_ns = 1 * MS;
	assert_false(lw_short_probe_wanted(&b.s, &p, 100));
	assert_true(lw_short_probe_wanted(&b.s, &p, 400));
	/* A path that is not used has probes of its own. */
	p.recent_q8 = 1000 << 8;
	assert_false(lw_short_probe_wanted(&b.s, &p, 400));
	p.recent_q8 = 4 << 8;
	/* One at a time, and the next 64 windows later. */
	u64 started = b.now;

	start_at(&b, started);
	close_window(&b);
	assert_false(lw_short_probe_wanted(&b.s, &p, 400));
	end_at(&b, started, b.now + MS);
	close_window(&b);
	assert_false(lw_short_probe_wanted(&b.s, &p, 400));
	sized_traffic(&b, 70, 1 << 20, 5 * MS);
	assert_true(lw_short_probe_wanted(&b.s, &p, 400));
	b.s.health.stalled = true;
	assert_false(lw_short_probe_wanted(&b.s, &p, 400));
	/* Nothing is short for a path with short ones alone. */
	b = bench(true);
	traffic(&b, 100, 4, 5 * MS);
	p.done[LW_CLASS_32K] = 1000;
	assert_int_equal(lw_short_done(&b.s, &p), 0);
}

/* The usual length is a moving average: from longer I/Os down to these, or from shorter ones up. */
static void ios_of_the_usual_length_are_not_short(void **state)
{
	const unsigned int lengths[] = { 4 << 10, 32 << 10, 64 << 10, 128 << 10, 1 << 20 };
	u64 i, from;

	for (from = 4 << 10; from <= 4 << 20; from <<= 10) {
		for (i = 0; i < ARRAY_SIZE(lengths); i++) {
			struct bench b = bench(true);

			sized_traffic(&b, 20, from, 5 * MS);
			sized_traffic(&b, 100, lengths[i], 5 * MS);
			assert_int_equal(lw_short_below(&b.s), lw_class(lengths[i]));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_io_that_never_comes_is_probed),
		cmocka_unit_test(ios_of_the_usual_length_are_not_short),
	};

	return cmocka_run_group_tests_name("short", tests, NULL, NULL);
}
