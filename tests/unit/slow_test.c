// SPDX-License-Identifier: GPL-2.0
/* model/slow.h: when the state of a path says that it is slow, beside the others. */
/*
 * promise output/slow-state: A slow path is shown and reported as slow from the moment it became
 *   slow until it has recovered, however few I/Os the map has; equal paths with varying latencies
 *   never are | by: 20 to 1000 I/Os a second | full: `guests-*`: 1 to 5000
 */
#include "unit.h"
#include "model/slow.h"

#define US	1000ULL
#define WINDOW	(20 * MS)
#define BEST	(1 * MS)

/**
 * struct shown - a path that is compared in each window
 * @v: what is tested
 * @s: its estimates
 * @now: time
 * @best: base of the best path
 * @turns: how often the verdict turned
 */
struct shown {
	struct lw_verdict v;
	struct lw_path_state s;
	u64 now;
	u64 best;
	unsigned int turns;
};

/* A window, with completions or without. */
static bool window(struct shown *p, u64 base_ns, bool done)
{
	p->now += WINDOW;
	p->s.latency.seen_windows += done;
	if (!lw_slow_beside(&p->v, &p->s, base_ns, p->best, p->now))
		return p->v.slow;
	p->turns++;
	lw_verdict_turn(&p->v);
	return p->v.slow;
}

/* An I/O in each nth window, for a time or until the verdict turns; returns the verdict. */
static bool every(struct shown *p, unsigned int nth, u64 base_ns, u64 time)
{
	unsigned int was = p->turns, i = 0;

	for (u64 until = p->now + time; p->now < until && p->turns == was; )
		window(p, base_ns, ++i % nth == 0);
	return p->v.slow;
}

static struct shown usual(void)
{
	struct shown p = { .now = SEC, .best = BEST };

	assert_false(every(&p, 1, BEST, 60 * SEC));
	return p;
}

static void slow_for_a_second_with_much_io(void **state)
{
	struct shown p = usual();
	u64 begin = p.now;

	assert_true(every(&p, 1, 31 * BEST, 60 * SEC));
	assert_int_equal(p.now, begin + WINDOW + SEC);
	assert_true(every(&p, 1, 31 * BEST, 600 * SEC));
	begin = p.now;
	assert_false(every(&p, 1, BEST, 60 * SEC));
	assert_int_equal(p.now, begin + WINDOW + SEC);
	assert_int_equal(p.turns, 2);
}

/* Six that agree, however rare they are; and all the time between them it is as it was. */
static void six_ios_where_there_are_few(void **state)
{
	for (unsigned int nth = 10; nth <= 5000; nth *= 5) {
		struct shown p = usual();
		u64 begin = p.now;

		assert_true(every(&p, nth, 31 * BEST, 1000 * SEC));
		assert_int_equal(p.now - begin, max(6 * nth * WINDOW, nth * WINDOW + SEC));
		assert_true(every(&p, nth, 31 * BEST, 1000 * SEC));
		assert_int_equal(p.turns, 1);
	}
}

/* When it began is known to a window. */
static void since_the_first_of_them(void **state)
{
	struct shown p = usual();
	u64 begin = p.now;

	for (unsigned int i = 1; i < 6; i++) {
		window(&p, 31 * BEST, true);
		every(&p, 2, 31 * BEST, WINDOW);
		assert_int_equal(p.v.since_ns, begin + WINDOW);
		assert_int_equal(lw_verdict_for(&p.v, p.now), p.now - begin - WINDOW);
	}
}

/* Of few I/Os a late one is half of the estimate, and half of what is left after each next one. */
static void one_late_io_is_not_slow(void **state)
{
	struct shown p = usual();

	for (unsigned int i = 0; i < 100; i++) {
		u64 lat = lw_ewma(BEST, 50 * BEST, 1);

		for (unsigned int k = 0; k < 8; k++, lat = lw_ewma(lat, BEST, 1)) {
			assert_false(window(&p, lat, true));
			assert_false(every(&p, 1000, lat, 10 * SEC));
		}
	}
	assert_int_equal(p.turns, 0);
}

static void idle_changes_nothing(void **state)
{
	struct shown p = usual();

	assert_false(every(&p, U32_MAX, 31 * BEST, 600 * SEC));
	assert_true(every(&p, 1, 31 * BEST, 60 * SEC));
	assert_true(every(&p, U32_MAX, BEST, 600 * SEC));
	assert_int_equal(p.turns, 1);
}

/* Between one and a half times and twice it stays what it was. */
static void hysteresis(void **state)
{
	struct shown p = usual();

	assert_false(every(&p, 1, 19 * BEST / 10, 600 * SEC));
	assert_true(every(&p, 1, 2 * BEST, 60 * SEC));
	assert_true(every(&p, 1, 15 * BEST / 10, 600 * SEC));
	assert_false(every(&p, 1, 149 * BEST / 100, 60 * SEC));
	for (unsigned int i = 0; i < 1000; i++)
		window(&p, i % 3 ? 31 * BEST : BEST, true);
	assert_int_equal(p.turns, 2);
}

static void microseconds_are_nobodys_trouble(void **state)
{
	struct shown p = { .now = SEC, .best = 30 * US };

	assert_false(every(&p, 1, 129 * US, 600 * SEC));
	assert_true(every(&p, 1, 130 * US, 600 * SEC));
}

/* The last one in use is the best. */
static void nobody_is_slow_beside_itself(void **state)
{
	struct shown p = usual();

	assert_true(every(&p, 1, 31 * BEST, 60 * SEC));
	p.best = 31 * BEST;
	assert_false(every(&p, 1, 31 * BEST, 60 * SEC));
}

/* Latencies that vary make estimates that vary: equal paths are never slow, nor slow for ever. */
static void noise_is_not_slow(void **state)
{
	struct shown p = usual();

	p.s.latency.noise_q16 = 1 << 15;
	assert_false(every(&p, 1, 29 * BEST / 10, 600 * SEC));
	assert_true(every(&p, 1, 31 * BEST, 60 * SEC));
	assert_false(every(&p, 1, 22 * BEST / 10, 60 * SEC));
}

/* A pause is none of its latency, but what hangs for a second is slow, were it the only path. */
static void stall_counts_once_it_lasts(void **state)
{
	struct shown p = usual();

	p.s.health.stalled = true;
	for (unsigned int i = 0; i < 100; i++) {
		p.s.health.no_completion_ns = i % 40 * WINDOW;
		p.s.health.stalled = p.s.health.no_completion_ns;
		assert_false(window(&p, BEST, !p.s.health.stalled));
	}
	for (p.best = U64_MAX; p.s.health.no_completion_ns < 2 * SEC; p.s.health.no_completion_ns += WINDOW)
		window(&p, BEST, false);
	assert_true(p.v.slow);
	p.s.health.stalled = false;
	p.s.latency.seen_windows = 0;
	p.best = BEST;
	assert_false(every(&p, 1, BEST, 60 * SEC));
	assert_int_equal(p.turns, 2);
}

/* What was found before it failed does not count afterwards. */
static void failure_begins_anew(void **state)
{
	struct shown p = usual();

	assert_false(every(&p, 1, 31 * BEST, SEC - WINDOW));
	assert_false(window(&p, 0, false));
	assert_false(every(&p, 1, 31 * BEST, SEC));
	assert_true(window(&p, 31 * BEST, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_for_a_second_with_much_io),
		cmocka_unit_test(six_ios_where_there_are_few),
		cmocka_unit_test(since_the_first_of_them),
		cmocka_unit_test(one_late_io_is_not_slow),
		cmocka_unit_test(idle_changes_nothing),
		cmocka_unit_test(hysteresis),
		cmocka_unit_test(microseconds_are_nobodys_trouble),
		cmocka_unit_test(nobody_is_slow_beside_itself),
		cmocka_unit_test(noise_is_not_slow),
		cmocka_unit_test(stall_counts_once_it_lasts),
		cmocka_unit_test(failure_begins_anew),
	};

	return cmocka_run_group_tests_name("slow", tests, NULL, NULL);
}
