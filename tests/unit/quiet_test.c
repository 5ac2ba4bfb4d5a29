// SPDX-License-Identifier: GPL-2.0
/* quiet.h: which selectors have longer windows. */
#include "unit.h"
#include "model/quiet.h"

#define WINDOW_MS 20
#define WINDOW_NS (WINDOW_MS * 1000000ULL)

/* A path that is used for this part of a window, in per cent, and ends so many I/Os. */
static struct lw_path_state path(unsigned int percent, u64 ends)
{
	return (struct lw_path_state){
		.health.validated = true, .latency.load = LW_IO,
		.w = { .starts = ends, .ends = ends, .busy_q10 = LW_ONE * percent / 100 },
	};
}

static unsigned int next(struct lw_path_state a, struct lw_path_state b, unsigned int windows)
{
	struct lw_quiet q = { 0 };

	lw_quiet_add(&q, &a, windows * WINDOW_NS);
	lw_quiet_add(&q, &b, windows * WINDOW_NS);
	return lw_quiet_windows(&q, windows, WINDOW_MS);
}

static void few_ios_have_long_windows(void **state)
{
	assert_int_equal(next(path(20, 10), path(20, 10), 1), 5);
	assert_int_equal(next(path(20, 50), path(20, 50), 5), 5);
	assert_int_equal(next(path(20, 17), path(20, 16), 1), 1);
	assert_int_equal(next(path(20, 81), path(20, 80), 5), 1);
}

/* An I/O that hangs makes its path busy. */
static void busy_paths_have_short_windows(void **state)
{
	struct lw_path_state hangs = path(60, 0);

	hangs.w.inflight = 1;
	assert_int_equal(next(path(20, 10), hangs, 5), 1);
	assert_int_equal(next(path(30, 10), path(30, 10), 5), 1);
}

/* Which is at least a 64th of each window. */
static void unused_paths_are_not_busy(void **state)
{
	struct lw_path_state rests = path(100, 0);

	assert_int_equal(next(path(40, 10), rests, 1), 5);
	rests.w.starts = 1;
	assert_int_equal(next(path(40, 10), rests, 1), 1);
}

static void what_is_awaited_has_short_windows(void **state)
{
	struct lw_path_state s = path(10, 1);

	s.health.validated = false;
	assert_int_equal(next(path(20, 10), s, 1), 1);
	s = path(10, 1);
	s.health.stalled = true;
	assert_int_equal(next(s, path(20, 10), 1), 1);
	s = path(10, 1);
	s.capacity.dip.left = 1;
	assert_int_equal(next(path(20, 10), s, 1), 1);
	s = path(10, 1);
	s.latency.load = 3 * LW_IO;
	assert_int_equal(next(path(20, 10), s, 1), 1);
}

/* Else rare I/Os would be probes far more often, and what hangs at once would look idle. */
static void first_window_after_a_rest_tells_nothing(void **state)
{
	struct lw_path_state s = path(2, 1);

	s.w.elapsed_ns = 7 * WINDOW_NS;
	assert_int_equal(next(path(20, 10), s, 1), 1);
	s.w.elapsed_ns = WINDOW_NS;
	assert_int_equal(next(path(20, 10), s, 1), 5);
	s.w.ends = 0;
	s.w.inflight = 1;
	assert_int_equal(next(path(20, 10), s, 1), 1);
}

/* No longer than 100 ms, unless usual ones are. */
static void longer_windows_stay_as_they_are(void **state)
{
	struct lw_path_state s = path(20, 10);
	struct lw_quiet q = { 0 };

	lw_quiet_add(&q, &s, WINDOW_NS);
	assert_int_equal(lw_quiet_windows(&q, 1, 5), 20);
	assert_int_equal(lw_quiet_windows(&q, 1, 50), 2);
	assert_int_equal(lw_quiet_windows(&q, 1, 60), 1);
	assert_int_equal(lw_quiet_windows(&q, 1, 1000), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_ios_have_long_windows),
		cmocka_unit_test(busy_paths_have_short_windows),
		cmocka_unit_test(unused_paths_are_not_busy),
		cmocka_unit_test(what_is_awaited_has_short_windows),
		cmocka_unit_test(first_window_after_a_rest_tells_nothing),
		cmocka_unit_test(longer_windows_stay_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
