// SPDX-License-Identifier: GPL-2.0
/* model/estimate.h: it counts what flows, and wants proofs. */
#include "bench.h"

static void new_path_is_not_proven(void **state)
{
	struct bench b = bench(true);

	close_window(&b);
	assert_false(b.s.health.validated);
	assert_int_equal(b.s.latency.cls[C].lat_ns, 0);
	assert_int_equal(b.s.latency.lat_ns, 0);
	assert_int_equal(lw_path_lat(&b.s), 0);
	assert_int_equal(lw_class_known(&b.s.latency, C), LW_CLASSES);
	assert_int_equal(lw_path_source(&b.s), LW_SOURCE_NONE);
}

static void first_sample_is_believed(void **state)
{
	for (int stamps = 0; stamps < 2; stamps++) {
		struct bench b = bench(stamps);

		traffic(&b, 1, 1, 5 * MS);
		assert_true(b.s.health.validated);
		assert_int_equal(b.s.health.stamped, stamps);
		assert_int_equal(lw_path_source(&b.s), stamps ? LW_SOURCE_STAMPS : LW_SOURCE_LITTLE);
		assert_int_equal(b.s.latency.lat_ns, 5 * MS);
		assert_int_equal(b.s.latency.cls[C].lat_ns, 5 * MS);
		assert_in_range(b.s.capacity.base_ns, 5 * MS - 16, 5 * MS);
	}
}

static void reinstated_path_needs_a_new_proof(void **state)
{
	struct bench b = bench(true);
	u64 before;

	traffic(&b, 20, 8, 2 * MS);
	before = b.now + 1;
	start_at(&b, before);
	close_window(&b);
	/* Failed and reinstated: what was in flight proves nothing. */
	b.valid_from = b.now;
	lw_path_invalidate(&b.s, LW_STALL_TIMEOUT_NS);
	forget_first(&b);
	end_at(&b, before, b.now + 50);
	close_window(&b);
	assert_false(b.s.health.validated);
	probe(&b, 7 * MS);
	assert_true(b.s.health.validated);
	assert_int_equal(b.s.latency.lat_ns, 7 * MS);
	assert_in_range(b.s.capacity.base_ns, 7 * MS - 16, 7 * MS);
	assert_int_equal(b.s.capacity.knee, 2 * LW_IO);
}

/* A probe that takes @lat and starts @phase into a window. */
static void probe_of(struct bench *b, u64 lat, u64 phase)
{
	u64 start = b->now + phase, due = start + lat;

	start_at(b, start);
	while (due > b->now + WINDOW)
		close_window(b);
	end_at(b, start, due);
	close_window(b);
}

static int probes_until_proven(struct bench *b, u64 lat, u64 phase)
{
	for (int probes = 1; probes < 20; probes++) {
		probe_of(b, lat, phase);
		if (b->s.health.validated)
			return probes;
	}
	return 20;
}

static void slow_path_is_proven_by_its_probes(void **state)
{
	for (u64 lat = 1 * MS; lat < 3 * SEC; lat += lat / 3) {
		for (u64 phase = 0; phase < WINDOW; phase += 3 * MS) {
			struct bench fresh = bench(true), b = bench(true);

			assert_in_range(probes_until_proven(&fresh, lat, phase), 1, 2);

			/* and so is a fast one that stalled, and came back slow */
			traffic(&b, 50, 8, 5 * MS);
			start_at(&b, b.now + 1);
			for (int w = 0; w < 10; w++)
				close_window(&b);
			end_at(&b, b.now - 10 * WINDOW + 1, b.now + 1);
			close_window(&b);
			assert_false(b.s.health.validated);
			assert_in_range(probes_until_proven(&b, lat, phase), 1, 6);
			assert_in_range(b.s.latency.lat_ns, lat - 16, lat + 16);
			/* It keeps its base then, which probes raise. */
			for (int n = 0; n < 8; n++)
				probe_of(&b, lat, phase);
			assert_in_range(b.s.capacity.base_ns, lat - lat / 5, lat + 16);
		}
	}
}

static void path_under_load_is_proven_without_stamps(void **state)
{
	struct bench b = bench(false);
	struct loop l = { 0 };

	closed_loop(&b, &l, 50, 16, 0, 5 * MS);
	/* A hiccup of a second: nothing completes, nothing leaves. */
	for (int i = 0; i < l.depth; i++)
		l.due[i] += SEC;
	closed_loop(&b, &l, 40, 16, 0, 5 * MS);
	assert_false(b.s.health.validated);
	closed_loop(&b, &l, 30, 16, 0, 5 * MS);
	assert_true(b.s.health.validated);
	assert_in_range(b.s.latency.lat_ns, 4500000, 5500000);
}

static void taking_back_does_not_wrap(void **state)
{
	struct bench b = bench(true);

	traffic(&b, 50, 8, 2 * MS);
	/* The window sees a start of 12 blocks that is then taken back. */
	b.counters[C].starts++;
	b.counters[C].sum_ns -= b.now;
	b.counters[C].blocks += 12;
	close_window(&b);
	b.counters[C].starts--;
	b.counters[C].sum_ns += b.now;
	b.counters[C].blocks -= 12;
	start_at(&b, b.now);
	start_at(&b, b.now);
	close_window(&b);
	assert_in_range(b.s.counted.cls[C].blocks, 0, 12);
	assert_true(b.s.capacity.knee < 200 * LW_IO);
}

/* promise numbers/totals-wrap: Totals may pass 2^64 | by: a quarter of the random streams */
/* After ages: each total passes 2^64 meanwhile, and nobody sees a difference. */
static void counts_wrap(void **state)
{
	struct bench b = bench(true), worn = bench(true);

	worn.counters[C] = (struct lw_counters){ .starts = -100, .ends = -100, .done = -100,
					 .blocks = -400, .sum_ns = -SEC, .took_ns = -SEC };
	worn.s.counted.cls[C].was = worn.counters[C];
	traffic(&b, 50, 8, 2 * MS);
	traffic(&worn, 50, 8, 2 * MS);
	assert_true(worn.counters[C].starts < 1ULL << 20);
	assert_int_equal(worn.s.latency.cls[C].lat_ns, b.s.latency.cls[C].lat_ns);
	assert_int_equal(worn.s.counted.cls[C].blocks, b.s.counted.cls[C].blocks);
	assert_int_equal(worn.s.latency.lat_ns, b.s.latency.lat_ns);
	assert_int_equal(worn.s.capacity.base_ns, b.s.capacity.base_ns);
	assert_int_equal(worn.s.capacity.knee, b.s.capacity.knee);
}

/*
 * promise numbers/clocks: Clocks may differ between CPUs, and jump | by: random streams: 1 ms
 *   apart, jumps of an hour
 */
/* Of two selectors that share the path, the one with the older clock comes later. */
static void window_that_ends_before_it_began(void **state)
{
	struct bench b = bench(true);

	traffic(&b, 50, 8, 2 * MS);
	b.now -= 5 * MS;
	close_window(&b);
	assert_in_range(b.s.capacity.knee, LW_KNEE_LEAST, LW_KNEE_MOST);
	assert_false(b.s.health.stalled);
	traffic(&b, 20, 8, 2 * MS);
	assert_true(b.s.health.validated);
	assert_in_range(b.s.latency.lat_ns, 1800000, 2200000);
}

/* The path is used as before; the window tells nothing of it. */
static void machine_that_stood_still_is_no_stall(void **state)
{
	struct bench b = bench(true);
	u64 t, lat_ns;

	traffic(&b, 50, 8, 50 * MS);
	lat_ns = b.s.latency.lat_ns;
	t = b.now + 1;
	start_at(&b, t);
	b.now += 60 * SEC;
	close_window(&b);
	assert_true(!b.s.health.stalled && b.s.health.validated);
	assert_int_equal(b.s.latency.lat_ns, lat_ns);
	end_at(&b, t, b.now + 1);
	traffic(&b, 2, 8, 50 * MS);
	assert_true(b.s.health.validated);
	assert_in_range(b.s.latency.lat_ns, lat_ns * 9 / 10, lat_ns * 11 / 10);
}

/* For half a second each, with a window between, or none. */
static void halts_in_a_row_are_no_latency(void **state)
{
	for (int between = 0; between < 2; between++) {
		struct bench b = bench(true);
		struct loop l = { 0 };
		u64 lat_ns, base_ns;

		closed_loop(&b, &l, 50, 8, MS / 20, MS / 2);
		lat_ns = b.s.latency.lat_ns;
		base_ns = b.s.capacity.base_ns;
		for (int i = 0; i < 2; i++) {
			/* Each I/O in flight is late by this, and the window. */
			b.now += SEC / 2;
			l.server_free += SEC / 2;
			for (int k = 0; k < l.depth; k++)
				l.due[k] += SEC / 2;
			closed_loop(&b, &l, 1 + between, 8, MS / 20, MS / 2);
		}
		assert_in_range(b.s.latency.lat_ns, lat_ns * 9 / 10, lat_ns * 11 / 10);
		closed_loop(&b, &l, 20, 8, MS / 20, MS / 2);
		assert_in_range(b.s.latency.lat_ns, lat_ns * 9 / 10, lat_ns * 11 / 10);
		assert_in_range(b.s.capacity.base_ns, base_ns * 9 / 10, base_ns * 11 / 10);
	}
}

/* As where a timer's tick is half a window, or a host that runs others first. */
static void windows_that_are_always_late_count(void **state)
{
	for (int stamps = 0; stamps < 2; stamps++) {
		struct bench b = bench(stamps);
		struct loop l = { 0 };

		b.late = 2 * WINDOW;
		closed_loop(&b, &l, 20, 8, MS / 20, MS / 2);
		assert_in_range(b.s.latency.lat_ns, MS / 2, MS);
		assert_in_range(b.s.capacity.base_ns, MS / 4, MS);
		closed_loop(&b, &l, 20, 8, MS / 20, 10 * MS);
		assert_in_range(b.s.latency.lat_ns, 9 * MS, 12 * MS);
		/* Longer than a window. */
		closed_loop(&b, &l, 100, 8, 13 * MS, 0);
		assert_in_range(b.s.latency.lat_ns, 90 * MS, 115 * MS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_path_is_not_proven),
		cmocka_unit_test(first_sample_is_believed),
		cmocka_unit_test(reinstated_path_needs_a_new_proof),
		cmocka_unit_test(slow_path_is_proven_by_its_probes),
		cmocka_unit_test(path_under_load_is_proven_without_stamps),
		cmocka_unit_test(taking_back_does_not_wrap),
		cmocka_unit_test(counts_wrap),
		cmocka_unit_test(window_that_ends_before_it_began),
		cmocka_unit_test(machine_that_stood_still_is_no_stall),
		cmocka_unit_test(halts_in_a_row_are_no_latency),
		cmocka_unit_test(windows_that_are_always_late_count),
	};

	return cmocka_run_group_tests_name("estimate", tests, NULL, NULL);
}
