// SPDX-License-Identifier: GPL-2.0
/* model/suspect.h: a path that is suddenly faster than it ever was. */
#include "unit.h"
#include "model/suspect.h"

#define WINDOW (20 * MS)

static void most_completions_make_a_suspect(void **state)
{
	u32 score = 0;

	/* Every second one is a cache's, for any time. */
	for (int i = 0; i < 1000; i++) {
		score = lw_suspect_step(score, i % 2);
		assert_true(score < LW_SUSPECT);
	}
	/* Two of three are not. */
	score = 0;
	for (int i = 0; i < 12; i++)
		score = lw_suspect_step(score, i % 3);
	assert_true(score >= LW_SUSPECT);
	/* The score has a limit, so it ends soon when the path is as it was. */
	for (int i = 0; i < 1000; i++)
		score = lw_suspect_step(score, true);
	assert_int_equal(score, LW_SUSPECT_MAX);
	for (u32 i = 0; i <= LW_SUSPECT_MAX - LW_SUSPECT; i++)
		score = lw_suspect_step(score, false);
	assert_true(score < LW_SUSPECT);
	for (u32 i = 0; i < LW_SUSPECT_MAX; i++)
		score = lw_suspect_step(score, false);
	assert_int_equal(score, 0);
}

static void suspicion_ends_after_a_second(void **state)
{
	u64 since_ns = 0, now = 5 * SEC, since;

	assert_true(lw_suspect_clear(&since_ns, 0, now));
	since = now += WINDOW;
	for (; now < since + SEC; now += WINDOW)
		assert_false(lw_suspect_clear(&since_ns, LW_SUSPECT, now));
	assert_true(lw_suspect_clear(&since_ns, LW_SUSPECT, now));
	/* The next one lasts as long again. */
	now += WINDOW;
	assert_false(lw_suspect_clear(&since_ns, LW_SUSPECT, now));
	assert_false(lw_suspect_clear(&since_ns, LW_SUSPECT, now + SEC - 1));
	assert_true(lw_suspect_clear(&since_ns, LW_SUSPECT, now + SEC));
}

static void suspicion_ends_at_once_when_nothing_is_suspicious(void **state)
{
	u64 since_ns = 0, now = 5 * SEC;

	assert_false(lw_suspect_clear(&since_ns, 1, now));
	assert_true(lw_suspect_clear(&since_ns, 0, now + WINDOW));
	/* and the time so far does not count for the next one */
	assert_false(lw_suspect_clear(&since_ns, 1, now + 2 * WINDOW));
	assert_false(lw_suspect_clear(&since_ns, 1, now + SEC + WINDOW));
}

static void bound_is_a_quarter_of_the_least(void **state)
{
	assert_int_equal(lw_suspect_bound(1000, SEC), 250);
	assert_int_equal(lw_suspect_bound(1000, 3600 * SEC), 250);
	assert_int_equal(lw_suspect_bound(LW_TICKS_MAX, SEC), LW_TICKS_MAX / 4);
	/* nothing was measured yet */
	assert_int_equal(lw_suspect_bound(U32_MAX, SEC), 0);
	assert_int_equal(lw_suspect_bound(3, SEC), 0);
}

static void new_path_is_above_suspicion(void **state)
{
	assert_int_equal(lw_suspect_bound(1000, 0), 0);
	assert_int_equal(lw_suspect_bound(1000, SEC - 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(most_completions_make_a_suspect),
		cmocka_unit_test(suspicion_ends_after_a_second),
		cmocka_unit_test(suspicion_ends_at_once_when_nothing_is_suspicious),
		cmocka_unit_test(bound_is_a_quarter_of_the_least),
		cmocka_unit_test(new_path_is_above_suspicion),
	};

	return cmocka_run_group_tests_name("suspect", tests, NULL, NULL);
}
