// SPDX-License-Identifier: GPL-2.0
/* model/probe.h: when a path that is not used gets an I/O to find out. */
#include "bench.h"

static void unused_path_is_probed_in_time(void **state)
{
	struct bench b = bench(true);
	u64 others = 1000 << 8;

	traffic(&b, 20, 1, 35 * MS);
	b.s.counted.recent_q8 = 0;
	b.s.counted.active_ns += 100 * MS;
	assert_false(wanted(&b, 16, others));
	b.s.counted.active_ns += 50 * MS;
	assert_true(wanted(&b, 16, others));
	/* at depth one a probe costs more */
	assert_false(wanted(&b, 1, others));
	b.s.counted.active_ns += 1850 * MS;
	assert_false(wanted(&b, 1, others));
	b.s.counted.active_ns += 300 * MS;
	assert_true(wanted(&b, 1, others));
}

/* A latency that rests on few windows is soon checked, be the path near or far. */
static void path_is_not_judged_by_one_window(void **state)
{
	struct bench b = bench(true);
	u64 others = 1000 << 8;

	for (int n = 0; n < 10; n++) {
		traffic(&b, 1, 1, 300 * MS);
		b.s.counted.recent_q8 = 0;
		b.s.counted.active_ns += 99 * MS;
		assert_false(wanted(&b, 16, others));
		b.s.counted.active_ns += 1 * MS;
		/* then as any other: 300 ms * 64 / 16 */
		assert_int_equal(wanted(&b, 16, others), n < 3);
	}
	/* What was known before it failed does not count. */
	lw_path_invalidate(&b.s, LW_STALL_TIMEOUT_NS);
	traffic(&b, 1, 1, 300 * MS);
	assert_true(b.s.health.validated);
	b.s.counted.recent_q8 = 0;
	b.s.counted.active_ns += 100 * MS;
	assert_true(wanted(&b, 16, others));
}

static void unused_paths_share_the_64th(void **state)
{
	struct lw_probing p = { .min_ms = 100, .max_ms = 5000, .unused = 1,
				.inflight = 16, .recent_q8 = 1000 << 8 };
	struct lw_path_state s = { .latency.seen_windows = LW_PROBE_SOON };

	/* 35 ms * 64 / 16, once for each of them */
	s.latency.lat_ns = 35 * MS;
	assert_int_equal(lw_probe_period_ns(&s, &p), 140 * MS);
	/* of 100 I/Os two took half a second more: 5 ms beside the worst one */
	s.capacity.outliers = (struct lw_outliers){ .ended = 100 << 8, .excess_ns = 1000 * MS,
					   .worst_ns = 500 * MS };
	assert_int_equal(lw_probe_period_ns(&s, &p), 160 * MS);
	s.capacity.outliers = (struct lw_outliers){ 0 };
	p.unused = 3;
	assert_int_equal(lw_probe_period_ns(&s, &p), 420 * MS);
	p.unused = 0;		/* the path became unused only now */
	assert_int_equal(lw_probe_period_ns(&s, &p), 140 * MS);
	p.unused = 1000;
	assert_int_equal(lw_probe_period_ns(&s, &p), 5000 * MS);
	/* A path that is used: four times as long, whoever else is not. */
	s.counted.recent_q8 = p.recent_q8 / 2;
	assert_int_equal(lw_probe_period_ns(&s, &p), 560 * MS);
	/* 1000 << 8 by 64 is 4000: at less the path counts as unused */
	s.counted.recent_q8 = 4000;
	assert_false(lw_path_unused(&s, p.recent_q8));
	s.counted.recent_q8 = 3999;
	assert_true(lw_path_unused(&s, p.recent_q8));
	/* Neither latency nor number makes it overflow. */
	s.latency.lat_ns = LW_NS_MAX;
	p.unused = 1 << 14;
	assert_int_equal(lw_probe_period_ns(&s, &p), 5000 * MS);
}

/* Whatever class it is of, and whatever class the path carried before. */
static void path_gets_one_probe_a_period(void **state)
{
	struct bench b = bench(true);
	u64 others = 1000 << 8;

	traffic(&b, 20, 1, 35 * MS);
	b.s.counted.recent_q8 = 0;
	b.s.counted.active_ns += SEC;
	assert_true(wanted(&b, 16, others));
	/* One was probed: none now, and after a period of 140 ms the next. A flush tells nothing. */
	b.s.latency.cls[LW_CLASS_ZERO].seen_ns = b.s.counted.active_ns;
	assert_true(wanted(&b, 16, others));
	for (unsigned int c = LW_CLASS_32K; c < LW_CLASSES; c++) {
		b.s.latency.cls[c].seen_ns = b.s.counted.active_ns;
		assert_false(wanted(&b, 16, others));
		b.s.counted.active_ns += 135 * MS;
		assert_false(wanted(&b, 16, others));
		b.s.counted.active_ns += 5 * MS;
		assert_true(wanted(&b, 16, others));
	}
	/* On a path that is used, classes without I/O want nothing: the others tell. */
	b.s.counted.recent_q8 = others;
	b.s.latency.cls[C].seen_ns = b.s.counted.active_ns;
	assert_false(wanted(&b, 16, others));
}

/* Also if the others have one I/O in four windows. */
static void idle_path_is_unused_at_any_rate(void **state)
{
	struct bench b = bench(true);

	traffic(&b, 50, 8, 2 * MS);
	for (int n = 0; n < 100; n++)
		close_window(&b);
	assert_true(lw_path_unused(&b.s, 256 / 4));
}

/* Flushes tell how long a probe takes only where there was no data. */
static void latency_of_a_probe_is_that_of_data(void **state)
{
	struct lw_probing p = { .min_ms = 1, .max_ms = 100000, .unused = 1, .inflight = 64,
				.recent_q8 = 1000 << 8 };
	struct lw_path_state s = { .latency.seen_windows = LW_PROBE_SOON };

	assert_int_equal(lw_probe_period_ns(&s, &p), 1 * MS);
	s.latency.cls[LW_CLASS_ZERO].lat_ns = 7 * MS;
	assert_int_equal(lw_probe_period_ns(&s, &p), 7 * MS);
	s.latency.cls[LW_CLASS_1M].lat_ns = 20 * MS;
	s.latency.lat_ns = 12 * MS;
	assert_int_equal(lw_probe_period_ns(&s, &p), 12 * MS);
}

/* While a probe is in flight no other is wanted. */
static void probe_validates(struct bench *b, u64 others)
{
	start_at(b, b->now);
	close_window(b);
	assert_false(wanted(b, 16, others));
	end_at(b, b->now - WINDOW, b->now + 1 * MS);
	close_window(b);
	assert_true(b->s.health.validated);
}

/* What it has in flight is the probe. */
static void path_that_completes_nothing_is_not_probed(void **state)
{
	struct bench b = bench(true);
	u64 others = 1000 << 8;

	assert_true(wanted(&b, 16, others));		/* new, and empty */
	probe_validates(&b, others);
	b.s.counted.recent_q8 = 0;
	b.s.counted.active_ns += 10 * SEC;
	start_at(&b, b.now);
	close_window(&b);
	assert_false(wanted(&b, 16, others));
}

/* Windows until the path wants a probe. */
static int windows_until_wanted(struct bench *b)
{
	for (int w = 0; w < 1000; w++) {
		if (wanted(b, 16, 1000 << 8))
			return w;
		close_window(b);
	}
	return 1000;
}

/* promise service/lost-ios */
/* An I/O may be lost, be it one of two: after 0.2 s one more finds out. */
static void lost_io_is_probed_around(void **state)
{
	for (int lost = 1; lost < 3; lost++) {
		struct bench b = bench(true);

		traffic(&b, 20, 1, 35 * MS);
		for (int i = 0; i < lost; i++)
			start_at(&b, b.now);
		assert_in_range(windows_until_wanted(&b), 10, 12);
		assert_true(b.s.health.stalled);
		traffic(&b, 1, 1, 1 * MS);
		assert_true(b.s.health.validated && !b.s.health.stalled);
		assert_int_equal(b.s.health.hung.ios, lost);
	}
}

/* promise service/lost-ios */
/*
 * The first I/O of a reinstated path is lost. The second one ends, too old to be a sample; the third is one, though
 * it ends in a later window.
 */
static void lost_first_io_is_probed_around(void **state)
{
	struct bench b = bench(true);
	u64 others = 1000 << 8, started;

	traffic(&b, 20, 1, 35 * MS);
	reinstate(&b);
	start_at(&b, b.now);
	for (int w = 0; w < 60; w++)
		close_window(&b);
	assert_true(b.s.health.stalled && !b.s.health.resumes);
	assert_in_range(windows_until_wanted(&b), 10, 30);
	for (int probe = 2; probe <= 3; probe++) {
		started = b.now;
		start_at(&b, started);
		close_window(&b);
		assert_false(wanted(&b, 64, others));
		end_at(&b, started, started + 35 * MS);
		/* There may be no I/O for it at once. */
		for (int w = 0; w < 5; w++) {
			close_window(&b);
			assert_int_equal(b.s.health.validated, probe == 3);
			assert_int_equal(wanted(&b, 64, others), probe == 2);
		}
	}
}

/* promise service/reinstated */
/* What hangs since before a reinstatement is no probe: one finds out, and a second one would hang, too. */
static void reinstated_path_is_probed_beside_what_hangs(void **state)
{
	struct bench b = bench(true);
	u64 others = 1000 << 8;

	traffic(&b, 20, 1, 35 * MS);
	for (int n = 0; n < 5; n++)
		start_at(&b, b.now);
	close_window(&b);
	assert_false(wanted(&b, 16, others));
	reinstate(&b);
	for (int w = 0; w < 60; w++) {
		close_window(&b);
		assert_true(wanted(&b, 16, others));
	}
	assert_false(b.s.health.stalled);
	probe_validates(&b, others);
	assert_int_equal(b.s.health.hung.ios, 5);
	/* From then on by time, and latency and load are those of what does not hang. */
	traffic(&b, 20, 4, 1 * MS);
	assert_false(wanted(&b, 16, others));
	assert_in_range(b.s.latency.load, 1, LW_IO);
	assert_in_range(b.s.latency.lat_ns, 9 * MS / 10, 11 * MS / 10);
	for (int n = 0; n < 5; n++)
		end_at(&b, 0, b.now);
	close_window(&b);
	assert_int_equal(b.s.health.hung.ios, 0);
}

/* A path of which @n I/Os hang since before it was reinstated, and which is used. */
static struct bench beside_what_hangs(int n)
{
	struct bench b = bench(true);

	traffic(&b, 20, 4, 1 * MS);
	for (int i = 0; i < n; i++)
		start_at(&b, b.now);
	close_window(&b);
	reinstate(&b);
	close_window(&b);
	traffic(&b, 20, 4, 1 * MS);
	assert_true(b.s.health.validated);
	assert_int_equal(b.s.health.hung.ios, n);
	return b;
}

/* What waits in a pause of the path ends without being a sample. It is none of what hangs. */
static void pause_leaves_what_hangs(void **state)
{
	struct bench b = beside_what_hangs(5);
	u64 started = b.now;

	for (int i = 0; i < 4; i++)
		start_at(&b, started);
	for (int w = 0; w < 10; w++)
		close_window(&b);
	assert_true(b.s.health.stalled);
	for (int i = 0; i < 4; i++)
		end_at(&b, started, b.now);
	traffic(&b, 100, 4, 1 * MS);
	assert_int_equal(b.s.health.hung.ios, 5);
	assert_true(b.s.health.validated && !b.s.health.stalled);
}

/* SCSI aborts what times out, and starts it again with a new time stamp, by which it is not what hung. */
static void retried_io_hangs_no_longer(void **state)
{
	struct bench b = beside_what_hangs(5);

	for (int i = 0; i < 5; i++)
		end_at(&b, b.now, b.now + 1 * MS);
	traffic(&b, 1, 4, 1 * MS);
	traffic(&b, 110, 4, 1 * MS);
	assert_in_range(b.s.health.hung.ios, 0, 1);
}

/* A plug reads the clock once for all that it flushes. */
static void early_stamps_hide_nothing_that_hangs(void **state)
{
	struct bench b = beside_what_hangs(10);

	for (int w = 0; w < 200; w++) {
		for (int i = 0; i < 1000; i++) {
			u64 t = b.now + i * MS / 64;

			start_at(&b, t);
			end_at(&b, t - 60000, t + 300000);
		}
		close_window(&b);
		assert_int_equal(b.s.health.hung.ios, 10);
	}
}

static void an_io_now_and_then_is_not_always_a_probe(void **state)
{
	struct bench b = bench(true);
	int probes = 0;

	traffic(&b, 20, 1, 35 * MS);
	b.s.counted.recent_q8 = 0;
	for (int i = 0; i < 100; i++) {
		b.now += 10 * SEC;		/* the window rests */
		close_window(&b);
		b.s.counted.recent_q8 = 0;
		if (wanted(&b, 1, 1000 << 8)) {
			probes++;
			b.s.latency.cls[C].seen_ns = b.s.counted.active_ns;
		}
	}
	assert_in_range(probes, 1, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unused_path_is_probed_in_time),
		cmocka_unit_test(path_is_not_judged_by_one_window),
		cmocka_unit_test(unused_paths_share_the_64th),
		cmocka_unit_test(path_gets_one_probe_a_period),
		cmocka_unit_test(idle_path_is_unused_at_any_rate),
		cmocka_unit_test(latency_of_a_probe_is_that_of_data),
		cmocka_unit_test(path_that_completes_nothing_is_not_probed),
		cmocka_unit_test(lost_io_is_probed_around),
		cmocka_unit_test(lost_first_io_is_probed_around),
		cmocka_unit_test(reinstated_path_is_probed_beside_what_hangs),
		cmocka_unit_test(pause_leaves_what_hangs),
		cmocka_unit_test(retried_io_hangs_no_longer),
		cmocka_unit_test(early_stamps_hide_nothing_that_hangs),
		cmocka_unit_test(an_io_now_and_then_is_not_always_a_probe),
	};

	return cmocka_run_group_tests_name("probe", tests, NULL, NULL);
}
