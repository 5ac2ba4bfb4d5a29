// SPDX-License-Identifier: GPL-2.0
/* model/math.h: load and cost are what the formulas say, and have limits. */
#include "unit.h"
#include "limits.h"
#include "model/math.h"

static void load_is_ios_and_what_their_blocks_cost(void **state)
{
	assert_int_equal(lw_load(0, 0, 0), 0);
	/* only I/Os count: 1M is as much as 4k */
	assert_int_equal(lw_load(7, 7, 0), 7 * LW_IO);
	assert_int_equal(lw_load(7, 7 * 256, 0), 7 * LW_IO);
	/* a block costs a 64th of an I/O: 1M is five */
	assert_int_equal(lw_load(1, 256, 1024), 5 * LW_IO);
	assert_int_equal(lw_load(3, 0, 1024), 3 * LW_IO);
	/* as much as eight I/Os, which is the most */
	assert_int_equal(lw_load(1, 1, LW_BLOCK_MAX), 9 * LW_IO);
	assert_int_equal(lw_load(2, 512, LW_BLOCK_MAX), (2 + 8 * 512) * LW_IO);
}

/* The larger or dearer, the more; never less than its I/Os, never above the limit. */
static void load_has_a_limit(void **state)
{
	static const u32 n[] = { 0, 1, 4096, 1U << 19, 1U << 23, 1U << 31, U32_MAX };
	static const u32 cost[] = { 0, 1, 255, 256, 65535, LW_BLOCK_MAX };

	for (size_t i = 0; i < ARRAY_SIZE(n); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(n); k++) {
			u32 last = 0;

			for (size_t c = 0; c < ARRAY_SIZE(cost); c++) {
				u32 load = lw_load(n[i], n[k], cost[c]);
				__uint128_t exact = (__uint128_t)n[i] * 256 +
						    (((__uint128_t)n[k] * cost[c]) >> 8);

				assert_int_equal(load, exact < LW_LOAD_LIMIT ? (u64)exact : LW_LOAD_LIMIT);
				assert_true(load >= last);
				last = load;
			}
		}
	}
	assert_int_equal(lw_load(U32_MAX, U32_MAX, LW_BLOCK_MAX), 1U << 31);
}

static void ratio_is_load_by_knee(void **state)
{
	u64 knees[] = { LW_KNEE_LEAST, 320, 1000, 25600, 1 << 20, 1 << 26 };

	for (size_t i = 0; i < ARRAY_SIZE(knees); i++) {
		u32 inv = lw_inverse(knees[i]);

		/* within the sixteenth that 2^30 / knee is rounded by */
		assert_in_range(lw_ratio(knees[i], inv, LW_RATIO_MAX), 960, 1024);
		assert_in_range(lw_ratio(3 * knees[i], inv, LW_RATIO_MAX), 2880, 3072);
	}
	assert_int_equal(lw_ratio(0, 1 << 22, LW_RATIO_MAX), 0);
	assert_int_equal(lw_ratio(U32_MAX, 1 << 22, LW_RATIO_MAX), LW_RATIO_MAX);
	assert_int_equal(lw_ratio(U32_MAX, 1 << 22, LW_ONE), LW_ONE);
	/* limits of the knee itself */
	assert_int_equal(lw_inverse(0), 1 << 22);
	assert_int_equal(lw_inverse(LW_IO), 1 << 22);
	assert_int_equal(lw_inverse(LW_KNEE_MOST), 4);
	assert_int_equal(lw_inverse(U64_MAX), 4);
}

#define OVERLOAD ((1 + max_penalty_default) * 1024)	/* factor far above the knee */
#define KNEE (64 * LW_IO)

/* A path of 1000 ticks and 64 I/Os, beside one of twice as many. */
static struct lw_published price(void)
{
	return (struct lw_published){
		.base = 1000,
		.usual = 500,
		.inv_knee = lw_inverse(KNEE),
		.inv_ios = lw_inverse(KNEE),
		.inv_most = lw_inverse(2 * KNEE),
		.max_penalty = max_penalty_default * LW_ONE,
	};
}

/* Of the last of 16 I/Os; @ios are in flight before them. */
static u64 cost(const struct lw_published *p, u32 ios)
{
	return lw_cost(p, ios * LW_IO, 16 * LW_IO, ios + 15);
}

static void cost_is_the_formula(void **state)
{
	struct lw_published p = price();

	/* x = 1/4: 4^-8 is less than can be seen: 1000 * 1 + 500 * 0/128 / 4 */
	assert_int_equal(cost(&p, 0), 1000 * 1024);
	/* x = 3/4: 768^2 / 2^10 = 576, again 324, again 102; 500 * 32/128 / 4 */
	assert_int_equal(cost(&p, 32), 1000 * (1024 + 102) + 125 * 256);
	/* x = 1: 1000 * (1 + 1) + 500 * 48/128 / 4 */
	assert_int_equal(cost(&p, 48), 1000 * 2048 + 125 * 384);
	/* x = 2: 256 is above the limit; 1500 * (1 + limit) + 500 * 112/128 / 4 */
	assert_int_equal(cost(&p, 112), 1500 * OVERLOAD + 125 * 896);
	/* x = 16: 8500 * (1 + limit) + 500 * 1008/128 / 4 */
	assert_int_equal(cost(&p, 1008), 8500ULL * OVERLOAD + 125 * 8064);
}

static void factor_of_overload_has_a_limit(void **state)
{
	struct lw_published p = price();

	/*
	 * x = 92/64 = 1472: 1472^2 / 2^10 = 2116, again 4372, again 18666;
	 * latency 1000 + 500 * 448/1024; 500 * 76/128 / 4
	 */
	assert_int_equal(cost(&p, 76), 1218 * (1024 + 18666) + 125 * 608);
	/* x = 96/64 = 1536: the eighth power is 26244, above the limit */
	assert_true(max_penalty_default * 1024 > 18666 && max_penalty_default * 1024 < 26244);
	assert_int_equal(cost(&p, 80), 1250 * OVERLOAD + 125 * 640);
}

static void limit_of_overload_can_be_set(void **state)
{
	struct lw_published p = { .base = 1000, .inv_knee = lw_inverse(KNEE),
				  .inv_ios = lw_inverse(KNEE) };

	/* x = 16: far above any limit */
	for (p.max_penalty = LW_ONE; p.max_penalty <= max_penalty_most * LW_ONE;
	     p.max_penalty += LW_ONE)
		assert_int_equal(cost(&p, 1008), 1000ULL * (LW_ONE + p.max_penalty));
}

/*
 * promise steering/long-io: A long I/O does not overload an idle path, or one with few I/Os in
 *   flight
 */
/* However large, as it does not queue behind itself. */
static void io_alone_does_not_overload(void **state)
{
	struct lw_published p = price();

	assert_int_equal(lw_cost(&p, 0, 64 * KNEE, 0), 1000 * 1024);
	assert_true(lw_cost(&p, 1, 64 * KNEE, 1) > 1000 * 1024);
}

/* promise steering/long-io */
/* Long ones take their time, but are no more I/Os than they are. */
static void few_long_ios_are_no_overload(void **state)
{
	struct lw_published p = price();

	/* three of four knees: x = 4 is time, but not overload */
	assert_int_equal(lw_cost(&p, 3 * KNEE, KNEE, 3), (1000 + 3 * 500) * 1024 + 125 * 12 * 128);
	/* as many as make the knee are one */
	assert_int_equal(lw_cost(&p, 3 * KNEE, KNEE, 63), 2500ULL * 2048 + 125 * 12 * 128);
	/* nor are many short ones more than what they take */
	assert_int_equal(lw_cost(&p, KNEE / 4, KNEE / 4, 1000), 1000 * 1024 + 125 * 128);
}

static void cost_grows_with_load_and_latency(void **state)
{
	for (u64 knee = LW_KNEE_LEAST; knee < LW_KNEE_MOST / 64; knee *= 3) {
		struct lw_published p = { .base = 777, .usual = 777,
				      .inv_knee = lw_inverse(knee),
				      .inv_ios = lw_inverse(knee),
				      .inv_most = lw_inverse(knee),
				      .max_penalty = max_penalty_default * LW_ONE };
		u64 last = 0;

		for (u32 n = 0; n < 40 * knee; n += 1 + knee / 7) {
			struct lw_published slower = p;
			u64 cost = lw_cost(&p, n, LW_IO, n / LW_IO);

			assert_true(cost >= last);
			last = cost;
			slower.base++;
			assert_true(lw_cost(&slower, n, LW_IO, n / LW_IO) > cost);
		}
	}
}

/* promise numbers/costs */
static void cost_does_not_overflow(void **state)
{
	u32 largest = lw_load(1, LW_DATA_MAX >> 12, LW_BLOCK_MAX), ios = LW_LOAD_LIMIT / LW_IO - 1;
	struct lw_published p = { .base = LW_TICKS_MAX, .usual = LW_TICKS_MAX,
			      .inv_knee = lw_inverse(0), .inv_ios = lw_inverse(0),
			      .inv_most = lw_inverse(0), .max_penalty = max_penalty_most * LW_ONE };

	assert_true(lw_cost(&p, LW_LOAD_LIMIT, largest, ios) < 1ULL << 62);
	assert_true(lw_cost(&p, LW_LOAD_LIMIT, largest, ios) > lw_cost(&p, 0, largest, 0));
	assert_true(lw_cost(&p, LW_LOAD_LIMIT, LW_LOAD_LIMIT - 1, ios) < 1ULL << 62);
	/* latencies above ten hours are not told apart, but the load is */
	assert_true(lw_cost(&p, 1U << 20, LW_IO, 1) > lw_cost(&p, 1U << 19, LW_IO, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(load_is_ios_and_what_their_blocks_cost),
		cmocka_unit_test(load_has_a_limit),
		cmocka_unit_test(ratio_is_load_by_knee),
		cmocka_unit_test(cost_is_the_formula),
		cmocka_unit_test(factor_of_overload_has_a_limit),
		cmocka_unit_test(limit_of_overload_can_be_set),
		cmocka_unit_test(io_alone_does_not_overload),
		cmocka_unit_test(few_long_ios_are_no_overload),
		cmocka_unit_test(cost_grows_with_load_and_latency),
		cmocka_unit_test(cost_does_not_overflow),
	};

	return cmocka_run_group_tests_name("cost", tests, NULL, NULL);
}
