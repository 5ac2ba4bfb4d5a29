// SPDX-License-Identifier: GPL-2.0
/* model/backoff.h: paths that fail again soon after they were reinstated. */
#include "unit.h"
#include "model/backoff.h"

/* Reinstate at @now, fail @good_ns after the rest is over; returns the rest. */
static u64 flap(struct lw_backoff *f, u64 *now_ns, u64 good_ns)
{
	u64 rest_ns;

	lw_backoff_reinstated(f, *now_ns);
	rest_ns = f->back_ns - *now_ns;
	*now_ns += rest_ns + good_ns;
	lw_backoff_failed(f, *now_ns);
	return rest_ns;
}

static void first_failure_costs_nothing(void **state)
{
	struct lw_backoff f = { 0 };

	lw_backoff_failed(&f, 5 * MS);
	assert_false(lw_backoff_reinstated(&f, 6 * MS));
	assert_false(lw_backoff_active(&f, 6 * MS));
}

static void each_rest_is_twice_as_long(void **state)
{
	static const u64 ms[] = { 0, 25, 50, 100, 200, 400, 800, 1600, 3200,
				  6400, 10000, 10000, 10000 };
	struct lw_backoff f = { 0 };
	u64 now_ns = SEC;

	for (unsigned int i = 0; i < ARRAY_SIZE(ms); i++)
		assert_int_equal(flap(&f, &now_ns, MS), ms[i] * MS);
}

/* promise numbers/clocks */
/* It fails on a CPU whose clock is behind that of the CPU that reinstated it. */
static void clock_behind_is_no_time(void **state)
{
	struct lw_backoff f = { 0 };

	lw_backoff_reinstated(&f, SEC);
	lw_backoff_failed(&f, SEC - MS);
	assert_int_equal(f.count, 1);
	assert_true(lw_backoff_reinstated(&f, SEC - MS));
	assert_true(lw_backoff_active(&f, SEC - 2 * MS));
	assert_false(lw_backoff_active(&f, SEC + 24 * MS));
}

static void rest_ends(void **state)
{
	struct lw_backoff f = { 0 };
	u64 now_ns = SEC;

	flap(&f, &now_ns, MS);
	assert_true(lw_backoff_reinstated(&f, now_ns));
	assert_true(lw_backoff_active(&f, now_ns + 24 * MS));
	assert_false(lw_backoff_active(&f, now_ns + 25 * MS));
}

static void failed_path_does_not_rest(void **state)
{
	struct lw_backoff f = { 0 };
	u64 now_ns = SEC;

	flap(&f, &now_ns, MS);
	lw_backoff_reinstated(&f, now_ns);
	lw_backoff_failed(&f, now_ns);		/* the only path: used all the same */
	assert_false(lw_backoff_active(&f, now_ns));
}

static void good_behaviour_is_forgotten_in_steps(void **state)
{
	struct lw_backoff f = { 0 };
	u64 now_ns = SEC;

	for (int i = 0; i < 20; i++)
		flap(&f, &now_ns, MS);
	assert_int_equal(flap(&f, &now_ns, 30 * SEC), 10 * SEC);
	assert_int_equal(flap(&f, &now_ns, 10 * SEC), 1600 * MS);
	assert_int_equal(flap(&f, &now_ns, 80 * SEC), 800 * MS);
	assert_int_equal(flap(&f, &now_ns, 80 * SEC), 0);
}

static void failure_late_after_reinstatement_is_no_flap(void **state)
{
	struct lw_backoff f = { 0 };
	u64 now_ns = SEC;

	for (int i = 0; i < 20; i++)
		assert_int_equal(flap(&f, &now_ns, 300 * MS), 0);
	assert_int_equal(flap(&f, &now_ns, 300 * MS - 1), 0);
	assert_int_equal(flap(&f, &now_ns, MS), 25 * MS);
	/* It neither counts nor takes back what did. */
	assert_int_equal(flap(&f, &now_ns, SEC), 50 * MS);
	assert_int_equal(flap(&f, &now_ns, SEC), 50 * MS);
}

static void failed_twice_counts_once(void **state)
{
	struct lw_backoff f = { 0 };
	u64 now_ns = SEC;

	flap(&f, &now_ns, MS);
	for (int i = 0; i < 5; i++)
		lw_backoff_failed(&f, now_ns + i * MS);
	assert_int_equal(flap(&f, &now_ns, MS), 25 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_failure_costs_nothing),
		cmocka_unit_test(each_rest_is_twice_as_long),
		cmocka_unit_test(rest_ends),
		cmocka_unit_test(clock_behind_is_no_time),
		cmocka_unit_test(failed_path_does_not_rest),
		cmocka_unit_test(good_behaviour_is_forgotten_in_steps),
		cmocka_unit_test(failure_late_after_reinstatement_is_no_flap),
		cmocka_unit_test(failed_twice_counts_once),
	};

	return cmocka_run_group_tests_name("flap", tests, NULL, NULL);
}
