// SPDX-License-Identifier: GPL-2.0
/* model/report.h: reports of slow and recovered paths. promise output/reports */
#include "unit.h"
#include "model/report.h"

#define US	1000ULL
#define LOOK	(200 * MS)
#define HOLD	(5 * SEC)
#define USUAL	(1 * MS)
#define NOBODY	0ULL		/* no other path to compare with */

/**
 * struct watched - a path that is looked at every 200 ms
 * @r: what is tested
 * @s: its estimates
 * @now: time
 * @hold: report_ms
 * @least: growth of the path of the group that grew least
 * @reports: how many were made
 */
struct watched {
	struct lw_report r;
	struct lw_path_state s;
	u64 now;
	u64 hold;
	u64 least;
	unsigned int reports;
};

/* A look that finds this latency, and so many more windows with completions. */
static enum lw_change look(struct watched *w, u64 lat_ns, unsigned int windows)
{
	enum lw_change change = LW_CHANGE_NONE;

	w->now += LOOK;
	w->s.capacity.base_ns = lat_ns;
	w->s.health.validated = lat_ns;
	w->s.latency.seen_windows += windows;
	if (lw_report_see(&w->r, &w->s, false))
		change = lw_report_change(&w->r, &w->s, w->least, w->hold, w->now);
	if (change) {
		w->reports++;
		lw_report_made(&w->r);
	}
	return change;
}

/* Looks until there is a report or the time is over; returns the report. */
static enum lw_change looks(struct watched *w, u64 lat_ns, unsigned int windows, u64 time)
{
	enum lw_change change = LW_CHANGE_NONE;

	for (u64 until = w->now + time; !change && w->now < until; )
		change = look(w, lat_ns, windows);
	return change;
}

/* A path that has been at its usual latency for a minute. */
static struct watched known(void)
{
	struct watched w = { .hold = HOLD, .least = NOBODY };

	assert_int_equal(looks(&w, USUAL, 10, 60 * SEC), LW_CHANGE_NONE);
	assert_int_equal(w.r.baseline_ns, USUAL);
	return w;
}

static void slow_and_recovered_once_each(void **state)
{
	struct watched w = known();
	u64 begin = w.now;

	assert_int_equal(looks(&w, 10 * USUAL, 10, 60 * SEC), LW_CHANGE_SLOW);
	/* The first look begins the time. */
	assert_int_equal(w.now, begin + LOOK + HOLD);
	assert_int_equal(looks(&w, 10 * USUAL, 10, 600 * SEC), LW_CHANGE_NONE);
	begin = w.now;
	assert_int_equal(looks(&w, USUAL, 10, 60 * SEC), LW_CHANGE_RECOVERED);
	assert_int_equal(w.now, begin + LOOK + HOLD);
	assert_int_equal(looks(&w, USUAL, 10, 600 * SEC), LW_CHANGE_NONE);
	assert_int_equal(w.reports, 2);
}

/* Selectors share a path, and each reads the clock before it has the path's lock. */
static void clock_of_another_selector_is_behind(void **state)
{
	struct watched w = known();

	assert_int_equal(looks(&w, 10 * USUAL, 10, 2 * LOOK), LW_CHANGE_NONE);
	w.now -= 3 * LOOK;
	assert_int_equal(look(&w, 10 * USUAL, 10), LW_CHANGE_NONE);
	assert_int_equal(lw_verdict_for(&w.r.told, w.now), 0);
}

static void tells_what_it_was(void **state)
{
	struct watched w = known();

	while (looks(&w, 10 * USUAL, 10, HOLD) == LW_CHANGE_NONE)
		assert_int_equal(lw_report_was(&w.r), USUAL);
	looks(&w, 12 * USUAL, 10, SEC);
	looks(&w, USUAL, 10, SEC);
	assert_int_equal(lw_report_was(&w.r), 12 * USUAL);
	assert_int_equal(w.r.is_ns, USUAL);
}

static void less_than_twice_is_usual(void **state)
{
	struct watched w = known();

	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(looks(&w, i % 2 ? 19 * USUAL / 10 : USUAL, 10, SEC),
				 LW_CHANGE_NONE);
}

/* Between one and a half times and twice it stays what it was reported to be. */
static void hysteresis(void **state)
{
	struct watched w = known();

	assert_int_equal(looks(&w, 3 * USUAL, 10, 60 * SEC), LW_CHANGE_SLOW);
	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(looks(&w, i % 2 ? 16 * USUAL / 10 : 3 * USUAL, 10, SEC),
				 LW_CHANGE_NONE);
	assert_int_equal(looks(&w, 16 * USUAL / 10, 10, 600 * SEC), LW_CHANGE_NONE);
	assert_int_equal(looks(&w, 14 * USUAL / 10, 10, 60 * SEC), LW_CHANGE_RECOVERED);
}

/* Whatever lasts for less than report_ms, however often. */
static void spikes_make_no_report(void **state)
{
	struct watched w = known();

	for (unsigned int i = 0; i < 500; i++) {
		assert_int_equal(looks(&w, 50 * USUAL, 10, HOLD - LOOK), LW_CHANGE_NONE);
		assert_int_equal(looks(&w, USUAL, 10, LOOK), LW_CHANGE_NONE);
	}
}

/* At each look a random latency; a twentieth of them 30 times the usual one. */
static void noise_makes_no_report(void **state)
{
	struct watched w = known();

	srand(3);
	for (unsigned int i = 0; i < 100000; i++) {
		u64 lat = rand() % 20 ? USUAL / 2 + rand() % USUAL : 30 * USUAL;

		assert_int_equal(look(&w, lat, 10), LW_CHANGE_NONE);
	}
}

static void a_new_path_has_no_usual_latency(void **state)
{
	struct watched w = { .hold = HOLD };

	assert_int_equal(looks(&w, 50 * USUAL, 10, (LW_REPORT_KNOWN - 1) * LOOK),
			 LW_CHANGE_NONE);
	assert_int_equal(lw_report_growth(&w.r), 0);
	/* It is what it was first found to be: no report. */
	assert_int_equal(looks(&w, 50 * USUAL, 10, 600 * SEC), LW_CHANGE_NONE);
}

static void idle_tells_nothing(void **state)
{
	struct watched w = known();

	assert_int_equal(looks(&w, 10 * USUAL, 0, 600 * SEC), LW_CHANGE_NONE);
	assert_int_equal(w.r.told.since_ns, 0);
	/* Nor does a path that is not yet measured since it was reinstated. */
	assert_int_equal(looks(&w, 0, 10, 600 * SEC), LW_CHANGE_NONE);
	assert_int_equal(w.r.told.since_ns, 0);
	assert_int_equal(w.r.is_ns, USUAL);
	assert_int_equal(w.r.baseline_ns, USUAL);
}

/* A probe now and then: as long as it takes for enough of them. */
static void few_ios_take_longer(void **state)
{
	struct watched w = known();
	enum lw_change change = LW_CHANGE_NONE;
	unsigned int probes;

	for (probes = 0; !change; probes++) {
		assert_int_equal(looks(&w, 10 * USUAL, 0, 5 * SEC), LW_CHANGE_NONE);
		change = look(&w, 10 * USUAL, 1);
	}
	assert_int_equal(change, LW_CHANGE_SLOW);
	assert_int_equal(probes, 6);

	/* All of them agree: those from before it was as usual again do not count. */
	w = known();
	for (unsigned int i = 1; i < 6; i++)
		assert_int_equal(look(&w, 10 * USUAL, 1), LW_CHANGE_NONE);
	assert_int_equal(look(&w, USUAL, 1), LW_CHANGE_NONE);
	for (unsigned int i = 1; i < 6; i++) {
		assert_int_equal(look(&w, 10 * USUAL, 1), LW_CHANGE_NONE);
		assert_int_equal(looks(&w, 10 * USUAL, 0, 2 * HOLD), LW_CHANGE_NONE);
	}
	assert_int_equal(look(&w, 10 * USUAL, 1), LW_CHANGE_SLOW);
}

/* The path's latency is an average, and of few I/Os an outlier stays in it for some. */
static void an_outlier_among_few_makes_no_report(void **state)
{
	struct watched w = known();
	u64 lat = lw_ewma(USUAL, 50 * USUAL, 1);

	w.hold = SEC;
	for (unsigned int i = 0; i < 300; i++) {
		assert_int_equal(look(&w, lat, 1), LW_CHANGE_NONE);
		assert_int_equal(looks(&w, lat, 0, HOLD), LW_CHANGE_NONE);
		lat = lw_ewma(lat, USUAL, 1);
	}
	assert_true(lat < 2 * USUAL);
}

/* Latencies that are never alike differ by more than twice: what varies is noise. */
static void what_varies_has_to_grow_by_more(void **state)
{
	struct watched w = known();

	w.s.latency.noise_q16 = 1 << 15;
	assert_int_equal(looks(&w, 29 * USUAL / 10, 10, 60 * SEC), LW_CHANGE_NONE);
	assert_int_equal(looks(&w, 20 * USUAL, 10, 60 * SEC), LW_CHANGE_SLOW);
	assert_int_equal(looks(&w, 22 * USUAL / 10, 10, 60 * SEC), LW_CHANGE_RECOVERED);
}

static void all_together_is_nobody(void **state)
{
	struct watched w = known();

	w.least = 9 << 8;
	assert_int_equal(looks(&w, 10 * USUAL, 10, 60 * SEC), LW_CHANGE_NONE);
	/* Another path is as it was: so it is this one. */
	w = known();
	w.least = 5 << 8;
	assert_int_equal(looks(&w, 10 * USUAL, 10, 60 * SEC), LW_CHANGE_SLOW);
	/* And it has recovered only when it is as before. */
	w.least = 10 << 8;
	assert_int_equal(looks(&w, 10 * USUAL, 10, 60 * SEC), LW_CHANGE_NONE);
}

static void growth_is_in_q8(void **state)
{
	struct watched w = known();

	look(&w, 3 * USUAL, 10);
	assert_int_equal(lw_report_growth(&w.r), 3 << 8);
}

static void microseconds_are_nobodys_trouble(void **state)
{
	struct watched w = { .hold = HOLD };

	looks(&w, 20 * US, 10, 60 * SEC);
	assert_int_equal(looks(&w, 119 * US, 10, 60 * SEC), LW_CHANGE_NONE);
	assert_int_equal(looks(&w, 400 * US, 10, 60 * SEC), LW_CHANGE_SLOW);
}

/* It stays usual for all of the time that the path is slow, and until it is known to be. */
static void the_usual_latency_is_kept(void **state)
{
	struct watched w = known();

	looks(&w, 10 * USUAL, 10, 60 * SEC);
	looks(&w, 10 * USUAL, 10, 3600 * SEC);
	assert_int_equal(w.r.baseline_ns, USUAL);
}

/* What changes slowly is no change, and what has become faster is usual some day. */
static void the_usual_latency_follows(void **state)
{
	struct watched w = known();
	u64 lat = USUAL;

	for (unsigned int i = 0; i < 60; i++, lat += lat / 20)
		assert_int_equal(looks(&w, lat, 10, 60 * SEC), LW_CHANGE_NONE);
	assert_true(w.r.baseline_ns > 15 * USUAL);
	looks(&w, USUAL, 10, 1200 * SEC);
	assert_true(w.r.baseline_ns < 11 * USUAL / 10);
	assert_int_equal(looks(&w, 10 * USUAL, 10, 60 * SEC), LW_CHANGE_SLOW);
}

static void off_reports_nothing(void **state)
{
	struct watched w = known();

	w.hold = 0;
	assert_int_equal(looks(&w, 10 * USUAL, 10, 3600 * SEC), LW_CHANGE_NONE);
	/* What it was meanwhile is usual. */
	w.hold = HOLD;
	assert_int_equal(looks(&w, 10 * USUAL, 10, 60 * SEC), LW_CHANGE_NONE);

	w = known();
	looks(&w, 10 * USUAL, 10, 60 * SEC);
	w.hold = 0;
	assert_int_equal(looks(&w, USUAL, 10, 3600 * SEC), LW_CHANGE_NONE);
	w.hold = HOLD;
	assert_int_equal(looks(&w, USUAL, 10, 60 * SEC), LW_CHANGE_RECOVERED);
}

static enum lw_change look_at_stall(struct watched *w, u64 no_completion_ns)
{
	w->s.health.validated = false;
	w->s.health.stalled = true;
	w->s.health.no_completion_ns = no_completion_ns;
	w->now += LOOK;
	assert_true(lw_report_see(&w->r, &w->s, false));
	return lw_report_change(&w->r, &w->s, w->least, w->hold, w->now);
}

static void a_stalled_path_is_slow(void **state)
{
	struct watched w = known();
	enum lw_change change = LW_CHANGE_NONE;

	for (u64 ns = 500 * MS; !change && ns < 60 * SEC; ns += LOOK)
		change = look_at_stall(&w, ns);
	assert_int_equal(change, LW_CHANGE_SLOW);
	assert_true(w.r.is_ns > HOLD);
	lw_report_made(&w.r);
	/* It goes on: not yet measured, then as before. */
	w.s.health.stalled = false;
	assert_int_equal(lw_report_latency(&w.s), 0);
	assert_int_equal(looks(&w, USUAL, 10, 60 * SEC), LW_CHANGE_RECOVERED);
}

/* dm reports that itself, and what was found before does not count once it is reinstated. */
static void a_failed_path_is_not_looked_at(void **state)
{
	struct watched w = known();

	assert_int_equal(looks(&w, 10 * USUAL, 10, HOLD), LW_CHANGE_NONE);
	w.s.latency.seen_windows++;
	assert_false(lw_report_see(&w.r, &w.s, true));
	assert_int_equal(looks(&w, 10 * USUAL, 10, HOLD), LW_CHANGE_NONE);
	assert_int_equal(look(&w, 10 * USUAL, 10), LW_CHANGE_SLOW);
}

/* What could not be told is found again at each look. */
static void until_it_is_told(void **state)
{
	struct watched w = known();
	u64 begin = w.now;

	w.s.capacity.base_ns = 10 * USUAL;
	for (unsigned int i = 0; i < 100; i++) {
		w.now += LOOK;
		w.s.latency.seen_windows++;
		assert_true(lw_report_see(&w.r, &w.s, false));
		assert_int_equal(lw_report_change(&w.r, &w.s, w.least, w.hold, w.now),
				 w.now < begin + LOOK + HOLD ? LW_CHANGE_NONE : LW_CHANGE_SLOW);
		assert_int_equal(w.r.told.since_ns, begin + LOOK);
	}
}

static void extremes_do_not_overflow(void **state)
{
	static const u64 lat[] = { 1, USUAL, LW_NS_MAX, U64_MAX / 2 };

	for (size_t i = 0; i < ARRAY_SIZE(lat); i++)
		for (size_t j = 0; j < ARRAY_SIZE(lat); j++) {
			struct watched w = { .hold = HOLD, .s.latency.seen_windows = U32_MAX - 50 };

			looks(&w, lat[i], 10, 60 * SEC);
			looks(&w, lat[j], 10, 60 * SEC);
			assert_true(w.reports <= 1);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_and_recovered_once_each),
		cmocka_unit_test(clock_of_another_selector_is_behind),
		cmocka_unit_test(tells_what_it_was),
		cmocka_unit_test(less_than_twice_is_usual),
		cmocka_unit_test(hysteresis),
		cmocka_unit_test(spikes_make_no_report),
		cmocka_unit_test(noise_makes_no_report),
		cmocka_unit_test(a_new_path_has_no_usual_latency),
		cmocka_unit_test(idle_tells_nothing),
		cmocka_unit_test(few_ios_take_longer),
		cmocka_unit_test(an_outlier_among_few_makes_no_report),
		cmocka_unit_test(what_varies_has_to_grow_by_more),
		cmocka_unit_test(all_together_is_nobody),
		cmocka_unit_test(growth_is_in_q8),
		cmocka_unit_test(microseconds_are_nobodys_trouble),
		cmocka_unit_test(the_usual_latency_is_kept),
		cmocka_unit_test(the_usual_latency_follows),
		cmocka_unit_test(off_reports_nothing),
		cmocka_unit_test(a_stalled_path_is_slow),
		cmocka_unit_test(a_failed_path_is_not_looked_at),
		cmocka_unit_test(until_it_is_told),
		cmocka_unit_test(extremes_do_not_overflow),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
