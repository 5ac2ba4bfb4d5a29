// SPDX-License-Identifier: GPL-2.0
/* model/stall.h: when a path stalls, and when it is used again. */
#include "bench.h"

static void hang_is_seen_within_two_windows(void **state)
{
	struct bench b = bench(true);

	traffic(&b, 50, 8, 2 * MS);
	for (int i = 0; i < 16; i++)
		start_at(&b, b.now + 1);
	close_window(&b);
	assert_false(b.s.health.stalled);	/* it was empty when the window began */
	close_window(&b);
	if (!b.s.health.stalled)
		close_window(&b);
	assert_true(b.s.health.stalled);
	assert_false(b.s.health.validated);
	b.s.counted.active_ns += 100 * SEC;
	assert_false(wanted(&b, 16, 0));
}

static void what_hung_is_not_believed(void **state)
{
	for (int stamps = 0; stamps < 2; stamps++) {
		struct bench b = bench(stamps);
		u64 hung;

		traffic(&b, 50, 8, 2 * MS);
		hung = b.now + 1;
		for (int i = 0; i < 16; i++)
			start_at(&b, hung);
		for (int w = 0; w < 100; w++)
			close_window(&b);
		assert_true(b.s.health.stalled);

		/* It returns: all 16 end, which proves nothing yet. */
		for (int i = 0; i < 16; i++)
			end_at(&b, hung, b.now + 5 * MS);
		close_window(&b);
		assert_false(b.s.health.validated);
		assert_false(b.s.health.stalled);
		assert_true(wanted(&b, 16, 0));
		assert_in_range(b.s.latency.lat_ns, 1900000, 2100000);
		traffic(&b, 1, 1, 2 * MS);
		assert_true(b.s.health.validated);
		assert_int_equal(b.s.latency.lat_ns, 2 * MS);
		assert_in_range(b.s.capacity.base_ns, 1990000, 2000000);
	}
}

/* After a stall the path is used as before it, and keeps base and knee. */
static void stall_keeps_base_and_knee(void **state)
{
	for (int stamps = 0; stamps < 2; stamps++) {
		struct bench b = bench(stamps);
		struct loop l = { 0 };
		u64 knee, base, hung;

		closed_loop(&b, &l, 50, 16, 0, 5 * MS);
		while (l.depth)
			loop_end(&b, &l);
		close_window(&b);
		knee = b.s.capacity.knee;
		base = b.s.capacity.base_ns;
		assert_true(knee >= 16 * LW_IO);
		hung = b.now + 1;
		stall(&b, 20);
		assert_true(b.s.health.stalled && b.s.health.resumes && !b.s.health.validated);
		release(&b, hung);
		assert_true(!b.s.health.stalled && b.s.health.resumes && !b.s.health.validated);
		assert_int_equal(b.s.capacity.knee, knee);
		assert_int_equal(b.s.capacity.base_ns, base);
		/* The next samples count, and say the same. */
		closed_loop(&b, &l, 3, 16, 0, 5 * MS);
		assert_true(b.s.health.validated && !b.s.health.resumes);
		assert_true(b.s.capacity.knee >= knee);
		assert_in_range(b.s.capacity.base_ns, base - base / 64, base + base / 64);
	}
}

/* Without a valid sample since the last stall the next one ends normal use. */
static void second_stall_is_a_hang(void **state)
{
	struct bench b = bench(true);
	u64 knee, hung;

	traffic(&b, 50, 8, 2 * MS);
	hung = b.now + 1;
	stall(&b, 20);
	assert_true(b.s.health.resumes);
	release(&b, hung);
	assert_true(b.s.health.resumes);
	hung = b.now + 1;
	stall(&b, 20);
	assert_false(b.s.health.resumes || b.s.health.validated);
	/* From here on it gets probes, and what the first says is set. */
	release(&b, hung);
	assert_false(b.s.health.resumes || b.s.health.validated || b.s.health.stalled);
	traffic(&b, 1, 1, 9 * MS);
	assert_true(b.s.health.validated);
	assert_in_range(b.s.capacity.base_ns, 9 * MS - 16, 9 * MS);

	/* With one in between it is as if it were the first. */
	traffic(&b, 50, 8, 2 * MS);
	knee = b.s.capacity.knee;
	for (int i = 0; i < 3; i++) {
		hung = b.now + 1;
		stall(&b, 20);
		assert_true(b.s.health.stalled && b.s.health.resumes);
		release(&b, hung);
		traffic(&b, 1, 8, 2 * MS);
		assert_true(b.s.health.validated);
		assert_true(b.s.capacity.knee >= knee);
	}
}

static void idle_path_does_not_stall(void **state)
{
	struct bench b = bench(true);

	traffic(&b, 5, 4, 2 * MS);
	b.now += 3600 * SEC;
	close_window(&b);
	assert_false(b.s.health.stalled);
	assert_true(b.s.health.validated);
	start_at(&b, b.now + 19 * MS);
	close_window(&b);
	assert_false(b.s.health.stalled);
}

static void slow_class_in_flight_is_no_stall(void **state)
{
	struct bench b = bench(true);

	traffic(&b, 20, 8, 2 * MS);
	/* the other class is known to take 400 ms */
	b.s.latency.cls[LW_CLASS_1M].lat_ns = 400 * MS;
	start_sized(&b, 1 << 20, b.now);
	for (int w = 0; w < 15; w++)
		close_window(&b);
	assert_false(b.s.health.stalled);
	for (int w = 0; w < 10; w++)
		close_window(&b);
	assert_true(b.s.health.stalled);
}

/*
 * promise service/first-flush: The first flush or discard of a path may take up to a second, and
 *   is no stall
 */
/* Data tells nothing of flushes and discards; while the first one lasts, the path is no stalled one. */
static void first_flush_or_discard_may_take_long(void **state)
{
	for (int huge = 0; huge < 2; huge++) {
		size_t bytes = huge ? LW_DATA_MAX + 1 : 0;
		struct bench b = bench(true);
		u64 started;

		traffic(&b, 20, 1, 1 * MS);
		for (int n = 0; n < 5; n++) {
			started = b.now;
			start_sized(&b, bytes, started);
			for (int w = 0; w < 20; w++) {
				close_window(&b);
				assert_false(b.s.health.stalled);
			}
			end_sized(&b, bytes, started, b.now + 1 * MS);
			close_window(&b);
			assert_in_range(b.s.latency.cls[lw_class(bytes)].lat_ns, 400 * MS, 402 * MS);
		}
		start_sized(&b, bytes, b.now);
		for (int w = 0; w < 60; w++)
			close_window(&b);
		assert_true(b.s.health.stalled);
	}
}

static void stall_and_end_it_by_a_flush(struct bench *b)
{
	u64 hung = b->now, flush;

	start_at(b, hung);
	while (!b->s.health.stalled)
		close_window(b);
	flush = b->now + MS;
	start_sized(b, 0, flush);
	end_sized(b, 0, flush, flush + MS);
	close_window(b);
	end_at(b, hung, b->now + MS);
	close_window(b);
	assert_true(b->s.health.validated && !b->s.health.stalled);
}

/* Then there is no first sample, and the latency of the queue is none. */
static void base_outlives_a_stall_that_a_flush_ends(void **state)
{
	struct bench b = bench(true);

	traffic(&b, 10, 4, 10 * MS);
	stall_and_end_it_by_a_flush(&b);
	assert_in_range(b.s.capacity.base_ns, 9 * MS, 11 * MS);
}

/* What starts while nothing completes ends no stall, though it may take longer itself. */
static void first_flush_ends_no_stall(void **state)
{
	struct bench b = bench(true);
	u64 hung;

	traffic(&b, 50, 8, 2 * MS);
	hung = b.now + 1;
	stall(&b, 10);
	assert_true(b.s.health.stalled && b.s.health.resumes);
	start_sized(&b, 0, b.now);
	for (int w = 0; w < 200; w++) {
		close_window(&b);
		assert_true(b.s.health.stalled && b.s.health.resumes);
	}
	end_at(&b, hung, b.now + 1);
	close_window(&b);
	assert_true(!b.s.health.stalled && b.s.health.resumes);
}

/* promise service/lost-ios */
/* Nothing comes back: one more I/O, and another each time that the silence has doubled. */
static void stalled_path_is_retried_ever_more_rarely(void **state)
{
	struct bench b = bench(true);
	unsigned int retries = 0;

	traffic(&b, 50, 8, 2 * MS);
	for (int n = 0; n < 3; n++) {
		u64 next = LW_RETRY_NS, hung = b.now + 1;

		stall(&b, 1);
		while (b.s.health.no_completion_ns < 30 * SEC) {
			bool due = b.s.health.no_completion_ns >= next;

			assert_int_equal(wanted(&b, LW_RETRY_BESIDE, 0), due);
			/* if one more that hangs is a small part of those that work */
			assert_false(wanted(&b, LW_RETRY_BESIDE - 1, 0));
			next *= due ? 2 : 1;
			retries += due;
			close_window(&b);
		}
		assert_true(b.s.health.stalled);
		/* 0.2 s to 25.6 s */
		assert_int_equal(retries, 8 * (n + 1));
		release(&b, hung);
		traffic(&b, 50, 8, 2 * MS);
	}
}

/* A stall holds 16 I/Os, and a newer one ends before them: those may be lost, and are no load. */
static struct bench newer_one_ends(bool stamps, u64 *hung)
{
	struct bench b = bench(stamps);
	struct loop l = { 0 };

	closed_loop(&b, &l, 50, 16, 0, 5 * MS);
	*hung = b.now - 5 * MS;
	while (!b.s.health.stalled)
		close_window(&b);
	assert_true(b.s.health.resumes);
	traffic(&b, 1, 1, 5 * MS);
	return b;
}

/* promise service/lost-ios */
static void what_a_stall_does_not_give_back_is_no_load(void **state)
{
	u64 hung, base, knee;
	struct bench b = newer_one_ends(true, &hung);

	assert_true(b.s.health.validated && !b.s.health.stalled);
	assert_int_equal(b.s.health.hung.ios, 16);
	base = b.s.capacity.base_ns;
	knee = b.s.capacity.knee;
	traffic(&b, 50, 8, 5 * MS);
	assert_true(b.s.health.validated && !b.s.health.stalled);
	assert_in_range(b.s.latency.lat_ns, 4900000, 5100000);
	assert_in_range(b.s.latency.load, LW_IO, LW_IO + LW_IO / 4);
	assert_in_range(b.s.capacity.base_ns, base - base / 16, base + base / 16);
	assert_true(b.s.capacity.knee >= knee);
	/* They come after all: none is left, and they are no samples. */
	for (int i = 0; i < 16; i++)
		end_at(&b, hung, b.now + MS);
	traffic(&b, 50, 8, 5 * MS);
	assert_int_equal(b.s.health.hung.ios, 0);
	assert_in_range(b.s.latency.lat_ns, 4900000, 5100000);
}

/* Without stamps nobody knows which ended. */
static void nothing_is_lost_without_stamps(void **state)
{
	u64 hung;
	struct bench b = newer_one_ends(false, &hung);

	traffic(&b, 50, 1, 5 * MS);
	assert_int_equal(b.s.health.hung.ios, 0);
}

/* What the stall held comes first: nothing is lost. */
static void stall_that_gives_all_back_has_lost_nothing(void **state)
{
	struct bench b = bench(true);
	struct loop l = { 0 };

	closed_loop(&b, &l, 50, 16, 0, 5 * MS);
	for (int n = 0; n < 5; n++) {
		loop_pause(&l, SEC);
		closed_loop(&b, &l, 60, 16, 0, 5 * MS);
		assert_true(b.s.health.validated);
		assert_int_equal(b.s.health.hung.ios, 0);
	}
}

/* A stall from before a reinstatement is over, whatever ends of it. */
static void reinstatement_ends_a_stall(void **state)
{
	struct bench b = bench(true);
	u64 hung;

	traffic(&b, 50, 8, 2 * MS);
	hung = b.now + 1;
	stall(&b, 3000);
	reinstate(&b);
	assert_false(b.s.health.stalled || b.s.health.lives);
	release(&b, hung);
	assert_false(b.s.health.stalled || b.s.health.lives);
	assert_int_equal(b.s.health.stall_timeout_ns, LW_STALL_TIMEOUT_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hang_is_seen_within_two_windows),
		cmocka_unit_test(what_hung_is_not_believed),
		cmocka_unit_test(stall_keeps_base_and_knee),
		cmocka_unit_test(second_stall_is_a_hang),
		cmocka_unit_test(idle_path_does_not_stall),
		cmocka_unit_test(slow_class_in_flight_is_no_stall),
		cmocka_unit_test(first_flush_or_discard_may_take_long),
		cmocka_unit_test(first_flush_ends_no_stall),
		cmocka_unit_test(base_outlives_a_stall_that_a_flush_ends),
		cmocka_unit_test(stalled_path_is_retried_ever_more_rarely),
		cmocka_unit_test(what_a_stall_does_not_give_back_is_no_load),
		cmocka_unit_test(nothing_is_lost_without_stamps),
		cmocka_unit_test(stall_that_gives_all_back_has_lost_nothing),
		cmocka_unit_test(reinstatement_ends_a_stall),
	};

	return cmocka_run_group_tests_name("stall", tests, NULL, NULL);
}
