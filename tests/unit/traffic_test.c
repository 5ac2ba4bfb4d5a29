// SPDX-License-Identifier: GPL-2.0
/* traffic.h: what a path had lately. */
#include "unit.h"
#include "model/traffic.h"

#define HALF (LW_TRAFFIC_HALF_MS * MS)

static void half_is_left_after_half_time(void **state)
{
	struct lw_traffic t = { 0 };

	lw_traffic_add(&t, 1024, 5 * SEC);
	assert_int_equal(lw_traffic_at(&t, 5 * SEC), 1024 << 16);
	for (unsigned int n = 1; n < 20; n++)
		assert_int_equal(lw_traffic_at(&t, 5 * SEC + n * HALF), (1024 << 16) >> n);
	assert_in_range(lw_traffic_at(&t, 5 * SEC + HALF / 2), 1024 * 70 / 100 << 16, 1024 * 71 / 100 << 16);
	assert_int_equal(lw_traffic_at(&t, 5 * SEC + 64 * HALF), 0);
	assert_int_equal(lw_traffic_at(&t, U64_MAX / 2), 0);
}

/* Windows of 20 ms, and those of a selector that rests. */
static void many_steps_are_as_one(void **state)
{
	struct lw_traffic t = { 0 };

	lw_traffic_add(&t, 1024, 1 * SEC);
	for (u64 now = 1 * SEC; now <= 1 * SEC + HALF; now += 20 * MS)
		lw_traffic_add(&t, 0, now);
	assert_in_range(t.ios_q16, 505 << 16, 519 << 16);
}

/* promise numbers/clocks */
/* Another selector's window may have looked at the clock later. */
static void time_does_not_run_backwards(void **state)
{
	struct lw_traffic t = { 0 };

	lw_traffic_add(&t, 10, 2 * SEC);
	assert_int_equal(lw_traffic_at(&t, 1 * SEC), 10 << 16);
}

static void shares_are_those_of_the_traffic(void **state)
{
	struct lw_traffic many = { 0 }, few = { 0 };

	for (u64 now = 0; now < 20 * SEC; now += 20 * MS) {
		lw_traffic_add(&many, 99, now);
		lw_traffic_add(&few, 1, now);
	}
	u64 a = lw_traffic_at(&many, 20 * SEC), b = lw_traffic_at(&few, 20 * SEC);

	assert_in_range(b * 10000 / (a + b), 99, 101);
	/* at rest shares stay */
	a = lw_traffic_at(&many, 40 * SEC), b = lw_traffic_at(&few, 40 * SEC);
	assert_in_range(b * 10000 / (a + b), 98, 102);
}

static void no_rate_overflows(void **state)
{
	struct lw_traffic t = { 0 };

	for (u64 now = 0; now < 100 * SEC; now += 1 * SEC)
		lw_traffic_add(&t, 10000000, now);
	assert_in_range(lw_traffic_at(&t, 100 * SEC) >> 16, 20000000, 60000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_is_left_after_half_time),
		cmocka_unit_test(many_steps_are_as_one),
		cmocka_unit_test(time_does_not_run_backwards),
		cmocka_unit_test(shares_are_those_of_the_traffic),
		cmocka_unit_test(no_rate_overflows),
	};

	return cmocka_run_group_tests_name("traffic", tests, NULL, NULL);
}
