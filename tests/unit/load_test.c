// SPDX-License-Identifier: GPL-2.0
/* model/bracket.h: under load for many windows a path tells its own latency from its queue. */
/* promise steering/correction */
#include "bench.h"

static void knee_grows_while_latency_is_flat(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	closed_loop(&b, &l, 20, 1, 0, 5 * MS);
	assert_in_range(b.s.capacity.knee, 2 * LW_IO, 4 * LW_IO);
	closed_loop(&b, &l, 20, 32, 0, 5 * MS);
	assert_in_range(b.s.capacity.knee, 32 * LW_IO, 66 * LW_IO);
	assert_in_range(b.s.capacity.base_ns, 4900000, 5100000);
}

static void knee_is_the_bandwidth_delay_product(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	/* 1000 IOPS in 4 ms: four I/Os */
	closed_loop(&b, &l, 20, 1, 1 * MS, 3 * MS);
	assert_in_range(b.s.capacity.base_ns, 3900000, 4100000);
	closed_loop(&b, &l, 100, 16, 1 * MS, 3 * MS);
	assert_in_range(b.s.latency.lat_ns, 15 * MS, 17 * MS);
	assert_in_range(b.s.capacity.base_ns, 3900000, 4100000);
	/* and an eighth */
	assert_in_range(b.s.capacity.knee, 17 * LW_IO / 4, 19 * LW_IO / 4);
}

static void base_and_knee_do_not_confirm_each_other(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	/* Load close to the knee for half a minute: neither of them drifts. */
	closed_loop(&b, &l, 20, 1, 1 * MS, 1 * MS);
	closed_loop(&b, &l, 1500, 3, 1 * MS, 1 * MS);
	assert_in_range(b.s.capacity.base_ns, 1900000, 2200000);
	assert_in_range(b.s.capacity.knee, 2 * LW_IO, 3 * LW_IO);
}

/* A base that is too low takes the load away, until at one I/O it is what that takes. */
static void knee_collapses_until_the_base_is_right(void **state)
{
	for (int depth = 4; depth <= 32; depth *= 2) {
		struct bench b = bench(true);
		struct loop l = { 0 };

		spilling_loop(&b, &l, 50, depth, 0, 5 * MS);
		assert_true(b.s.capacity.knee >= (u64)depth * LW_IO);
		spilling_loop(&b, &l, 60, depth, 0, 40 * MS);
		assert_in_range(b.s.capacity.base_ns, 35 * MS, 41 * MS);
		spilling_loop(&b, &l, 100, depth, 0, 40 * MS);
		assert_true(b.s.capacity.knee >= (u64)depth * LW_IO);
		/* So does a first I/O that was lucky. */
		b.s.capacity.base_ns = 1 * MS;
		spilling_loop(&b, &l, 160, depth, 0, 40 * MS);
		assert_in_range(b.s.capacity.base_ns, 35 * MS, 41 * MS);
		assert_true(b.s.capacity.knee >= (u64)depth * LW_IO);
	}
}

/* And one that is too high, or a path that became faster, is at once the latency. */
static void base_is_at_most_the_latency(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	closed_loop(&b, &l, 50, 8, 0, 15 * MS);
	closed_loop(&b, &l, 12, 8, 0, 5 * MS);
	assert_in_range(b.s.capacity.base_ns, 4900000, 5500000);
	b.s.capacity.base_ns = SEC;
	closed_loop(&b, &l, 1, 8, 0, 5 * MS);
	assert_in_range(b.s.capacity.base_ns, 4900000, 5500000);
}

/* Where another path takes the load, a cap is found, and its loss. */
static void capped_path_is_loaded_up_to_its_knee(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	spilling_loop(&b, &l, 100, 32, 250000, 5 * MS - 250000);
	/* 4000 IOPS in 5 ms */
	assert_in_range(b.s.capacity.knee, 18 * LW_IO, 26 * LW_IO);
	assert_in_range(b.s.capacity.base_ns, 4900000, 6500000);
	spilling_loop(&b, &l, 200, 32, 1 * MS, 4 * MS);
	assert_in_range(b.s.capacity.knee, 4 * LW_IO, 8 * LW_IO);
	assert_in_range(b.s.capacity.base_ns, 4900000, 6500000);
}

/* Load that leaves, or comes, shows that it is distance and no queue. */
static void base_follows_a_path_that_became_slower(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	closed_loop(&b, &l, 50, 8, 0, 5 * MS);
	closed_loop(&b, &l, 20, 8, 0, 15 * MS);
	/* The knee falls, so traffic leaves, but the latency stays. */
	assert_true(b.s.capacity.knee < 5 * LW_IO);
	closed_loop(&b, &l, 40, 4, 0, 15 * MS);
	assert_in_range(b.s.capacity.base_ns, 27 * MS / 2, 15 * MS + MS / 10);
	closed_loop(&b, &l, 40, 8, 0, 15 * MS);
	assert_true(b.s.capacity.knee >= 8 * LW_IO);
}

static void throughput_that_follows_the_load_shows_distance(void **state)
{
	for (int depth = 8; depth <= 32; depth *= 2) {
		struct bench b = bench(true);
		struct loop l = { 0 };

		closed_loop(&b, &l, 50, depth, 0, 5 * MS);
		/* A load that goes up and down by a third, on a path three times as far. */
		for (int n = 0; n < 4; n++) {
			dipped_loop(&b, &l, 12, depth - depth / 4, 0, 15 * MS);
			dipped_loop(&b, &l, 12, depth + depth / 4, 0, 15 * MS);
		}
		assert_in_range(b.s.capacity.base_ns, 27 * MS / 2, 15 * MS + MS / 10);
		closed_loop(&b, &l, 20, depth, 0, 15 * MS);
		assert_true(b.s.capacity.knee >= (u64)depth * LW_IO);
	}
}

static void throughput_that_stays_shows_a_queue(void **state)
{
	for (int depth = 16; depth <= 32; depth *= 2) {
		struct bench b = bench(true);
		struct loop l = { 0 };

		closed_loop(&b, &l, 100, depth, 0, 5 * MS);
		closed_loop(&b, &l, 20, depth, 1 * MS, 4 * MS);
		for (int n = 0; n < 40; n++) {
			closed_loop(&b, &l, 12, depth - depth / 4, 1 * MS, 4 * MS);
			closed_loop(&b, &l, 12, depth + depth / 4, 1 * MS, 4 * MS);
		}
		assert_in_range(b.s.capacity.base_ns, 4900000, 5500000);
		assert_in_range(b.s.capacity.knee, 5 * LW_IO, 7 * LW_IO);
	}
}

/* Constant load, and a path three times as far: only a dip can tell. */
static void dips_show_that_a_path_became_slower(void **state)
{
	for (int depth = 4; depth <= 32; depth *= 2) {
		struct bench b = bench(true);
		struct loop l = { 0 };

		dipped_loop(&b, &l, 50, depth, 0, 5 * MS);
		dipped_loop(&b, &l, 60, depth, 0, 15 * MS);
		assert_in_range(b.s.capacity.base_ns, 27 * MS / 2, 15 * MS + MS / 10);
		dipped_loop(&b, &l, 20, depth, 0, 15 * MS);
		assert_true(b.s.capacity.knee >= (u64)depth * LW_IO);
	}
}

static void dips_do_not_hide_a_cap(void **state)
{
	for (int depth = 8; depth <= 32; depth *= 2) {
		struct bench b = bench(true);
		struct loop l = { 0 };

		dipped_loop(&b, &l, 100, depth, 0, 5 * MS);
		dipped_loop(&b, &l, 1000, depth, 1 * MS, 4 * MS);
		assert_true(b.s.capacity.dip.pause > LW_DIP_FIRST);
		assert_in_range(b.s.capacity.base_ns, 4900000, 5500000);
		assert_in_range(b.s.capacity.knee, 5 * LW_IO, 7 * LW_IO);
	}
}

static void base_stays_where_the_load_was_the_cause(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	closed_loop(&b, &l, 50, 32, 0, 5 * MS);
	closed_loop(&b, &l, 20, 32, 1 * MS, 4 * MS);
	/* Traffic leaves, and the queue with it. */
	for (int depth = 24; depth >= 6; depth -= 3) {
		closed_loop(&b, &l, 12, depth, 1 * MS, 4 * MS);
		assert_in_range(b.s.capacity.base_ns, 4900000, 6000000);
	}
	assert_in_range(b.s.capacity.knee, 5 * LW_IO, 11 * LW_IO);
}

static void base_stays_after_a_short_peak(void **state)
{
	for (int peak = 1; peak < 12; peak++) {
		struct bench b = bench(true);
		struct loop l = { 0 };

		closed_loop(&b, &l, 20, 1, 1 * MS, 4 * MS);
		/* The latency is still rising when the load goes. */
		closed_loop(&b, &l, peak, 32, 1 * MS, 4 * MS);
		closed_loop(&b, &l, 60, 8, 1 * MS, 4 * MS);
		assert_in_range(b.s.capacity.base_ns, 4900000, 5500000);
	}
}

static void first_sample_is_the_base(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	/* From the first moment 32 in flight on 1000 IOPS and 5 ms. */
	closed_loop(&b, &l, 100, 32, 1 * MS, 4 * MS);
	assert_in_range(b.s.latency.lat_ns, 31 * MS, 33 * MS);
	assert_in_range(b.s.capacity.base_ns, 4900000, 5100000);
	assert_in_range(b.s.capacity.knee, 5 * LW_IO, 7 * LW_IO);
}

/* 4k, 16k and 64k by turns that last some windows, so that the mean size varies. */
static size_t turns(struct loop *l)
{
	static const size_t bytes[] = { 4096, 16384, 65536 };

	return bytes[(l->seed++ >> 6) % 3];
}

static size_t mixed(struct loop *l)
{
	l->seed = l->seed * 1103515245 + 12345;
	return (l->seed >> 16) % 8 ? 8192 : 131072;
}

static void blocks_count_nothing_where_ios_limit(void **state)
{
	size_t (*sizes[])(struct loop *l) = { turns, mixed };
	/* Largest of them, in blocks. In a queue latencies vary, and some of that is taken for size. */
	static const u32 largest[] = { 16, 32 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct bench b = bench(true);
		struct loop l = { .size = sizes[i] };

		closed_loop(&b, &l, 1500, 32, 500000, 2 * MS);
		/* Its blocks count as another I/O at most, and it takes 2 % longer by them. */
		assert_in_range(b.s.capacity.block_cost, 0, 65536 / largest[i]);
		assert_in_range(largest[i] * (b.s.kinds.size.block_q4 >> 4), 0, b.s.latency.lat_ns / 40);
		/* 2000 IOPS in 2.5 ms */
		assert_in_range(b.s.capacity.knee, 5 * LW_IO, 7 * LW_IO);
	}
}

static void blocks_count_where_bytes_limit(void **state)
{
	size_t (*sizes[])(struct loop *l) = { turns, mixed };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct bench b = bench(true);
		struct loop l = { .size = sizes[i], .per_block = 50000 };

		/*
		 * 100 us for each I/O, 50 us for each block: half of it. What waits in a window does so
		 * behind what else is in it, so part of it is not seen.
		 */
		closed_loop(&b, &l, 1500, 32, 100000, 2 * MS);
		assert_in_range(b.s.capacity.block_cost, 65536 / 8, LW_BLOCK_MAX);
	}
}

/*
 * With one size there is nothing to learn. What the queue did when the other sizes went may be
 * taken for their price; where they come again it is soon right.
 */
static void cost_of_blocks_is_learned_again(void **state)
{
	struct bench b = bench(true);
	struct loop l = { .per_block = 50000 };

	closed_loop(&b, &l, 500, 32, 100000, 2 * MS);
	assert_int_equal(b.s.capacity.block_cost, 0);
	for (int n = 0; n < 3; n++) {
		l.size = mixed;
		closed_loop(&b, &l, 250, 32, 100000, 2 * MS);
		/* half of an I/O; in a queue this is seen within a factor of four */
		assert_in_range(b.s.capacity.block_cost, 65536 / 8, LW_BLOCK_MAX);
		l.size = NULL;
		closed_loop(&b, &l, 250, 32, 100000, 2 * MS);
		assert_in_range(b.s.capacity.base_ns, 1900000, 5 * MS);
	}
}

/* A class that was not there before does not make the path's base another one. */
static void another_size_under_load_leaves_the_base(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };
	u64 base;

	closed_loop(&b, &l, 20, 1, 1 * MS, 4 * MS);
	closed_loop(&b, &l, 50, 32, 1 * MS, 4 * MS);
	base = b.s.capacity.base_ns;
	l.size = mixed;
	closed_loop(&b, &l, 50, 32, 1 * MS, 4 * MS);
	assert_in_range(b.s.capacity.base_ns, base - base / 16, base + base / 16);
}

static void base_outlives_a_stall_under_load(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	closed_loop(&b, &l, 50, 16, 1 * MS, 4 * MS);
	loop_pause(&l, SEC);
	closed_loop(&b, &l, 150, 16, 1 * MS, 4 * MS);
	assert_true(b.s.health.validated);
	assert_in_range(b.s.capacity.base_ns, 4900000, 5100000);
	assert_in_range(b.s.capacity.knee, 5 * LW_IO, 7 * LW_IO);
}

/* Short or long, and as often as it likes, with something completed in between. */
static void stalls_under_load_keep_base_and_knee(void **state)
{
	for (u64 pause = 40 * MS; pause < SEC; pause *= 2) {
		struct bench b = bench(true);
		struct loop l = { 0 };

		closed_loop(&b, &l, 20, 1, 0, 5 * MS);
		closed_loop(&b, &l, 50, 16, 0, 5 * MS);
		for (int n = 0; n < 5; n++) {
			loop_pause(&l, pause);
			for (u64 t = 0; t < pause + 3 * WINDOW; t += WINDOW) {
				closed_loop(&b, &l, 1, 16, 0, 5 * MS);
				assert_in_range(b.s.capacity.base_ns, 4800000, 5200000);
				assert_true(b.s.capacity.knee >= 14 * LW_IO);
			}
			closed_loop(&b, &l, 10, 16, 0, 5 * MS);
		}
		assert_true(b.s.health.validated);
	}
}

static void constant_load_does_not_hide_a_cap(void **state)
{
	for (int depth = 8; depth <= 32; depth *= 2) {
		struct bench b = bench(true);
		struct loop l = { 0 };

		closed_loop(&b, &l, 100, depth, 0, 5 * MS);
		closed_loop(&b, &l, 200, depth, 1 * MS, 4 * MS);
		assert_in_range(b.s.capacity.base_ns, 4900000, 5500000);
		assert_in_range(b.s.capacity.knee, 5 * LW_IO, 7 * LW_IO);
	}
}

static void flushes_do_not_move_the_knee(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };
	u64 knee;

	closed_loop(&b, &l, 50, 16, 0, 5 * MS);
	knee = b.s.capacity.knee;
	for (int w = 0; w < 50; w++) {
		u64 t = b.now + 1 * MS;

		start_sized(&b, 0, t);
		end_sized(&b, 0, t, t + 18 * MS);
		closed_loop(&b, &l, 1, 16, 0, 5 * MS);
	}
	assert_in_range(b.s.latency.cls[LW_CLASS_ZERO].lat_ns, 17 * MS, 19 * MS);
	assert_in_range(b.s.latency.lat_ns, 4900000, 5100000);
	assert_in_range(b.s.capacity.base_ns, 4900000, 5100000);
	assert_in_range(b.s.capacity.knee, knee, knee + 4 * LW_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knee_grows_while_latency_is_flat),
		cmocka_unit_test(knee_is_the_bandwidth_delay_product),
		cmocka_unit_test(base_and_knee_do_not_confirm_each_other),
		cmocka_unit_test(knee_collapses_until_the_base_is_right),
		cmocka_unit_test(base_is_at_most_the_latency),
		cmocka_unit_test(capped_path_is_loaded_up_to_its_knee),
		cmocka_unit_test(base_follows_a_path_that_became_slower),
		cmocka_unit_test(throughput_that_follows_the_load_shows_distance),
		cmocka_unit_test(throughput_that_stays_shows_a_queue),
		cmocka_unit_test(dips_show_that_a_path_became_slower),
		cmocka_unit_test(dips_do_not_hide_a_cap),
		cmocka_unit_test(base_stays_where_the_load_was_the_cause),
		cmocka_unit_test(base_stays_after_a_short_peak),
		cmocka_unit_test(first_sample_is_the_base),
		cmocka_unit_test(blocks_count_nothing_where_ios_limit),
		cmocka_unit_test(blocks_count_where_bytes_limit),
		cmocka_unit_test(cost_of_blocks_is_learned_again),
		cmocka_unit_test(another_size_under_load_leaves_the_base),
		cmocka_unit_test(base_outlives_a_stall_under_load),
		cmocka_unit_test(stalls_under_load_keep_base_and_knee),
		cmocka_unit_test(constant_load_does_not_hide_a_cap),
		cmocka_unit_test(flushes_do_not_move_the_knee),
	};

	return cmocka_run_group_tests_name("load", tests, NULL, NULL);
}
