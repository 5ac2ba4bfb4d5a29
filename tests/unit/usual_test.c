// SPDX-License-Identifier: GPL-2.0
/* lw_usual.h: paths that are too good to be true. */
#include "unit.h"
#include "lw_usual.h"

#define WINDOW (20 * MS)

/* Windows with this base, until @ns have passed. */
static void live(struct lw_class_state *k, u64 *active_ns, u64 base_ns, u64 ns)
{
	k->base_ns = base_ns;
	for (u64 t = 0; t < ns; t += WINDOW)
		lw_usual_step(k, *active_ns += WINDOW);
}

/* The first base of a 4k read may be that of the 1M read that it waited for. */
static void usual_is_what_has_lasted(void **state)
{
	struct lw_class_state k = { 0 };
	u64 now = 0;

	live(&k, &now, 5 * MS, SEC - WINDOW);
	live(&k, &now, 2 * MS, SEC);
	assert_int_equal(k.usual_ns, 0);
	assert_int_equal(lw_usual_bound(k.usual_ns, 5000), 0);
	live(&k, &now, 3 * MS, WINDOW);
	assert_int_equal(k.usual_ns, 3 * MS);
}

static void small_change_is_followed(void **state)
{
	struct lw_class_state k = { 0 };
	u64 now = 0;

	live(&k, &now, 5 * MS, 2 * SEC);
	live(&k, &now, 7 * MS, 30 * SEC);
	assert_in_range(k.usual_ns, 69 * MS / 10, 7 * MS);
}

static void large_change_has_to_last(void **state)
{
	static const u64 other[] = { MS / 20, 100 * MS };

	for (unsigned int i = 0; i < ARRAY_SIZE(other); i++) {
		struct lw_class_state k = { 0 };
		u64 now = 0;

		live(&k, &now, 5 * MS, 2 * SEC);
		live(&k, &now, other[i], 19 * SEC);
		assert_int_equal(k.usual_ns, 5 * MS);
		live(&k, &now, 5 * MS, WINDOW);
		live(&k, &now, other[i], 19 * SEC);
		assert_int_equal(k.usual_ns, 5 * MS);
		live(&k, &now, other[i], 2 * SEC);
		assert_int_equal(k.usual_ns, other[i]);
	}
}

static void bound_is_a_quarter_of_the_others(void **state)
{
	assert_int_equal(lw_usual_bound(1000, 1000), 250);
	assert_int_equal(lw_usual_bound(750, 1000), 250);
	assert_int_equal(lw_usual_bound(35000, 5000), 1250);
}

static void others_are_all_but_one(void **state)
{
	u32 ticks[] = { 30, 10, 20 };

	assert_int_equal(lw_least_other(ticks, 3, 0), 10);
	assert_int_equal(lw_least_other(ticks, 3, 1), 20);
	assert_int_equal(lw_least_other(ticks, 1, 0), LW_TICKS_AVOID);
}

static void faster_path_has_no_bound(void **state)
{
	assert_int_equal(lw_usual_bound(749, 1000), 0);
	assert_int_equal(lw_usual_bound(1, 4), 0);
	assert_int_equal(lw_usual_bound(1000, LW_TICKS_AVOID), 0);
	assert_int_equal(lw_usual_bound(1, LW_TICKS_MAX), 0);
}

static void most_completions_make_hasty(void **state)
{
	u32 haste = 0;

	for (int i = 0; i < 4; i++) {
		assert_true(haste < LW_HASTY);
		haste = lw_haste_step(haste, true);
	}
	assert_true(haste >= LW_HASTY);
	for (int i = 0; i < 100; i++)
		haste = lw_haste_step(haste, true);
	for (int i = 0; i < 13; i++) {
		assert_true(haste >= LW_HASTY);
		haste = lw_haste_step(haste, false);
	}
	assert_true(haste < LW_HASTY);
	for (int i = 0; i < 100; i++)
		haste = lw_haste_step(haste, false);
	assert_int_equal(haste, 0);
}

/* A hasty path 0, beside an equal path 1 that keeps all it gets. */
static void empty_path_gets_its_turns_only(void **state)
{
	struct lw_price p = { .base = 1000, .slope = 1000, .inv_path = 1 << 15,
			      .inv_knee = 1 << 15, .inv_most = 1 << 15,
			      .spill = LW_SPILL * LW_ONE };
	unsigned int count[2] = { 0 }, turn = 0;

	for (unsigned int n = 0; n < 128; n++) {
		struct lw_choice best = LW_CHOICE_NONE, hasty = LW_CHOICE_NONE;

		lw_consider(&hasty, 0, lw_rank(LW_USE, &p, 0, 5));
		lw_consider(&best, 1, lw_rank(LW_USE, &p, 5 * count[1], 5));
		best = lw_settle(best, hasty, turn);
		count[best.index]++;
		turn = (best.index + 1) % 2;
	}
	assert_int_equal(count[0], 64);
}

static void settles_for_what_there_is(void **state)
{
	struct lw_choice calm = { .cost = 10, .index = 1 };
	struct lw_choice hasty = { .cost = 20, .index = 0 };
	struct lw_choice avoided = { .cost = LW_COST_LAST, .index = 2 };
	struct lw_choice none = LW_CHOICE_NONE;

	assert_int_equal(lw_settle(calm, none, 1).index, 1);
	assert_int_equal(lw_settle(calm, hasty, 0).index, 1);	/* its turn, but it costs more */
	hasty.cost = 10;
	assert_int_equal(lw_settle(calm, hasty, 0).index, 0);
	assert_int_equal(lw_settle(calm, hasty, 1).index, 1);
	assert_int_equal(lw_settle(none, hasty, 1).index, 0);
	assert_int_equal(lw_settle(avoided, hasty, 0).index, 0);
	assert_int_equal(lw_settle(avoided, none, -1).index, 2);
	assert_int_equal(lw_settle(none, none, -1).index, -1);
}

/* As select_path() does it, with or without a look at those that are beaten. */
static int settled(const enum lw_use *use, const struct lw_price *p, const u32 *inflight,
		   const bool *is_hasty, bool skip)
{
	struct lw_choice best = LW_CHOICE_NONE, hasty = LW_CHOICE_NONE;
	int first = -1;

	for (int i = 0; i < 4; i++) {
		if (skip && lw_beaten(&best, p[i].base))
			continue;
		if (use[i] == LW_USE && first < 0)
			first = i;
		lw_consider(use[i] == LW_USE && is_hasty[i] ? &hasty : &best, i,
			    lw_rank(use[i], &p[i], inflight[i], 5));
	}
	return lw_settle(best, hasty, first).index;
}

static void beaten_path_would_not_be_chosen(void **state)
{
	const u32 base[] = { 1, 1000, 1500, LW_TICKS_AVOID };
	unsigned int skips = 0;

	srand(1);
	for (unsigned int n = 0; n < 200000; n++) {
		struct lw_choice alone = LW_CHOICE_NONE;
		struct lw_price p[4];
		enum lw_use use[4];
		u32 inflight[4];
		bool is_hasty[4];

		for (int i = 0; i < 4; i++) {
			p[i] = (struct lw_price){ .base = base[rand() % 4],
				.slope = rand() % 2000, .inv_path = 1 << rand() % 18,
				.inv_knee = 1 << rand() % 18, .inv_most = 1 << rand() % 18,
				.spill = LW_SPILL * LW_ONE };
			use[i] = rand() % 3 ? LW_USE : LW_AVOID;
			inflight[i] = rand() % 4 * 50;
			is_hasty[i] = rand() % 2;
		}
		lw_consider(&alone, 0, lw_rank(use[0], &p[0], inflight[0], 5));
		skips += lw_beaten(&alone, p[1].base);
		assert_int_equal(settled(use, p, inflight, is_hasty, true),
				 settled(use, p, inflight, is_hasty, false));
	}
	assert_in_range(skips, 20000, 180000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usual_is_what_has_lasted),
		cmocka_unit_test(small_change_is_followed),
		cmocka_unit_test(large_change_has_to_last),
		cmocka_unit_test(bound_is_a_quarter_of_the_others),
		cmocka_unit_test(others_are_all_but_one),
		cmocka_unit_test(faster_path_has_no_bound),
		cmocka_unit_test(most_completions_make_hasty),
		cmocka_unit_test(empty_path_gets_its_turns_only),
		cmocka_unit_test(settles_for_what_there_is),
		cmocka_unit_test(beaten_path_would_not_be_chosen),
	};

	return cmocka_run_group_tests_name("usual", tests, NULL, NULL);
}
