// SPDX-License-Identifier: GPL-2.0
/* model/size.h: what a block adds to the latency, and what it costs beside an I/O. */
#include "unit.h"
#include "model/size.h"

/* A window with so many I/Os each of 4k and of 1M; 1 ms and 10 us for each block, and a queue. */
static void learn(struct lw_size_latency *z, u64 small, u64 large, u64 queue_ns)
{
	const struct lw_sized of[] = {
		{ small, 1 << 4, MS + 10000 + queue_ns }, { large, 256 << 4, MS + 2560000 + queue_ns },
	};

	lw_size_learn(z, of, 2);
}

static u64 block_ns(const struct lw_size_latency *z)
{
	return z->block_q4 >> 4;
}

static void slope_is_what_a_block_adds(void **state)
{
	struct lw_size_latency z = { .usual_q4 = 100 << 4 };

	learn(&z, 8, 8, 0);
	assert_in_range(block_ns(&z), 9800, 10200);
	/* 156 blocks more than usual, and 99 less */
	assert_in_range(lw_size_longer_ns(&z, 256 << 4), 1530000, 1590000);
	assert_in_range(-lw_size_longer_ns(&z, 1 << 4), 970000, 1010000);
	z.usual_q4 = 0;
	assert_int_equal(lw_size_longer_ns(&z, 256 << 4), 0);
}

/* A queue is there for all of a window, whatever sizes it has; and windows have now these, now those. */
static void queue_is_no_size(void **state)
{
	for (int large = 0; large < 2; large++) {
		struct lw_size_latency z = { 0 };

		for (int w = 0; w < 100; w++) {
			bool queue = w % 2;

			learn(&z, queue == large ? 1 : 15, queue == large ? 15 : 1, queue * 50 * MS);
			assert_in_range(block_ns(&z), 9500, 10500);
		}
	}
	/* nor where a window has one size alone */
	struct lw_size_latency z = { 0 };

	for (int w = 0; w < 100; w++)
		learn(&z, w % 2 ? 16 : 0, w % 2 ? 0 : 16, w % 2 * 50 * MS);
	assert_int_equal(z.block_q4, 0);
}

/* Where all are of one size the slope is kept for a while and forgotten in the end. */
static void slope_fades_if_one_size_comes(void **state)
{
	struct lw_size_latency z = { 0 };

	for (int w = 0; w < 100; w++)
		learn(&z, 8, 8, 0);
	for (int w = 0; w < 64; w++)
		learn(&z, 16, 0, 0);
	assert_in_range(block_ns(&z), 9000, 10200);
	for (int w = 0; w < 2000; w++)
		learn(&z, 16, 0, 0);
	assert_in_range(block_ns(&z), 0, 100);
	/* They come again: it is soon right. */
	learn(&z, 8, 8, 0);
	assert_in_range(block_ns(&z), 9000, 10200);
	/* Nothing came: nothing is forgotten. */
	for (int w = 0; w < 1000; w++)
		learn(&z, 0, 0, 0);
	assert_in_range(block_ns(&z), 9000, 10200);
}

/* 10 us for each block, and then 1 us; but what is so dear gets nothing longer than 64k any more. */
static void contradicted_slope_is_soon_forgotten(void **state)
{
	const struct lw_sized of[] = { { 8, 1 << 4, MS }, { 8, 16 << 4, MS + 15000 } };
	struct lw_size_latency z = { 0 };

	for (int w = 0; w < 300; w++)
		learn(&z, 8, 8, 0);
	for (int w = 0; w < 150; w++)
		lw_size_learn(&z, of, 2);
	assert_in_range(block_ns(&z), 900, 2500);
	/* As soon if it was too small, */
	for (int w = 0; w < 20; w++)
		learn(&z, 8, 8, 0);
	assert_in_range(block_ns(&z), 9000, 10200);
	/* but what differs by less is averaged over 64 windows. */
	const struct lw_sized third[] = { { 8, 1 << 4, MS }, { 8, 256 << 4, MS + 255 * 3300 } };

	for (int w = 0; w < 10; w++)
		lw_size_learn(&z, third, 2);
	assert_in_range(block_ns(&z), 7000, 10200);
}

/* One window in 64 has another length, as by probes: what it tells has to last until the next one. */
static void rare_lengths_tell_the_slope(void **state)
{
	struct lw_size_latency short_ones = { 0 }, long_ones = { 0 };

	for (int w = 0; w < 640; w++) {
		learn(&short_ones, !(w % 64), 32, 0);
		learn(&long_ones, 100, !(w % 64), 0);
	}
	assert_in_range(block_ns(&short_ones), 8000, 10200);
	assert_in_range(block_ns(&long_ones), 8000, 10200);
}

/* A fast path: 300 ns for a block, and two I/Os in a window. */
static void small_slope_is_learned(void **state)
{
	const struct lw_sized of[] = { { 1, 1 << 4, 100000 }, { 1, 256 << 4, 100000 + 255 * 300 } };
	struct lw_size_latency z = { 0 };

	for (int w = 0; w < 100; w++)
		lw_size_learn(&z, of, 2);
	assert_in_range(block_ns(&z), 290, 305);
}

static void longer_is_never_faster(void **state)
{
	const struct lw_sized of[] = { { 8, 1 << 4, 5 * MS }, { 8, 256 << 4, 1 * MS } };
	struct lw_size_latency z = { 0 };

	lw_size_learn(&z, of, 2);
	assert_int_equal(z.block_q4, 0);
}

/* As much of one window as of many. */
static void crowd_weighs_no_more_than_4096(void **state)
{
	struct lw_size_latency z = { 0 }, crowd = { 0 };

	learn(&z, 2048, 2048, 0);
	learn(&crowd, 2048ULL << 20, 2048ULL << 20, 0);
	assert_memory_equal(&z, &crowd, sizeof(z));
}

static void learning_survives_extremes(void **state)
{
	static const u64 count[] = { 0, 1, 4096, 1ULL << 32, 1ULL << 53 };
	static const u64 lat[] = { 0, 1, 1ULL << 36, U64_MAX };
	static const u64 len[] = { 0, 1, 16, LW_DATA_MAX >> 8 };
	struct lw_size_latency z = { .usual_q4 = 1 };

	srand(1);
	for (int w = 0; w < 100000; w++) {
		struct lw_sized of[LW_CLASSES];

		for (int i = 0; i < LW_CLASSES; i++)
			of[i] = (struct lw_sized){ count[rand() % 5], len[rand() % 4], lat[rand() % 4] };
		if (w % 1000 < 300)	/* the largest sums that there are */
			of[0] = (struct lw_sized){ 4096, LW_DATA_MAX >> 8, U64_MAX };
		lw_size_learn(&z, of, w % 1000 < 300 ? 2 : rand() % (LW_CLASSES + 1));
		assert_true(z.block_q4 <= LW_SIZE_BLOCK_MOST);
		assert_true(z.sums.spread >= 0 && z.sums.weight >= 0);
		lw_size_longer_ns(&z, LW_DATA_MAX >> 8);
	}
}

/* Of a path that takes so much for each I/O and for each block, one after the other. */
static u32 cost(u64 io_ns, u64 block_ns, u64 size)
{
	struct lw_size_latency z = { .usual_q4 = size << 4, .block_q4 = block_ns << 4 };

	return lw_block_cost(&z, io_ns + size * block_ns);
}

static void blocks_cost_nothing_where_ios_limit(void **state)
{
	for (u64 size = 1; size <= 256; size *= 2)
		assert_int_equal(cost(200000, 0, size), 0);
}

/* 2 us for each block and 100 us for each I/O, whatever the mean size; then 10 and 100 us. */
static void block_costs_what_it_takes_against_an_io(void **state)
{
	for (u64 size = 1; size <= 64; size *= 2) {
		assert_in_range(cost(100000, 2000, size), 65536 / 51, 65536 / 49);
		assert_in_range(cost(100000, 10000, size), 65536 / 11, 65536 / 9);
	}
}

/* Fifteen of sixteen parts at most: all of it would make an I/O without data cost nothing. */
static void blocks_cost_most_where_bytes_limit(void **state)
{
	for (u64 size = 2; size <= 256; size *= 2)
		assert_in_range(cost(1000, 10000, size), 14 * 65536 / size, 15 * 65536 / size + 300);
	assert_int_equal(cost(0, 10000, 1), LW_BLOCK_MAX);
}

/* Blocks that add more than the path has time for: it works on many at once. */
static void path_that_works_on_many_at_once(void **state)
{
	struct lw_size_latency z = { .usual_q4 = 64 << 4, .block_q4 = 10000 << 4 };

	/* 1 ms and 10 us for each block, twenty at a time */
	assert_in_range(lw_block_cost(&z, (1 * MS + 640000) / 20), 14 * 65536 / 64, 15 * 65536 / 64);
}

static void block_cost_survives_extremes(void **state)
{
	static const u64 v[] = { 0, 1, 5, 1000, 1ULL << 32, 1ULL << 50 };

	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		for (size_t j = 0; j < ARRAY_SIZE(v); j++)
			for (size_t k = 0; k < ARRAY_SIZE(v); k++) {
				struct lw_size_latency z = {
					.usual_q4 = min_t(u64, v[j], LW_DATA_MAX >> 8),
					.block_q4 = min_t(u64, v[k], LW_SIZE_BLOCK_MOST),
				};

				assert_true(lw_block_cost(&z, v[i]) <= LW_BLOCK_MAX);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slope_is_what_a_block_adds),
		cmocka_unit_test(queue_is_no_size),
		cmocka_unit_test(slope_fades_if_one_size_comes),
		cmocka_unit_test(contradicted_slope_is_soon_forgotten),
		cmocka_unit_test(rare_lengths_tell_the_slope),
		cmocka_unit_test(small_slope_is_learned),
		cmocka_unit_test(longer_is_never_faster),
		cmocka_unit_test(crowd_weighs_no_more_than_4096),
		cmocka_unit_test(learning_survives_extremes),
		cmocka_unit_test(blocks_cost_nothing_where_ios_limit),
		cmocka_unit_test(block_costs_what_it_takes_against_an_io),
		cmocka_unit_test(blocks_cost_most_where_bytes_limit),
		cmocka_unit_test(path_that_works_on_many_at_once),
		cmocka_unit_test(block_cost_survives_extremes),
	};

	return cmocka_run_group_tests_name("size", tests, NULL, NULL);
}
