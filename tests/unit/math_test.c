// SPDX-License-Identifier: GPL-2.0
/* model/counters.h, and model/math.h but load and cost, match long-hand arithmetic, also at their limits. */
#include "unit.h"
#include "model/counters.h"
#include "model/shown.h"

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

static void ticks_clamp(void **state)
{
	assert_int_equal(lw_ticks(0), 1);
	assert_int_equal(lw_ticks(15), 1);
	assert_int_equal(lw_ticks(1600), 100);
	assert_int_equal(lw_ticks(U64_MAX), LW_TICKS_MAX);
	assert_true(lw_ticks(U64_MAX) < LW_TICKS_AVOID);
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
static void start(struct lw_counters *f, u64 t)
{
	f->starts++;
	f->sum_ns -= t;
}

static void end(struct lw_counters *f, u64 t)
{
	f->ends++;
	f->sum_ns += t;
	f->done++;
}

static void held_is_the_integral(void **state)
{
	struct lw_counters was = { 0 }, is = { 0 };

	/* n: 0 until 10, 1 until 20, 2 until 40, 1 until 50, then 0 */
	start(&is, 10);
	start(&is, 20);
	end(&is, 40);
	end(&is, 50);
	assert_int_equal(lw_counters_held(&was, &is, 0, 100), 10 + 2 * 20 + 10);
}

static void held_telescopes_over_windows(void **state)
{
	struct lw_counters was = { 0 }, is = { 0 };
	u64 t0 = U64_MAX - 50 * MS, held = 0;	/* the clock wraps meanwhile */

	start(&is, t0 + 5 * MS);
	for (int w = 0; w < 10; w++) {
		if (w == 7)
			end(&is, t0 + w * 20 * MS + 3 * MS);
		held += lw_counters_held(&was, &is, t0 + w * 20 * MS,
					 t0 + (w + 1) * 20 * MS);
		was = is;
	}
	assert_int_equal(held, (7 * 20 + 3 - 5) * MS);
}

/* As start_io() and end_io() add up times, on whatever CPU. */
static void sums_of_32_bits_tell_the_time(void **state)
{
	const u64 unit = 1 << LW_SUM_SHIFT;

	for (u64 t = 1; t < 1ULL << 60; t *= 3) {
		u64 at = t * unit;
		u32 sum = 0;

		sum -= t;				/* two starts, one of them later */
		sum -= t + 7;
		assert_int_equal(lw_sum_ns(sum, 2, at + 20 * MS), -(2 * t + 7) * unit);
		sum += t + 100;				/* an end */
		assert_int_equal(lw_sum_ns(sum, 1, at + 20 * MS), (93 - t) * unit);
		/* an end that began on another CPU, and is seen minutes later */
		assert_int_equal(lw_sum_ns(t, -1, at + 1000 * SEC), at);
		assert_int_equal(lw_sum_ns(0, 0, at), 0);
	}
}

/* One CPU starts, others end: each one's sum is long past 32 bits, all of them together small. */
static void sums_of_many_cpus_are_told_together(void **state)
{
	const u64 now = 5000 * SEC, n = 100000;
	u32 starting = 0, ending[3] = { 0 };
	u64 sum;

	for (u64 i = 0; i < n; i++) {		/* over a second, each takes 1 ms */
		u64 start = now - SEC + i * (SEC - MS) / n;

		starting -= start >> LW_SUM_SHIFT;
		ending[i % 3] += (start + MS) >> LW_SUM_SHIFT;
	}
	sum = lw_sum_ns(starting + ending[0] + ending[1] + ending[2], 0, now);
	assert_in_range(sum / n, MS - 2000, MS + 2000);
}

static void latencies_are_added_up_rounded(void **state)
{
	assert_int_equal(lw_took(0), 1);
	assert_int_equal(lw_took(511), 1);
	assert_int_equal(lw_took(10 * 1024 + 511), 10);
	assert_int_equal(lw_took(10 * 1024 + 512), 11);
	assert_int_equal(lw_took(U64_MAX / 2), LW_TOOK_MAX);
}

static void held_counts_late_news_once(void **state)
{
	struct lw_counters a = { 0 }, b = { 0 }, c;
	s64 held;

	/* An I/O from 12 to 15. The window that ends at 10 is read late, and
	 * sees the end but not the start, which another CPU counted. */
	end(&b, 15);
	c = b;
	start(&c, 12);
	held = lw_counters_held(&a, &b, 0, 10);
	assert_int_equal(held, 5);
	held += lw_counters_held(&b, &c, 10, 20);
	assert_int_equal(held, 15 - 12);
}

static void little_is_exact_for_one_slow_io(void **state)
{
	struct lw_little q = { 0 };

	assert_int_equal(lw_little_ns(&q), 0);
	for (int w = 0; w < 9; w++)
		lw_little_add(&q, 2, 20 * MS, 0);
	assert_int_equal(lw_little_ns(&q), 0);
	lw_little_add(&q, 2, 3 * MS, 1);
	assert_int_equal(lw_little_ns(&q), 183 * MS);
}

static void little_finds_the_steady_latency(void **state)
{
	struct lw_little q = { 0 };

	/* 16 in flight, 30 ms each: every 20 ms window 10.67 completions */
	for (int w = 0; w < 60; w++)
		lw_little_add(&q, 2, 16 * 20 * MS, w % 3 == 2 ? 10 : 11);
	assert_in_range(lw_little_ns(&q), 29 * MS, 31 * MS);
}

static void little_forgets_a_quarter(void **state)
{
	struct lw_little q = { 0 };

	for (int w = 0; w < 60; w++)
		lw_little_add(&q, 2, 100 * MS, 100);
	assert_in_range(lw_little_ns(&q), 990000, 1 * MS);
	/* of four times the window */
	lw_little_add(&q, 2, 400 * MS, 100);
	assert_in_range(lw_little_ns(&q), 1740000, 1750000);
	/* or all of it */
	lw_little_add(&q, 0, 400 * MS, 100);
	assert_int_equal(lw_little_ns(&q), 4 * MS);
}

static void little_survives_extremes(void **state)
{
	struct lw_little q = { 0 };

	for (int i = 0; i < 1000; i++)
		lw_little_add(&q, 2, INT64_MAX, 0);
	lw_little_add(&q, 2, INT64_MIN, 0);
	for (int i = 0; i < 3; i++)
		lw_little_add(&q, 2, INT64_MAX, 1);
	assert_int_equal(lw_little_ns(&q), LW_NS_MAX);
	for (int i = 0; i < 1000; i++)
		lw_little_add(&q, 2, INT64_MIN, U64_MAX);
	/* Once known it stays known; 0 would be unknown. */
	assert_int_equal(lw_little_ns(&q), 1);
	assert_int_equal(lw_little_ns(&(struct lw_little){ .held_ns = 1 }), 0);
}

static void probes_take_a_64th(void **state)
{
	assert_int_equal(lw_probe_period_ms(35 * MS, 16, 100, 5000), 140);
	assert_int_equal(lw_probe_period_ms(35 * MS, 1, 100, 5000), 2240);
	assert_int_equal(lw_probe_period_ms(1 * MS, 1024, 100, 5000), 100);
	assert_int_equal(lw_probe_period_ms(LW_NS_MAX, 0, 100, 5000), 5000);
}

/* promise numbers/shares */
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
		cmocka_unit_test(ticks_clamp),
		cmocka_unit_test(ewma_converges),
		cmocka_unit_test(ewma_weighs_an_eighth),
		cmocka_unit_test(ewma_survives_extremes),
		cmocka_unit_test(held_is_the_integral),
		cmocka_unit_test(held_telescopes_over_windows),
		cmocka_unit_test(sums_of_32_bits_tell_the_time),
		cmocka_unit_test(sums_of_many_cpus_are_told_together),
		cmocka_unit_test(latencies_are_added_up_rounded),
		cmocka_unit_test(held_counts_late_news_once),
		cmocka_unit_test(little_is_exact_for_one_slow_io),
		cmocka_unit_test(little_finds_the_steady_latency),
		cmocka_unit_test(little_forgets_a_quarter),
		cmocka_unit_test(little_survives_extremes),
		cmocka_unit_test(probes_take_a_64th),
		cmocka_unit_test(weights_sum_to_128),
	};

	return cmocka_run_group_tests_name("math", tests, NULL, NULL);
}
