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

static void work_counts_blocks(void **state)
{
	assert_int_equal(lw_work(0), 4);
	assert_int_equal(lw_work(512), 4);
	assert_int_equal(lw_work(4096), 5);
	assert_int_equal(lw_work(1 << 20), 260);
	assert_int_equal(lw_work(LW_DATA_MAX), 4100);
	/* A discard of gigabytes moves no data. */
	assert_int_equal(lw_work((size_t)4 << 30), 260);
	assert_int_equal(lw_work(SIZE_MAX), 260);
}

static void ticks_clamp(void **state)
{
	assert_int_equal(lw_ticks(0), 1);
	assert_int_equal(lw_ticks(15), 1);
	assert_int_equal(lw_ticks(1600), 100);
	assert_int_equal(lw_ticks(U64_MAX), LW_TICKS_MAX);
	assert_true(lw_ticks(U64_MAX) < LW_TICKS_AVOID);
}

static void load_is_work_by_knee(void **state)
{
	u32 knees[] = { 4, 5, 100, 4096, 100000, 1 << 20 };

	for (size_t i = 0; i < ARRAY_SIZE(knees); i++) {
		u32 inv = (1U << 20) / knees[i];

		/* within the tenth that 2^20 / knee is rounded by */
		assert_in_range(lw_load(knees[i], inv), 900, 1024);
		assert_in_range(lw_load(3 * knees[i], inv), 2700, 3072);
	}
	assert_int_equal(lw_load(0, 1 << 18), 0);
	assert_int_equal(lw_load(1U << 31, 1 << 18), 1 << 24);
}

#define OVERLOAD ((1 + LW_SPILL) * 1024)	/* factor far above the knee */

static void cost_is_the_formula(void **state)
{
	struct lw_price p = { .base = 1000, .slope = 500,
			      .inv_path = (1 << 20) / 64, .inv_knee = (1 << 20) / 64,
			      .inv_most = (1 << 20) / 128, .spill = LW_SPILL * LW_ONE };

	/* x = 1/4: 4^-8 is less than can be seen: 1000 * 1 + 1000 * 0/128 */
	assert_int_equal(lw_cost(&p, 0, 16), 1000 * 1024);
	/* x = 3/4: 768^2 / 2^10 = 576, again 324, again 102; 1000 * 32/128 */
	assert_int_equal(lw_cost(&p, 32, 16), 1000 * (1024 + 102) + 1000 * 256);
	/* x = 1: 1000 * (1 + 1) + 1000 * 48/128 */
	assert_int_equal(lw_cost(&p, 48, 16), 1000 * 2048 + 1000 * 384);
	/* x = 2: 256 is above the limit; 1500 * (1 + limit) + 1000 * 112/128 */
	assert_int_equal(lw_cost(&p, 112, 16), 1500 * OVERLOAD + 1000 * 896);
	/* x = 16: 8500 * (1 + limit) + 1000 * 1008/128 */
	assert_int_equal(lw_cost(&p, 1008, 16), 8500ULL * OVERLOAD + 1000 * 8064);
}

static void factor_of_overload_has_a_limit(void **state)
{
	struct lw_price p = { .base = 1000, .slope = 500,
			      .inv_path = (1 << 20) / 64, .inv_knee = (1 << 20) / 64,
			      .inv_most = (1 << 20) / 128, .spill = LW_SPILL * LW_ONE };

	/*
	 * x = 92/64 = 1472: 1472^2 / 2^10 = 2116, again 4372, again 18666;
	 * latency 1000 + 500 * 448/1024; 1000 * 76/128
	 */
	assert_int_equal(lw_cost(&p, 76, 16), 1218 * (1024 + 18666) + 1000 * 608);
	/* x = 96/64 = 1536: the eighth power is 26244, above the limit */
	assert_true(LW_SPILL * 1024 > 18666 && LW_SPILL * 1024 < 26244);
	assert_int_equal(lw_cost(&p, 80, 16), 1250 * OVERLOAD + 1000 * 640);
}

static void limit_of_overload_can_be_set(void **state)
{
	struct lw_price p = { .base = 1000, .slope = 0, .inv_path = 1 << 14,
			      .inv_knee = 1 << 14 };

	/* x = 16: far above any limit */
	for (p.spill = LW_ONE; p.spill <= LW_SPILL_MAX * LW_ONE; p.spill += LW_ONE)
		assert_int_equal(lw_cost(&p, 1008, 16), 1000ULL * (LW_ONE + p.spill));
}

static void class_knee_spills_and_path_knee_queues(void **state)
{
	struct lw_price p = { .base = 1000, .slope = 500, .inv_most = (1 << 20) / 128,
			      .spill = LW_SPILL * LW_ONE };

	/* A fast class: x_path = 1/2 adds nothing, x_class = 2 costs all of the limit. */
	p.inv_path = (1 << 20) / 128;
	p.inv_knee = (1 << 20) / 32;
	assert_int_equal(lw_cost(&p, 48, 16), 1000 * OVERLOAD + 1000 * 384);
	/* A slow one: x_path = 2 adds the slope, x_class = 1/2 costs 1/256 more. */
	p.inv_path = (1 << 20) / 32;
	p.inv_knee = (1 << 20) / 128;
	assert_int_equal(lw_cost(&p, 48, 16), 1500 * (1024 + 4) + 1000 * 384);
}

static void cost_grows_with_load_and_latency(void **state)
{
	for (u32 knee = 4; knee < 1 << 16; knee *= 3) {
		struct lw_price p = { .base = 777, .slope = 777,
				      .inv_knee = (1 << 20) / knee,
				      .inv_most = (1 << 20) / knee,
				      .spill = LW_SPILL * LW_ONE };
		u64 last = 0;

		for (u32 n = 0; n < 40 * knee; n += 1 + knee / 7) {
			u64 cost = lw_cost(&p, n, 5);

			assert_true(cost >= last);
			last = cost;
		}
	}
}

static void cost_does_not_overflow(void **state)
{
	struct lw_price p = { LW_TICKS_MAX, LW_TICKS_MAX, 1 << 18, 1 << 18, 1 << 18,
			      LW_SPILL_MAX * LW_ONE };

	assert_true(lw_cost(&p, 1U << 30, 1U << 30) < 1ULL << 62);
	/* loads beyond 2^14 knees are not told apart */
	assert_true(lw_cost(&p, 1U << 15, 5) > lw_cost(&p, 1U << 14, 5));
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
	assert_int_equal(lw_little_ns(&q), 0);
}

static void hidden_wait_has_a_margin(void **state)
{
	assert_int_equal(lw_hidden_wait(0, 1000), 0);
	assert_int_equal(lw_hidden_wait(1100, 1000), 0);
	assert_int_equal(lw_hidden_wait(7445, 2008), 5437);
	assert_int_equal(lw_hidden_wait(7445, 0), 7445);
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
		cmocka_unit_test(work_counts_blocks),
		cmocka_unit_test(ticks_clamp),
		cmocka_unit_test(load_is_work_by_knee),
		cmocka_unit_test(cost_is_the_formula),
		cmocka_unit_test(factor_of_overload_has_a_limit),
		cmocka_unit_test(limit_of_overload_can_be_set),
		cmocka_unit_test(class_knee_spills_and_path_knee_queues),
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
		cmocka_unit_test(little_survives_extremes),
		cmocka_unit_test(hidden_wait_has_a_margin),
		cmocka_unit_test(probes_take_a_64th),
		cmocka_unit_test(weights_sum_to_128),
	};

	return cmocka_run_group_tests_name("math", tests, NULL, NULL);
}
