// SPDX-License-Identifier: GPL-2.0
/* model/choose.h: who gets the I/O of a map that is only observed. */
/* promise steering/observed-map */
#include "unit.h"
#include "model/choose.h"
#include "model/shown.h"

struct candidate {
	enum lw_use use;
	u32 inflight;	/* I/Os */
};

/* So many I/Os of 4k. */
static u64 flight_of(u32 ios)
{
	return ios * lw_flight(1);
}

static int choose_as(enum lw_chooser by, const struct candidate *c, int n, int first)
{
	struct lw_choice best = LW_CHOICE_NONE;

	for (int k = 0; k < n; k++) {
		int i = (first + k) % n;

		lw_track_best(&best, i, lw_peer_cost(by, c[i].use, flight_of(c[i].inflight)));
	}
	assert_int_equal(lw_choice_use(&best), c[best.index].use);
	assert_int_equal(lw_choice_cost(&best), 0);
	return best.index;
}

/* By the count or by turns, however slow a path is; the eligibility decides first. */
static void observed_paths_are_chosen_as_a_peer_does(void **state)
{
	struct candidate c[] = { { LW_USE, 5 }, { LW_USE, 4 }, { LW_USE, 4 } };

	for (int first = 0; first < 3; first++)
		assert_int_equal(choose_as(LW_BY_TURNS, c, 3, first), first);
	assert_int_equal(choose_as(LW_BY_QUEUE_LENGTH, c, 3, 0), 1);
	assert_int_equal(choose_as(LW_BY_QUEUE_LENGTH, c, 3, 2), 2);
	c[1] = (struct candidate){ LW_STALLED, 0 };
	c[2].use = LW_FULL;
	for (int first = 0; first < 3; first++) {
		assert_int_equal(choose_as(LW_BY_TURNS, c, 3, first), 0);
		assert_int_equal(choose_as(LW_BY_QUEUE_LENGTH, c, 3, first), 0);
	}
	c[0].use = LW_AVOID;
	assert_int_equal(choose_as(LW_BY_TURNS, c, 3, 0), 2);
	assert_int_equal(choose_as(LW_BY_QUEUE_LENGTH, c, 3, 0), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(observed_paths_are_chosen_as_a_peer_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
