// SPDX-License-Identifier: GPL-2.0
/* lw_trend.h: throughput tells what a block costs beside an I/O. */
#include "unit.h"
#include "lw_size.h"

/*
 * Spans of a path that is always at work: an I/O costs @io_ns, a block @block_ns, and the
 * mean size goes from span to span between 1 and @most blocks, as chance will have it.
 */
static void at_work(struct lw_size_cost *k, int n, u64 io_ns, u64 block_ns, u64 most)
{
	while (n--) {
		u64 size = 1 + rand() % most;
		u64 ios = SEC / (io_ns + size * block_ns);

		lw_size_cost_add(k, ios, ios * size);
	}
}

/* What a block costs, in Q16 of an I/O, for a mean size between 1 and @most blocks. */
static u32 learned(u64 io_ns, u64 block_ns, u64 most)
{
	struct lw_size_cost k = { 0 };

	srand(1);
	at_work(&k, 2000, io_ns, block_ns, most);
	return lw_block_cost(&k, 12345);
}

static void blocks_cost_nothing_where_ios_limit(void **state)
{
	for (u64 most = 2; most <= 256; most *= 2)
		assert_in_range(learned(200000, 0, most), 0, 16);
}

/* 2 us for each block and 100 us for each I/O; then 10 and 100 us. */
static void cost_of_a_block_is_what_throughput_says(void **state)
{
	for (u64 most = 8; most <= 32; most *= 2) {
		assert_in_range(learned(100000, 2000, most), 65536 / 50 * 2 / 3, 65536 / 50 * 3 / 2);
		assert_in_range(learned(100000, 10000, most), 65536 / 10 * 2 / 3, 65536 / 10 * 3 / 2);
	}
}

static void blocks_cost_all_where_bytes_limit(void **state)
{
	/* an I/O costs as much as one block at the most */
	for (u64 most = 4; most <= 32; most *= 2)
		assert_in_range(learned(0, 10000, most), LW_BLOCK_MAX / 2, LW_BLOCK_MAX);
}

static void sizes_that_do_not_vary_tell_nothing(void **state)
{
	struct lw_size_cost k = { 0 };

	assert_int_equal(lw_block_cost(&k, 777), 777);
	/* Throughput varies, by half, but sizes do not. */
	for (int n = 0; n < 1000; n++) {
		u64 ios = n % 2 ? 1000 : 1500;

		lw_size_cost_add(&k, ios, 16 * ios);
		assert_int_equal(lw_block_cost(&k, 777), 777);
	}
}

/* What was learned stays what it was when sizes do not vary any more. */
static void cost_is_kept_when_sizes_stay(void **state)
{
	struct lw_size_cost k = { 0 };
	u32 was, is;

	srand(1);
	at_work(&k, 2000, 100000, 10000, 16);
	is = was = lw_block_cost(&k, 0);
	for (int n = 0; n < 1000; n++) {
		lw_size_cost_add(&k, 5000, 40000);
		is = lw_block_cost(&k, is);
	}
	assert_in_range(is, was - was / 4, was + was / 4);
}

static void spans_without_data_are_left_out(void **state)
{
	struct lw_size_cost k = { 0 }, was;

	at_work(&k, 100, 100000, 10000, 16);
	was = k;
	lw_size_cost_add(&k, 0, 0);
	lw_size_cost_add(&k, 1000, 0);		/* flushes alone, or I/Os below 4k */
	lw_size_cost_add(&k, 0, 1000);
	assert_memory_equal(&k, &was, sizeof(k));
}

static void size_cost_survives_extremes(void **state)
{
	static const u64 v[] = { 1, 5, 1000, 1ULL << 32, 1ULL << 45, 1ULL << 62 };

	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(v); j++) {
			struct lw_size_cost k = { 0 };

			for (int n = 0; n < 100; n++) {
				lw_size_cost_add(&k, v[i], v[j]);
				assert_true(lw_block_cost(&k, 0) <= LW_BLOCK_MAX);
				lw_size_cost_add(&k, v[(i + n) % ARRAY_SIZE(v)], v[j]);
				assert_true(lw_block_cost(&k, 0) <= LW_BLOCK_MAX);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_cost_nothing_where_ios_limit),
		cmocka_unit_test(cost_of_a_block_is_what_throughput_says),
		cmocka_unit_test(blocks_cost_all_where_bytes_limit),
		cmocka_unit_test(sizes_that_do_not_vary_tell_nothing),
		cmocka_unit_test(cost_is_kept_when_sizes_stay),
		cmocka_unit_test(spans_without_data_are_left_out),
		cmocka_unit_test(size_cost_survives_extremes),
	};

	return cmocka_run_group_tests_name("size_cost", tests, NULL, NULL);
}
