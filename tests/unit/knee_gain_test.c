// SPDX-License-Identifier: GPL-2.0
/* model/knee_gain.h: the knee of a path that rests while others work. */
#include "unit.h"
#include "model/knee_gain.h"

#define KNEE 10U

/* At its knee, in use for a part of the window. */
static struct lw_path_state path(u32 busy)
{
	return (struct lw_path_state){ .latency.load = KNEE, .capacity.knee = KNEE,
				       .w = { .busy_q10 = busy, .ends = 1 } };
}

static u32 after(int windows, u32 stretch, const struct lw_path_state *s, u32 busiest)
{
	while (windows--)
		stretch = lw_knee_gain_step(stretch, s, busiest);
	return stretch;
}

static void a_path_in_use_is_not_stretched(void **state)
{
	struct lw_path_state s = path(LW_ONE);

	assert_int_equal(after(1, LW_ONE, &s, LW_ONE), LW_ONE);
	assert_int_equal(after(1000, LW_ONE, &s, LW_ONE), LW_ONE);
	/* nor one that is the busiest, however little that is */
	s.w.busy_q10 = 10;
	assert_int_equal(after(1000, LW_ONE, &s, 10), LW_ONE);
	assert_int_equal(after(1000, LW_ONE, &s, 0), LW_ONE);
}

static void the_longer_the_rest_the_faster(void **state)
{
	struct lw_path_state all = path(0), half = path(LW_ONE / 2), eighth = path(LW_ONE * 7 / 8);

	assert_int_equal(after(1, LW_ONE, &all, LW_ONE), LW_ONE * 5 / 4);
	assert_int_equal(after(1, LW_ONE, &half, LW_ONE), LW_ONE * 9 / 8);
	assert_int_equal(after(1, LW_ONE, &eighth, LW_ONE), LW_ONE);
}

static void it_ends_at_the_limit_and_fades(void **state)
{
	struct lw_path_state rests = path(0), works = path(LW_ONE);

	assert_int_equal(after(100, LW_ONE, &rests, LW_ONE), LW_KNEE_GAIN_MAX);
	assert_in_range(after(25, LW_KNEE_GAIN_MAX, &works, LW_ONE), LW_KNEE_GAIN_MAX / 3,
			LW_KNEE_GAIN_MAX / 2);
	/* down to where a 32nd is nothing */
	assert_int_equal(after(1000, LW_KNEE_GAIN_MAX, &works, LW_ONE), LW_ONE);
}

static void who_is_not_wanted_is_not_stretched(void **state)
{
	struct lw_path_state s = path(LW_ONE / 4);

	s.latency.load = KNEE * 3 / 4;		/* 7 of 10: below three quarters */
	assert_int_equal(after(10, LW_ONE, &s, LW_ONE), LW_ONE);
	s.latency.load = KNEE;
	s.w.ends = 0;
	assert_int_equal(after(10, LW_ONE, &s, LW_ONE), LW_ONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_in_use_is_not_stretched),
		cmocka_unit_test(the_longer_the_rest_the_faster),
		cmocka_unit_test(it_ends_at_the_limit_and_fades),
		cmocka_unit_test(who_is_not_wanted_is_not_stretched),
	};

	return cmocka_run_group_tests_name("stretch", tests, NULL, NULL);
}
