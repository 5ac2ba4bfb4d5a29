// SPDX-License-Identifier: GPL-2.0
/* histogram.h: borders of the buckets, and percentiles against sorted lists. */
#include "unit.h"
#include "model/histogram.h"

#define US 1000ULL

static void bucket_borders(void **state)
{
	static const struct {
		u64 ns;
		unsigned int bucket;
	} v[] = {
		{ 1, 0 }, { 999, 0 }, { US, 1 }, { 2 * US - 1, 1 }, { 2 * US, 2 },
		{ 3 * US, 2 }, { 4 * US, 3 }, { 1023 * US, 10 }, { 1024 * US, 11 },
		{ 33554432 * US - 1, 25 }, { 33554432 * US, 26 }, { 100 * SEC, 26 },
		{ LW_NS_MAX, 26 }, { U64_MAX - 1, 26 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		assert_int_equal(lw_bucket(1, 1 + v[i].ns), v[i].bucket);
		assert_true(v[i].ns / US >= lw_bucket_us(v[i].bucket));
	}
}

static void unstamped_has_its_own(void **state)
{
	assert_int_equal(lw_bucket(0, 1), LW_BUCKET_UNSTAMPED);
	assert_int_equal(lw_bucket(0, U64_MAX), LW_BUCKET_UNSTAMPED);
}

static void each_power_of_two_begins_a_bucket(void **state)
{
	for (unsigned int b = 1; b < LW_BUCKETS; b++) {
		u64 from = lw_bucket_us(b) * US;

		assert_int_equal(lw_bucket(1, 1 + from), b);
		assert_int_equal(lw_bucket(1, from), b - 1);
	}
}

static void nothing_has_no_percentile(void **state)
{
	u64 count[LW_HISTOGRAM_SIZE] = { [LW_BUCKET_UNSTAMPED] = 5 };

	assert_int_equal(lw_histogram_us(count, 500), 0);
}

static void one_io_is_every_percentile(void **state)
{
	u64 count[LW_HISTOGRAM_SIZE] = { [11] = 1 };

	for (unsigned int permille = 0; permille <= 1000; permille += 50)
		assert_in_range(lw_histogram_us(count, permille), 1024, 2048);
}

/* 900 I/Os below 1 us ... and a slow one in ten. */
static void tail_is_seen(void **state)
{
	u64 count[LW_HISTOGRAM_SIZE] = { [0] = 900, [15] = 100 };

	assert_int_equal(lw_histogram_us(count, 500), 0);
	assert_int_equal(lw_histogram_us(count, 900), 1);
	assert_in_range(lw_histogram_us(count, 901), 16384, 17000);
	assert_in_range(lw_histogram_us(count, 1000), 32768, 32768);
}

static int by_size(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* The same bucket as the true one, whatever the latencies are. */
static void percentile_is_in_the_right_bucket(void **state)
{
	enum { N = 1000 };
	static u64 us[N];

	srand(7);
	for (unsigned int round = 0; round < 200; round++) {
		u64 count[LW_HISTOGRAM_SIZE] = { 0 };

		for (unsigned int i = 0; i < N; i++) {
			us[i] = (u64)rand() >> (rand() % 31);
			count[lw_bucket(1, 1 + us[i] * US)]++;
		}
		qsort(us, N, sizeof(*us), by_size);
		for (unsigned int permille = 1; permille <= 1000; permille += 37) {
			unsigned int b = lw_bucket(1, 1 + us[permille - 1] * US);
			u64 shown = lw_histogram_us(count, permille);

			assert_in_range(shown, lw_bucket_us(b), lw_bucket_us(b + 1));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bucket_borders),
		cmocka_unit_test(unstamped_has_its_own),
		cmocka_unit_test(each_power_of_two_begins_a_bucket),
		cmocka_unit_test(nothing_has_no_percentile),
		cmocka_unit_test(one_io_is_every_percentile),
		cmocka_unit_test(tail_is_seen),
		cmocka_unit_test(percentile_is_in_the_right_bucket),
	};

	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
