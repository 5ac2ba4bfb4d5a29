// SPDX-License-Identifier: GPL-2.0
/* model/choose.h: who gets the I/O. */
/* promise memory/ended-twice */
#include "unit.h"
#include "limits.h"
#include "model/choose.h"
#include "model/shown.h"

#define KNEE 10		/* I/Os */

struct candidate {
	enum lw_use use;
	u32 ticks;
	u32 inflight;	/* I/Os */
};

static struct lw_published price(u32 ticks)
{
	return (struct lw_published){
		.base = ticks,
		.usual = ticks,
		.inv_knee = lw_inverse(KNEE * LW_IO),
		.inv_ios = lw_inverse(KNEE * LW_IO),
		.inv_most = lw_inverse(KNEE * LW_IO),
		.max_penalty = max_penalty_default * LW_ONE,
	};
}

/* So many I/Os of 4k. */
static u64 flight_of(u32 ios)
{
	return ios * lw_flight(1);
}

static int choose(const struct candidate *c, int n, int first)
{
	struct lw_choice best = LW_CHOICE_NONE;

	for (int k = 0; k < n; k++) {
		int i = (first + k) % n;
		struct lw_published p = price(c[i].ticks);

		if (c[i].use != LW_FAILED)
			lw_track_best(&best, i, lw_path_cost(c[i].use, &p,
						  flight_of(c[i].inflight), 1));
	}
	return best.index;
}

/* Whatever one end too many took away: less than one I/O is none. */
static void count_of_one_end_too_many(void **state)
{
	u64 small = lw_flight(5), large = lw_flight(260);

	assert_int_equal(lw_flight_left(0), 0);
	assert_int_equal(lw_flight_left(small), 1);
	assert_int_equal(lw_flight_left(0 - small), -1);
	assert_int_equal(lw_flight_left(0 - large - small), -2);
	assert_int_equal(lw_flight_left(small - large), 0);
	assert_int_equal(lw_flight_left(large - small), 0);
	assert_int_equal(lw_flight_left(3 * small - large), 2);
	assert_int_equal(lw_flight_left(3 * large - 2 * small), 1);
	/* What it leaves negative is gone, be it I/Os or blocks. */
	assert_int_equal(lw_flight_mended(0), 0);
	assert_int_equal(lw_flight_mended(3 * large), 3 * large);
	assert_int_equal(lw_flight_mended(0 - small), 0);
	assert_int_equal(lw_flight_mended(large - small), 0);
	assert_int_equal(lw_flight_mended(3 * small - large), 2 * lw_flight(0));
}

static void none_if_all_failed(void **state)
{
	struct candidate c[] = { { LW_FAILED, 1, 0 }, { LW_FAILED, 1, 0 } };

	assert_int_equal(choose(c, 2, 0), -1);
}

static void faster_path_wins(void **state)
{
	struct candidate c[] = { { LW_USE, 10000, 0 }, { LW_USE, 1000, 0 } };

	assert_int_equal(choose(c, 2, 0), 1);
	assert_int_equal(choose(c, 2, 1), 1);
}

/* I/Os in flight at which the next one leaves a path for one @ratio times as slow. */
static u32 spills_at(u32 ratio)
{
	struct candidate c[] = { { LW_USE, 1000, 0 }, { LW_USE, 1000 * ratio, 0 } };

	while (choose(c, 2, 0) == 0)
		c[0].inflight++;
	return c[0].inflight;
}

static void below_the_knee_latency_decides(void **state)
{
	struct candidate c[] = { { LW_USE, 1000, KNEE / 2 }, { LW_USE, 2000, 0 } };

	assert_int_equal(choose(c, 2, 0), 0);
	c[1].ticks = 1000;
	assert_int_equal(choose(c, 2, 0), 1);
}

static void about_the_knee_load_spills_over(void **state)
{
	assert_in_range(spills_at(2), KNEE * 6 / 10, KNEE);
	assert_in_range(spills_at(7), KNEE, KNEE * 3 / 2);
	/* x knees cost 1 + the penalty times x, and x / 4 by the last term: as much as 100 */
	assert_in_range(spills_at(100), 400 * KNEE / (5 + 4 * max_penalty_default) - 2,
			400 * KNEE / (5 + 4 * max_penalty_default) + 1);
}

static void overloaded_paths_share_by_predicted_latency(void **state)
{
	/* 20 knees on the fast path take as long as 11 on the other */
	struct candidate c[] = { { LW_USE, 1000, 20 * KNEE }, { LW_USE, 2000, 8 * KNEE } };

	assert_int_equal(choose(c, 2, 0), 1);
	c[1].inflight = 14 * KNEE;
	assert_int_equal(choose(c, 2, 0), 0);
}

static void equal_paths_go_round(void **state)
{
	struct candidate c[] = { { LW_USE, 9, 7 }, { LW_USE, 9, 7 }, { LW_USE, 9, 7 } };

	for (int first = 0; first < 3; first++)
		assert_int_equal(choose(c, 3, first), first);
}

static void avoided_path_is_the_last_resort(void **state)
{
	struct candidate c[] = { { LW_AVOID, 1, 0 }, { LW_USE, LW_TICKS_MAX, 1 << 29 } };

	assert_int_equal(choose(c, 2, 0), 1);
	c[1].use = LW_FAILED;
	assert_int_equal(choose(c, 2, 0), 0);
}

static void full_path_comes_before_an_avoided_one(void **state)
{
	struct candidate c[] = { { LW_FULL, 1, 0 }, { LW_USE, LW_TICKS_MAX, 1 << 29 } };

	assert_int_equal(choose(c, 2, 0), 1);
	c[1].use = LW_AVOID;
	assert_int_equal(choose(c, 2, 0), 0);
	c[1].use = LW_FULL;
	c[1].inflight = 0;
	c[0].inflight = 5;
	assert_int_equal(choose(c, 2, 0), 1);
}

static void suspected_path_comes_after_any_other_and_before_a_full_one(void **state)
{
	struct candidate c[] = { { LW_SUSPECTED, 1, 0 }, { LW_USE, LW_TICKS_MAX, 1 << 29 } };

	assert_int_equal(choose(c, 2, 0), 1);
	for (c[1].use = LW_FULL; c[1].use <= LW_FAILED; c[1].use++) {
		assert_int_equal(choose(c, 2, 0), 0);
		assert_int_equal(choose(c, 2, 1), 0);
	}
}

static void hanging_path_comes_after_an_unknown_one(void **state)
{
	struct candidate c[] = { { LW_STALLED, 1, 0 }, { LW_AVOID, 1, 1 << 29 } };

	assert_int_equal(choose(c, 2, 0), 1);
	c[1].use = LW_FAILED;
	assert_int_equal(choose(c, 2, 0), 0);
}

static void unknown_paths_share_by_load(void **state)
{
	struct candidate c[] = { { LW_AVOID, 1, 10 }, { LW_AVOID, 900, 5 } };

	assert_int_equal(choose(c, 2, 0), 1);
}

/* What a trace tells of a choice is what was considered. */
static void choice_tells_why(void **state)
{
	struct lw_published p = price(1000);

	for (enum lw_use use = LW_USE; use < LW_FAILED; use++) {
		struct lw_choice best = LW_CHOICE_NONE;

		lw_track_best(&best, 0, lw_path_cost(use, &p, flight_of(12), 3));
		assert_int_equal(lw_choice_use(&best), use);
		assert_int_equal(lw_choice_cost(&best),
				 use == LW_USE ? lw_cost(&p, 12 * LW_IO, LW_IO, 12) : 0);
	}
}

/* What a block costs is the path's: of two alike but for that, large I/Os choose. */
static void block_cost_is_the_paths_own(void **state)
{
	struct lw_published p = price(1000);
	u64 flight = lw_flight(256);

	assert_int_equal(lw_path_cost(LW_USE, &p, 0, 256), lw_path_cost(LW_USE, &p, 0, 1));
	assert_int_equal(lw_path_cost(LW_USE, &p, flight, 256), lw_cost(&p, LW_IO, LW_IO, 1));
	p.block_cost = 1024;		/* a 64th of an I/O: 1M counts as five */
	assert_int_equal(lw_path_cost(LW_USE, &p, flight, 256), lw_cost(&p, 5 * LW_IO, 5 * LW_IO, 1));
	assert_int_equal(lw_path_cost(LW_USE, &p, flight, 0), lw_cost(&p, 5 * LW_IO, LW_IO, 1));
}

/* What hangs since before a reinstatement does not keep others away, and is less once it has ended. */
static void what_hangs_is_no_load(void **state)
{
	struct lw_published p = price(1000);
	u64 alone = lw_path_cost(LW_USE, &p, flight_of(2), 1);

	p.hung = 12 * LW_IO;
	assert_int_equal(lw_path_cost(LW_USE, &p, flight_of(14), 1), alone);
	assert_int_equal(lw_path_cost(LW_USE, &p, flight_of(3), 1), lw_path_cost(LW_USE, &p, 0, 1));
	assert_true(lw_run_lasts(LW_USE, &p, 1000, flight_of(12 + KNEE - 1), 1));
	assert_false(lw_run_lasts(LW_USE, &p, 1000, flight_of(12 + KNEE), 1));
}

static void run_lasts_while_the_path_is_as_good_as_any(void **state)
{
	struct lw_published p = price(1000);

	assert_true(lw_run_lasts(LW_USE, &p, 1000, flight_of(KNEE - 1), 1));
	assert_false(lw_run_lasts(LW_USE, &p, 1000, flight_of(KNEE), 1));
	assert_false(lw_run_lasts(LW_USE, &p, 999, 0, 1));
	/* twice the knee */
	p.inv_knee = lw_inverse(2 * KNEE * LW_IO);
	assert_true(lw_run_lasts(LW_USE, &p, 1000, flight_of(2 * KNEE - 1), 1));
	assert_false(lw_run_lasts(LW_USE, &p, 1000, flight_of(2 * KNEE), 1));
	/* large I/Os that count as five */
	p.block_cost = 1024;
	assert_true(lw_run_lasts(LW_USE, &p, 1000, 3 * lw_flight(256), 256));
	assert_false(lw_run_lasts(LW_USE, &p, 1000, 4 * lw_flight(256), 256));
	for (enum lw_use use = LW_SUSPECTED; use <= LW_FAILED; use++)
		assert_false(lw_run_lasts(use, &p, 1000, 0, 1));
}

/* As select_path() does it, with or without a look at those that are beaten. */
static int chosen(const enum lw_use *use, const struct lw_published *p, const u32 *ios, bool skip)
{
	struct lw_choice best = LW_CHOICE_NONE;

	for (int i = 0; i < 4; i++)
		if (!skip || !lw_cannot_win(&best, p[i].base))
			lw_track_best(&best, i, lw_path_cost(use[i], &p[i], flight_of(ios[i]), 1));
	return best.index;
}

static void beaten_path_would_not_be_chosen(void **state)
{
	static const enum lw_use unusable[] = { LW_SUSPECTED, LW_FULL, LW_AVOID };
	const u32 base[] = { 1, 1000, 1500, LW_TICKS_AVOID };
	unsigned int skips = 0;

	srand(1);
	for (unsigned int n = 0; n < 200000; n++) {
		struct lw_choice alone = LW_CHOICE_NONE;
		struct lw_published p[4];
		enum lw_use use[4];
		u32 ios[4];

		for (int i = 0; i < 4; i++) {
			p[i] = (struct lw_published){ .base = base[rand() % 4],
				.usual = rand() % 2000, .inv_knee = 1 << rand() % 22,
				.inv_ios = 1 << rand() % 22,
				.inv_most = 1 << rand() % 22,
				.max_penalty = max_penalty_default * LW_ONE,
				.block_cost = rand() % 2 << 10 };
			use[i] = rand() % 3 ? LW_USE : unusable[rand() % 3];
			ios[i] = rand() % 4 * 10;
		}
		lw_track_best(&alone, 0, lw_path_cost(use[0], &p[0], flight_of(ios[0]), 1));
		skips += lw_cannot_win(&alone, p[1].base);
		assert_int_equal(chosen(use, p, ios, true), chosen(use, p, ios, false));
	}
	assert_in_range(skips, 20000, 180000);
}

static void tolerance_makes_equal(void **state)
{
	u32 ticks[] = { 1000, 1250, 1251, LW_TICKS_AVOID };

	lw_equalize(ticks, 4, 25);
	assert_int_equal(ticks[0], 1000);
	assert_int_equal(ticks[1], 1000);
	assert_int_equal(ticks[2], 1251);
	assert_int_equal(ticks[3], LW_TICKS_AVOID);
}

static void tolerance_survives_extremes(void **state)
{
	u32 none[] = { LW_TICKS_AVOID, LW_TICKS_AVOID };
	u32 slow[] = { LW_TICKS_MAX, LW_TICKS_AVOID };
	u32 off[] = { 1000, 1001 };

	lw_equalize(none, 2, 100);
	assert_int_equal(none[0], LW_TICKS_AVOID);
	lw_equalize(slow, 2, 100);
	assert_int_equal(slow[0], LW_TICKS_MAX);
	assert_int_equal(slow[1], LW_TICKS_AVOID);
	lw_equalize(off, 2, 0);
	assert_int_equal(off[1], 1001);
	lw_equalize(NULL, 0, 25);
}

static void flight_counts_ios_and_blocks(void **state)
{
	u64 flight = lw_flight(lw_blocks(4096)) + lw_flight(lw_blocks(1 << 20));

	assert_int_equal(lw_flight_ios(flight), 2);
	assert_int_equal(lw_flight_blocks(flight), 1 + 256);
	assert_int_equal(lw_flight_load(flight, 0), 2 * LW_IO);
	assert_int_equal(lw_flight_load(flight, 65536), (2 + 257) * LW_IO);
	flight -= lw_flight(lw_blocks(4096));
	assert_int_equal(lw_flight_ios(flight), 1);
	assert_int_equal(lw_flight_blocks(flight), 256);
	flight -= lw_flight(lw_blocks(1 << 20));
	assert_int_equal(flight, 0);
}

/* As many I/Os as block queues have room for, and then some, all of the largest. */
static void flight_halves_do_not_overflow(void **state)
{
	u64 flight = 0;
	int n = (1 << 19) - 1;

	for (int i = 0; i < n; i++)
		flight += lw_flight(lw_blocks(LW_DATA_MAX));
	assert_int_equal(lw_flight_ios(flight), n);
	assert_int_equal(lw_flight_blocks(flight), (u64)n * 4096);
	assert_int_equal(lw_flight_left(flight), n);
	assert_int_equal(lw_flight_load(flight, LW_BLOCK_MAX), LW_LOAD_LIMIT);
}

static void path_is_full_without_a_tag_or_when_busy(void **state)
{
	u64 flight = 4 * lw_flight(5);

	assert_false(lw_flight_is_full(flight, U32_MAX, U32_MAX));
	assert_false(lw_flight_is_full(flight, U32_MAX, 5));
	assert_true(lw_flight_is_full(flight, U32_MAX, 4));
	assert_false(lw_flight_is_full(flight, 5, U32_MAX));
	assert_true(lw_flight_is_full(flight, 4, U32_MAX));
}

/* 2 ticks a block; an I/O of 4k where 17 blocks are usual, and one of 1M. */
static void own_length_counts(void **state)
{
	assert_int_equal(lw_own_base(1000, 2 << 8, 0), 1000);
	assert_int_equal(lw_own_base(1000, 2 << 8, -16 * 16), 1000 - 2 * 16);
	assert_int_equal(lw_own_base(1000, 2 << 8, (256 - 17) * 16), 1000 + 2 * (256 - 17));
	assert_int_equal(lw_own_base(1000, U32_MAX, -16), 1000 / 16 + 1);
	assert_int_equal(lw_own_base(1000, U32_MAX, LW_DATA_MAX >> 8), LW_TICKS_MAX);
	assert_int_equal(lw_own_base(LW_TICKS_AVOID, 0, 1), LW_TICKS_MAX);
	assert_int_equal(lw_own_base(LW_TICKS_AVOID, 0, 0), LW_TICKS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_if_all_failed),
		cmocka_unit_test(count_of_one_end_too_many),
		cmocka_unit_test(faster_path_wins),
		cmocka_unit_test(below_the_knee_latency_decides),
		cmocka_unit_test(about_the_knee_load_spills_over),
		cmocka_unit_test(overloaded_paths_share_by_predicted_latency),
		cmocka_unit_test(equal_paths_go_round),
		cmocka_unit_test(avoided_path_is_the_last_resort),
		cmocka_unit_test(full_path_comes_before_an_avoided_one),
		cmocka_unit_test(suspected_path_comes_after_any_other_and_before_a_full_one),
		cmocka_unit_test(hanging_path_comes_after_an_unknown_one),
		cmocka_unit_test(unknown_paths_share_by_load),
		cmocka_unit_test(choice_tells_why),
		cmocka_unit_test(block_cost_is_the_paths_own),
		cmocka_unit_test(beaten_path_would_not_be_chosen),
		cmocka_unit_test(what_hangs_is_no_load),
		cmocka_unit_test(run_lasts_while_the_path_is_as_good_as_any),
		cmocka_unit_test(flight_counts_ios_and_blocks),
		cmocka_unit_test(flight_halves_do_not_overflow),
		cmocka_unit_test(path_is_full_without_a_tag_or_when_busy),
		cmocka_unit_test(tolerance_makes_equal),
		cmocka_unit_test(tolerance_survives_extremes),
		cmocka_unit_test(own_length_counts),
	};

	return cmocka_run_group_tests_name("choose", tests, NULL, NULL);
}
