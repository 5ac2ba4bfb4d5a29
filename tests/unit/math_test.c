// SPDX-License-Identifier: GPL-2.0
/* lw_math.h: every function at its borders, and against long-hand arithmetic. */
#include "unit.h"
#include "lw_math.h"

static void class_borders(void **state)
{
	static const struct {
		size_t bytes;
		unsigned int class;
	} v[] = {
		{ 0, LW_CLASS_ZERO },
		{ 1, LW_CLASS_32K }, { 512, LW_CLASS_32K },
		{ 4096, LW_CLASS_32K }, { 32 << 10, LW_CLASS_32K },
		{ (32 << 10) + 1, LW_CLASS_64K }, { 64 << 10, LW_CLASS_64K },
		{ (64 << 10) + 512, LW_CLASS_128K }, { 128 << 10, LW_CLASS_128K },
		{ (128 << 10) + 1, LW_CLASS_256K }, { 256 << 10, LW_CLASS_256K },
		{ 512 << 10, LW_CLASS_512K }, { (512 << 10) + 1, LW_CLASS_1M },
		{ 1 << 20, LW_CLASS_1M }, { (1 << 20) + 1, LW_CLASS_MORE },
		{ LW_DATA_MAX, LW_CLASS_MORE }, { LW_DATA_MAX + 1, LW_CLASS_HUGE },
		{ (size_t)4 << 30, LW_CLASS_HUGE }, { SIZE_MAX, LW_CLASS_HUGE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		assert_int_equal(lw_class(v[i].bytes), v[i].class);
}

static void class_grows_with_size(void **state)
{
	unsigned int last = LW_CLASS_ZERO;

	for (size_t bytes = 0; bytes < 2 * LW_DATA_MAX; bytes += 512) {
		unsigned int c = lw_class(bytes);

		assert_in_range(c, last, last + 1);
		last = c;
	}
	assert_int_equal(last, LW_CLASS_HUGE);
}

static void blocks_are_of_4k(void **state)
{
	assert_int_equal(lw_blocks(0), 0);
	assert_int_equal(lw_blocks(512), 0);
	assert_int_equal(lw_blocks(4096), 1);
	assert_int_equal(lw_blocks(1 << 20), 256);
	assert_int_equal(lw_blocks(LW_DATA_MAX), 4096);
	/* A discard of gigabytes moves no data. */
	assert_int_equal(lw_blocks((size_t)4 << 30), 256);
	assert_int_equal(lw_blocks(SIZE_MAX), 256);
}

static void load_is_ios_and_what_their_blocks_cost(void **state)
{
	assert_int_equal(lw_load(0, 0, 0), 0);
	/* only I/Os count: 1M is as much as 4k */
	assert_int_equal(lw_load(7, 7, 0), 7 * LW_IO);
	assert_int_equal(lw_load(7, 7 * 256, 0), 7 * LW_IO);
	/* a block costs a 64th of an I/O: 1M is five */
	assert_int_equal(lw_load(1, 256, 1024), 5 * LW_IO);
	assert_int_equal(lw_load(3, 0, 1024), 3 * LW_IO);
	/* as much as an I/O, which is the most */
	assert_int_equal(lw_load(1, 1, LW_BLOCK_MAX), 2 * LW_IO);
	assert_int_equal(lw_load(2, 512, LW_BLOCK_MAX), 514 * LW_IO);
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

static void ticks_clamp(void **state)
{
	assert_int_equal(lw_ticks(0), 1);
	assert_int_equal(lw_ticks(15), 1);
	assert_int_equal(lw_ticks(1600), 100);
	assert_int_equal(lw_ticks(U64_MAX), LW_TICKS_MAX);
	assert_true(lw_ticks(U64_MAX) < LW_TICKS_AVOID);
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
	assert_int_equal(lw_inverse(LW_KNEE_LEAST), 1 << 22);
	assert_int_equal(lw_inverse(LW_KNEE_MOST), 4);
	assert_int_equal(lw_inverse(U64_MAX), 4);
}

#define OVERLOAD ((1 + LW_SPILL) * 1024)	/* factor far above the knee */
#define KNEE (64 * LW_IO)

/* A path of 1000 ticks and 64 I/Os, beside one of twice as many. */
static struct lw_price price(void)
{
	return (struct lw_price){
		.base = 1000,
		.slope = 500,
		.inv_knee = lw_inverse(KNEE),
		.inv_most = lw_inverse(2 * KNEE),
		.spill = LW_SPILL * LW_ONE,
	};
}

/* Of one I/O, of 16 times 4k; @ios are in flight. */
static u64 cost(const struct lw_price *p, u32 ios)
{
	return lw_cost(p, ios * LW_IO, 16 * LW_IO);
}

static void cost_is_the_formula(void **state)
{
	struct lw_price p = price();

	/* x = 1/4: 4^-8 is less than can be seen: 1000 * 1 + 1000 * 0/128 */
	assert_int_equal(cost(&p, 0), 1000 * 1024);
	/* x = 3/4: 768^2 / 2^10 = 576, again 324, again 102; 1000 * 32/128 */
	assert_int_equal(cost(&p, 32), 1000 * (1024 + 102) + 1000 * 256);
	/* x = 1: 1000 * (1 + 1) + 1000 * 48/128 */
	assert_int_equal(cost(&p, 48), 1000 * 2048 + 1000 * 384);
	/* x = 2: 256 is above the limit; 1500 * (1 + limit) + 1000 * 112/128 */
	assert_int_equal(cost(&p, 112), 1500 * OVERLOAD + 1000 * 896);
	/* x = 16: 8500 * (1 + limit) + 1000 * 1008/128 */
	assert_int_equal(cost(&p, 1008), 8500ULL * OVERLOAD + 1000 * 8064);
}

static void factor_of_overload_has_a_limit(void **state)
{
	struct lw_price p = price();

	/*
	 * x = 92/64 = 1472: 1472^2 / 2^10 = 2116, again 4372, again 18666;
	 * latency 1000 + 500 * 448/1024; 1000 * 76/128
	 */
	assert_int_equal(cost(&p, 76), 1218 * (1024 + 18666) + 1000 * 608);
	/* x = 96/64 = 1536: the eighth power is 26244, above the limit */
	assert_true(LW_SPILL * 1024 > 18666 && LW_SPILL * 1024 < 26244);
	assert_int_equal(cost(&p, 80), 1250 * OVERLOAD + 1000 * 640);
}

static void limit_of_overload_can_be_set(void **state)
{
	struct lw_price p = { .base = 1000, .slope = 0, .inv_knee = lw_inverse(KNEE) };

	/* x = 16: far above any limit */
	for (p.spill = LW_ONE; p.spill <= LW_SPILL_MAX * LW_ONE; p.spill += LW_ONE)
		assert_int_equal(cost(&p, 1008), 1000ULL * (LW_ONE + p.spill));
}

static void cost_grows_with_load_and_latency(void **state)
{
	for (u64 knee = LW_KNEE_LEAST; knee < LW_KNEE_MOST / 64; knee *= 3) {
		struct lw_price p = { .base = 777, .slope = 777,
				      .inv_knee = lw_inverse(knee),
				      .inv_most = lw_inverse(knee),
				      .spill = LW_SPILL * LW_ONE };
		u64 last = 0;

		for (u32 n = 0; n < 40 * knee; n += 1 + knee / 7) {
			struct lw_price slower = p;
			u64 cost = lw_cost(&p, n, LW_IO);

			assert_true(cost >= last);
			last = cost;
			slower.base++;
			assert_true(lw_cost(&slower, n, LW_IO) > cost);
		}
	}
}

static void cost_does_not_overflow(void **state)
{
	u32 largest = lw_load(1, LW_DATA_MAX >> 12, LW_BLOCK_MAX);
	struct lw_price p = { .base = LW_TICKS_MAX, .slope = LW_TICKS_MAX,
			      .inv_knee = lw_inverse(0),
			      .inv_most = lw_inverse(0), .spill = LW_SPILL_MAX * LW_ONE };

	assert_true(lw_cost(&p, LW_LOAD_LIMIT, largest) < 1ULL << 62);
	assert_true(lw_cost(&p, LW_LOAD_LIMIT, largest) > lw_cost(&p, 0, largest));
	assert_true(lw_cost(&p, LW_LOAD_LIMIT, LW_LOAD_LIMIT - 1) < 1ULL << 62);
	/* latencies above ten hours are not told apart, but the load is */
	assert_true(lw_cost(&p, 1U << 20, LW_IO) > lw_cost(&p, 1U << 19, LW_IO));
}

static void ewma_converges(void **state)
{
	for (unsigned int shift = 0; shift <= 8; shift++) {
		u64 avg = lw_ewma(0, 1000, shift);

		assert_int_equal(avg, 1000);
		for (int i = 0; i < 5000; i++)
			avg = lw_ewma(avg, 1 * SEC, shift);
		assert_in_range(avg, 1 * SEC - 256, 1 * SEC);
		for (int i = 0; i < 10000; i++)
			avg = lw_ewma(avg, 1000, shift);
		assert_in_range(avg, 1000, 1000 + 256);
	}
}

static void ewma_weighs_an_eighth(void **state)
{
	assert_int_equal(lw_ewma(8000, 16000, 3), 9000);
	assert_int_equal(lw_ewma(8000, 0, 3), 7000);
	assert_int_equal(lw_ewma(8000, 16000, 0), 16000);
}

static void ewma_survives_extremes(void **state)
{
	assert_int_equal(lw_ewma(0, U64_MAX, 8), LW_NS_MAX);
	assert_int_equal(lw_ewma(LW_NS_MAX, U64_MAX, 8), LW_NS_MAX);
	assert_int_equal(lw_ewma(0, 0, 3), 1);
	assert_true(lw_ewma(1, 0, 8) >= 1);
}

/* Start or end one I/O at a time of our choosing. */
static void start(struct lw_flow *f, u64 t)
{
	f->starts++;
	f->start_ns += t;
}

static void end(struct lw_flow *f, u64 t)
{
	f->ends++;
	f->end_ns += t;
	f->done++;
}

static void held_is_the_integral(void **state)
{
	struct lw_flow was = { 0 }, is = { 0 };

	/* n: 0 until 10, 1 until 20, 2 until 40, 1 until 50, then 0 */
	start(&is, 10);
	start(&is, 20);
	end(&is, 40);
	end(&is, 50);
	assert_int_equal(lw_flow_held(&was, &is, 0, 100), 10 + 2 * 20 + 10);
}

static void held_telescopes_over_windows(void **state)
{
	struct lw_flow was = { 0 }, is = { 0 };
	u64 t0 = U64_MAX - 50 * MS, held = 0;	/* the clock wraps meanwhile */

	start(&is, t0 + 5 * MS);
	for (int w = 0; w < 10; w++) {
		if (w == 7)
			end(&is, t0 + w * 20 * MS + 3 * MS);
		held += lw_flow_held(&was, &is, t0 + w * 20 * MS,
				     t0 + (w + 1) * 20 * MS);
		was = is;
	}
	assert_int_equal(held, (7 * 20 + 3 - 5) * MS);
}

static void held_counts_late_news_once(void **state)
{
	struct lw_flow a = { 0 }, b = { 0 }, c;
	s64 held;

	/* An I/O from 12 to 15. The window that ends at 10 is read late, and
	 * sees the end but not the start, which another CPU counted. */
	end(&b, 15);
	c = b;
	start(&c, 12);
	held = lw_flow_held(&a, &b, 0, 10);
	assert_int_equal(held, 5);
	held += lw_flow_held(&b, &c, 10, 20);
	assert_int_equal(held, 15 - 12);
}

static void little_is_exact_for_one_slow_io(void **state)
{
	struct lw_little q = { 0 };

	assert_int_equal(lw_little_ns(&q), 0);
	for (int w = 0; w < 9; w++)
		lw_little_add(&q, 20 * MS, 0, 1);
	assert_int_equal(lw_little_ns(&q), 0);
	lw_little_add(&q, 3 * MS, 1, 1);
	assert_int_equal(lw_little_ns(&q), 183 * MS);
}

static void little_finds_the_steady_latency(void **state)
{
	struct lw_little q = { 0 };

	/* 16 in flight, 30 ms each: every 20 ms window 10.67 completions */
	for (int w = 0; w < 60; w++)
		lw_little_add(&q, 16 * 20 * MS, w % 3 == 2 ? 10 : 11, 1);
	assert_in_range(lw_little_ns(&q), 29 * MS, 31 * MS);
}

/* A path that becomes slow does less: a window of few counts as much as one of many. */
static void little_remembers_three_times_the_last_window(void **state)
{
	struct lw_little q = { 0 };

	for (int w = 0; w < 60; w++)
		lw_little_add(&q, 100 * MS, 100, 1);
	assert_in_range(lw_little_ns(&q), 990000, 1 * MS);
	/* One of 101 ms: a quarter of the average, not a 400th. */
	lw_little_add(&q, 101 * MS, 1, 1);
	assert_in_range(lw_little_ns(&q), 25900000, 26 * MS);
	/* And from few to many: the many count as they are. */
	lw_little_add(&q, 100 * MS, 100, 1);
	assert_in_range(lw_little_ns(&q), 1700000, 1800000);
}

static void little_survives_extremes(void **state)
{
	struct lw_little q = { 0 };

	for (int i = 0; i < 1000; i++)
		lw_little_add(&q, INT64_MAX, 0, 1);
	lw_little_add(&q, INT64_MIN, 0, 1);
	for (int i = 0; i < 3; i++)
		lw_little_add(&q, INT64_MAX, 1, 1);
	assert_int_equal(lw_little_ns(&q), LW_NS_MAX);
	for (int i = 0; i < 1000; i++)
		lw_little_add(&q, INT64_MIN, U64_MAX, 1);
	/* Once known it stays known; 0 would be unknown. */
	assert_int_equal(lw_little_ns(&q), 1);
	assert_int_equal(lw_little_ns(&(struct lw_little){ .held_ns = 1 }), 0);
}

static void scaled_keeps_the_ratio(void **state)
{
	assert_int_equal(lw_scaled(1000, 3000, 1500), 2000);
	assert_int_equal(lw_scaled(1000, 1500, 3000), 500);
	assert_int_equal(lw_scaled(12345, 77, 77), 12345);
	/* two that change alike keep their ratio, up and down by as much as is known */
	for (u64 is = 1; is < 1ULL << 40; is *= 7) {
		u64 was = 1ULL << 32, one = lw_scaled(3ULL << 28, is, was);

		if (is > was >> 12 && is < was << 8)
			assert_in_range(lw_scaled(6ULL << 28, is, was), 2 * one - 1, 2 * one + 1);
	}
}

static void scaled_survives_extremes(void **state)
{
	/* never unknown, at most 256 times as much */
	assert_int_equal(lw_scaled(1, 0, U64_MAX), 1);
	assert_int_equal(lw_scaled(0, 1, 1), 1);
	assert_int_equal(lw_scaled(1000, U64_MAX, 0), 1000 * LW_SCALE_MAX);
	assert_int_equal(lw_scaled(1ULL << 31, U64_MAX, 1), 1ULL << 39);
	assert_true(lw_scaled(LW_NS_MAX, U64_MAX, 1) >= LW_NS_MAX);
	assert_true(lw_scaled(LW_NS_MAX / 3, U64_MAX, 1) >= LW_NS_MAX / 3);
}

/* Probes on a path at rest: each counts alone, without the tail of the one before. */
static void little_starts_anew_at_rest(void **state)
{
	struct lw_little q = { 0 };

	lw_little_add(&q, 40 * MS, 4, 0);
	lw_little_restart(&q, 0);
	lw_little_add(&q, 2 * MS, 1, 0);
	assert_int_equal(lw_little_ns(&q), 2 * MS);
	/* not if something was in flight before, or is now */
	lw_little_add(&q, 4 * MS, 1, 1);
	lw_little_restart(&q, 0);
	assert_true(lw_little_ns(&q) > 2 * MS);
	lw_little_add(&q, 4 * MS, 1, 0);
	lw_little_restart(&q, 1);
	assert_true(lw_little_ns(&q) > 2 * MS);
}

static void probes_take_a_64th(void **state)
{
	assert_int_equal(lw_probe_period_ms(35 * MS, 16, 100, 5000), 140);
	assert_int_equal(lw_probe_period_ms(35 * MS, 1, 100, 5000), 2240);
	assert_int_equal(lw_probe_period_ms(1 * MS, 1024, 100, 5000), 100);
	assert_int_equal(lw_probe_period_ms(LW_NS_MAX, 0, 100, 5000), 5000);
}

static void weights_sum_to_128(void **state)
{
	u32 ticks[] = { 1000, 2000, 1000 };
	u64 sum = 0;
	u32 total = 0;

	for (int i = 0; i < 3; i++)
		sum += lw_weight_part(ticks[i], 1000);
	for (int i = 0; i < 3; i++)
		total += lw_weight(ticks[i], 1000, sum);
	assert_in_range(total, 127, 129);
	/* 128 * 4/9 and 128 * 1/9, rounded */
	assert_int_equal(lw_weight(1000, 1000, sum), 57);
	assert_int_equal(lw_weight(2000, 1000, sum), 14);
	assert_int_equal(lw_weight(1000, 1000, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(class_borders),
		cmocka_unit_test(class_grows_with_size),
		cmocka_unit_test(blocks_are_of_4k),
		cmocka_unit_test(load_is_ios_and_what_their_blocks_cost),
		cmocka_unit_test(load_has_a_limit),
		cmocka_unit_test(ticks_clamp),
		cmocka_unit_test(ratio_is_load_by_knee),
		cmocka_unit_test(cost_is_the_formula),
		cmocka_unit_test(factor_of_overload_has_a_limit),
		cmocka_unit_test(limit_of_overload_can_be_set),
		cmocka_unit_test(cost_grows_with_load_and_latency),
		cmocka_unit_test(cost_does_not_overflow),
		cmocka_unit_test(ewma_converges),
		cmocka_unit_test(ewma_weighs_an_eighth),
		cmocka_unit_test(ewma_survives_extremes),
		cmocka_unit_test(held_is_the_integral),
		cmocka_unit_test(held_telescopes_over_windows),
		cmocka_unit_test(held_counts_late_news_once),
		cmocka_unit_test(little_is_exact_for_one_slow_io),
		cmocka_unit_test(little_finds_the_steady_latency),
		cmocka_unit_test(little_remembers_three_times_the_last_window),
		cmocka_unit_test(little_survives_extremes),
		cmocka_unit_test(scaled_keeps_the_ratio),
		cmocka_unit_test(scaled_survives_extremes),
		cmocka_unit_test(little_starts_anew_at_rest),
		cmocka_unit_test(probes_take_a_64th),
		cmocka_unit_test(weights_sum_to_128),
	};

	return cmocka_run_group_tests_name("math", tests, NULL, NULL);
}
