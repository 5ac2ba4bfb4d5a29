// SPDX-License-Identifier: GPL-2.0
/* model/size.h: what a block adds to the latency tells what it costs beside an I/O. */
#include "unit.h"
#include "model/size.h"

/* @block_ns for each block; a path that can do no more than these of the mean size @size. */
static u32 cost(u64 io_ns, u64 block_ns, u64 size, u64 base_ns)
{
	struct lw_size_latency z = { .usual_q4 = size << 4, .block_q4 = block_ns << 4 };
	u64 ios = SEC / (io_ns + size * block_ns);

	return lw_block_cost(&z, ios, ios * size, base_ns);
}

static void blocks_cost_nothing_where_ios_limit(void **state)
{
	for (u64 size = 1; size <= 256; size *= 2)
		assert_int_equal(cost(200000, 0, size, 1 * MS), 0);
}

/* 2 us for each block and 100 us for each I/O, whatever the mean size; then 10 and 100 us. */
static void block_costs_what_it_takes_against_an_io(void **state)
{
	for (u64 size = 1; size <= 64; size *= 2) {
		assert_in_range(cost(100000, 2000, size, 1 * MS), 65536 / 51, 65536 / 49);
		assert_in_range(cost(100000, 10000, size, 1 * MS), 65536 / 11, 65536 / 9);
	}
}

/* An I/O counts as one block at the least. */
static void blocks_cost_all_where_bytes_limit(void **state)
{
	for (u64 size = 1; size <= 256; size *= 2)
		assert_in_range(cost(1000, 10000, size, 1 * MS), LW_BLOCK_MAX - 1, LW_BLOCK_MAX);
}

/* Where what is measured is wrong by some per cent either way, as it always is. */
static void errors_do_not_turn_bytes_into_ios(void **state)
{
	for (u64 percent = 95; percent <= 125; percent += 5) {
		struct lw_size_latency z = { .usual_q4 = 64 << 4, .block_q4 = (40000 * percent / 100) << 4 };
		u64 ios = SEC / (20000 + 64 * 40000);

		assert_in_range(lw_block_cost(&z, ios, 64 * ios, 1 * MS), LW_BLOCK_MAX / 5, LW_BLOCK_MAX);
	}
}

/*
 * Twenty I/Os at once, each of 1 ms and 10 us for each block: the blocks of a second take
 * many seconds. An I/O keeps the path for its base latency.
 */
static void path_that_works_on_many_at_once(void **state)
{
	struct lw_size_latency z = { .usual_q4 = 64 << 4, .block_q4 = 10000 << 4 };
	u64 ios = 20 * SEC / (1 * MS + 64 * 10000);

	assert_in_range(lw_block_cost(&z, ios, 64 * ios, 1 * MS), 65536 / 101, 65536 / 99);
	/* Nor does it longer if few are large. */
	z.block_q4 = 1000 << 4;
	ios = 20 * SEC / MS;
	assert_in_range(lw_block_cost(&z, ios, ios, 1 * MS), 65536 * 20 / 1000, 65536 * 22 / 1000);
	assert_in_range(lw_block_cost(&z, 1, 1, 1 * MS), 65536 / 1001, 65536 / 999);
}

static void block_cost_survives_extremes(void **state)
{
	static const u64 v[] = { 0, 1, 5, 1000, 1ULL << 32, 1ULL << 45, 1ULL << 62, U64_MAX };

	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		for (size_t j = 0; j < ARRAY_SIZE(v); j++)
			for (size_t k = 0; k < ARRAY_SIZE(v); k++) {
				struct lw_size_latency z = {
					.block_q4 = min_t(u64, v[k], LW_SIZE_BLOCK_MOST),
				};

				assert_true(lw_block_cost(&z, v[i], v[j], v[k]) <= LW_BLOCK_MAX);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_cost_nothing_where_ios_limit),
		cmocka_unit_test(block_costs_what_it_takes_against_an_io),
		cmocka_unit_test(blocks_cost_all_where_bytes_limit),
		cmocka_unit_test(errors_do_not_turn_bytes_into_ios),
		cmocka_unit_test(path_that_works_on_many_at_once),
		cmocka_unit_test(block_cost_survives_extremes),
	};

	return cmocka_run_group_tests_name("size_cost", tests, NULL, NULL);
}
