// SPDX-License-Identifier: GPL-2.0
/* histogram.h: borders of the buckets, and percentiles against sorted lists. */
/*
 * promise output/percentiles: Percentiles are right within 10 % | by: in the kernel against fio |
 *   full: `guests-*`
 */
#include "unit.h"
#include "model/histogram.h"

#define US 1000ULL

static void bucket_borders(void **state)
{
	static const struct {
		u64 ns;
		unsigned int bucket;
	} v[] = {
		{ 1, 0 }, { 124, 0 }, { 125, 1 }, { 999, 7 }, { US, 8 }, { 1124, 8 }, { 1125, 9 },
		{ 2 * US - 1, 15 }, { 2 * US, 16 }, { 2249, 16 }, { 2250, 17 }, { 4 * US, 24 },
		{ 1023 * US, 87 }, { 1024 * US, 88 }, { 1152 * US, 89 },
		{ 33554432 * US - 1, 207 }, { 33554432 * US, 208 }, { 100 * SEC, 208 },
		{ LW_NS_MAX, 208 }, { U64_MAX - 1, 208 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		assert_int_equal(lw_bucket(1, 1 + v[i].ns), v[i].bucket);
		assert_true(v[i].ns >= lw_bucket_ns(v[i].bucket));
	}
}

static void unstamped_has_its_own(void **state)
{
	assert_int_equal(lw_bucket(0, 1), LW_BUCKET_UNSTAMPED);
	assert_int_equal(lw_bucket(0, U64_MAX), LW_BUCKET_UNSTAMPED);
}

/* No latency is in two of them, nor between two. */
static void each_border_begins_its_bucket(void **state)
{
	for (unsigned int b = 1; b < LW_BUCKETS; b++) {
		u64 from = lw_bucket_ns(b);

		assert_int_equal(lw_bucket(1, 1 + from), b);
		assert_int_equal(lw_bucket(1, from), b - 1);
	}
}

static void eight_for_each_power_of_two(void **state)
{
	for (unsigned int power = 0; power < 25; power++) {
		u64 from = US << power, width = from / 8;
		unsigned int b = lw_bucket(1, 1 + from);

		for (unsigned int i = 0; i <= 8; i++)
			assert_int_equal(lw_bucket_ns(b + i), from + i * width);
	}
}

static void nothing_has_no_percentile(void **state)
{
	u64 count[LW_HISTOGRAM_SIZE] = { [LW_BUCKET_UNSTAMPED] = 5 };

	assert_int_equal(lw_histogram_ns(count, 500), 0);
}

static void assert_close(u64 shown, u64 real)
{
	assert_in_range(shown * 100, real * 90, real * 110);
}

/* From 1 us to 33 s, in steps of a 256th: each latency, alone, is shown within 10 per cent. */
static void one_io_is_every_percentile(void **state)
{
	for (u64 ns = US; ns < 33554432 * US; ns += ns / 256) {
		u64 count[LW_HISTOGRAM_SIZE] = { 0 };

		count[lw_bucket(1, 1 + ns)] = 1;
		for (unsigned int permille = 0; permille <= 1000; permille += 250)
			assert_close(lw_histogram_ns(count, permille), ns);
	}
}

static void above_the_last_border_is_33_s(void **state)
{
	u64 count[LW_HISTOGRAM_SIZE] = { 0 };

	count[lw_bucket(1, 100 * SEC)] = 1;
	assert_int_equal(lw_histogram_ns(count, 500), 33554432 * US);
}

/* 900 I/Os below 125 ns ... and a slow one in ten. */
static void tail_is_seen(void **state)
{
	u64 count[LW_HISTOGRAM_SIZE] = { [0] = 900 };

	count[lw_bucket(1, 1 + 17000 * US)] = 100;
	assert_in_range(lw_histogram_ns(count, 500), 0, 124);
	assert_in_range(lw_histogram_ns(count, 900), 0, 124);
	assert_close(lw_histogram_ns(count, 901), 17000 * US);
	assert_close(lw_histogram_ns(count, 1000), 17000 * US);
}

static int by_size(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Of lists of latencies of all magnitudes, against what sorting says. */
static void percentiles_are_right_within_ten_per_cent(void **state)
{
	enum { N = 1000 };
	static u64 ns[N];

	srand(7);
	for (unsigned int round = 0; round < 200; round++) {
		u64 count[LW_HISTOGRAM_SIZE] = { 0 };

		for (unsigned int i = 0; i < N; i++) {
			ns[i] = US + (((u64)rand() << 4) >> (rand() % 26));
			count[lw_bucket(1, 1 + ns[i])]++;
		}
		qsort(ns, N, sizeof(*ns), by_size);
		for (unsigned int permille = 1; permille <= 1000; permille += 37)
			assert_close(lw_histogram_ns(count, permille), ns[permille - 1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bucket_borders),
		cmocka_unit_test(unstamped_has_its_own),
		cmocka_unit_test(each_border_begins_its_bucket),
		cmocka_unit_test(eight_for_each_power_of_two),
		cmocka_unit_test(nothing_has_no_percentile),
		cmocka_unit_test(one_io_is_every_percentile),
		cmocka_unit_test(above_the_last_border_is_33_s),
		cmocka_unit_test(tail_is_seen),
		cmocka_unit_test(percentiles_are_right_within_ten_per_cent),
	};

	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
