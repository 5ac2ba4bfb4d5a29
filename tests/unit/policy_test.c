// SPDX-License-Identifier: GPL-2.0
/* model/policy.h: interfaces of programs, and which are too slow. */
/*
 * promise service/slow-policy: A BPF program that is slow is found out and detached, and no
 *   interruption of one makes it slow | full: `guests-*`
 */
#include "unit.h"

#include "model/policy.h"

#define LIMIT	50000ULL

static void marks_tell_version_and_costs(void **state)
{
	assert_int_equal(lw_policy_version(0), 0);
	assert_true(lw_policy_reads_cost(0));
	for (unsigned int version = 1; version <= 32; version++) {
		u32 first = 2 * (version - 1);

		/* A program accesses one mark, and the ones before count. */
		assert_int_equal(lw_policy_version(first + 1), version);
		assert_false(lw_policy_reads_cost(first + 1));
		assert_int_equal(lw_policy_version(first + 2), version);
		assert_true(lw_policy_reads_cost(first + 2));
	}
}

/* Runs of @took_ns, one each @every_ns; return after how many it is too slow, 0 if after none. */
static int slow_after(struct lw_policy_time *t, u64 *now, u64 took_ns, u64 every_ns, int n)
{
	for (int i = 1; i <= n; i++) {
		if (t->wait) {
			t->wait--;
		} else if (lw_policy_time_add(t, *now, *now + took_ns, LIMIT)) {
			return i;
		}
		*now += max(took_ns, every_ns);
	}
	return 0;
}

static void slow_program_is_found_out_in_a_second(void **state)
{
	static const u64 took[] = { LIMIT + 1, 3 * LIMIT, 1000 * LIMIT };

	for (int i = 0; i < ARRAY_SIZE(took); i++) {
		struct lw_policy_time t = { 0 };
		u64 now = 5 * SEC;

		assert_true(slow_after(&t, &now, took[i], 100000, 100000));
		assert_in_range(now - 5 * SEC, SEC - took[i], SEC + 2 * took[i]);
	}
}

static void a_program_that_takes_very_long_is_found_out_by_eight_runs(void **state)
{
	struct lw_policy_time t = { 0 };
	u64 now = SEC;

	assert_int_equal(slow_after(&t, &now, SEC / 2, 0, 100), 8);
}

static void program_that_becomes_slow_is_found_out_soon(void **state)
{
	struct lw_policy_time t = { 0 };
	u64 now = SEC;

	assert_int_equal(slow_after(&t, &now, 40000, 0, 100000), 0);
	assert_in_range(slow_after(&t, &now, SEC / 2, 0, 1000), 8, 64 + 3 + 8);
}

static void quick_program_is_never_slow(void **state)
{
	struct lw_policy_time t = { 0 };
	u64 now = SEC;

	assert_int_equal(slow_after(&t, &now, LIMIT, 1000, 1000000), 0);
	assert_true(t.was_runs);
	assert_int_equal(t.was_took_ns / t.was_runs, LIMIT);
}

/* What the program does not cause: something else had the CPU for 10 ms. */
static void one_interruption_is_no_reason(void **state)
{
	static const u64 every[] = { 1000, 100000, SEC / 10 };

	for (int i = 0; i < ARRAY_SIZE(every); i++) {
		struct lw_policy_time t = { 0 };
		u64 now = SEC;

		for (int k = 0; k < 20; k++) {
			t.wait = 0;
			assert_int_equal(slow_after(&t, &now, 10000000, every[i], 1), 0);
			assert_int_equal(slow_after(&t, &now, 500, every[i], 2000), 0);
		}
	}
}

static void without_a_limit_nothing_is_slow(void **state)
{
	struct lw_policy_time t = { 0 };

	for (u64 now = SEC; now < 100 * SEC; now += SEC)
		assert_false(lw_policy_time_add(&t, now, now + SEC, 0));
}

static void one_of_64_runs_is_timed(void **state)
{
	struct lw_policy_time t = { 0 };
	u64 now = SEC;

	slow_after(&t, &now, 500, 1000, 64 * 100);
	assert_int_equal(t.runs, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_tell_version_and_costs),
		cmocka_unit_test(slow_program_is_found_out_in_a_second),
		cmocka_unit_test(a_program_that_takes_very_long_is_found_out_by_eight_runs),
		cmocka_unit_test(program_that_becomes_slow_is_found_out_soon),
		cmocka_unit_test(quick_program_is_never_slow),
		cmocka_unit_test(one_interruption_is_no_reason),
		cmocka_unit_test(without_a_limit_nothing_is_slow),
		cmocka_unit_test(one_of_64_runs_is_timed),
	};

	return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
