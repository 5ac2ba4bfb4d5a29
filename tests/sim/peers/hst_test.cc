// SPDX-License-Identifier: GPL-2.0
/* historical-service-time */
#include "hst_average.h"
#include "peers_test.h"

namespace {

void hst_keeps_powers(void **)
{
	/* 972^2 / 1024 = 922.6; 972 * 923 / 1024 = 876.1 */
	assert_int_equal(hst_power(972, 1), 972);
	assert_int_equal(hst_power(972, 2), 923);
	assert_int_equal(hst_power(972, 3), 876);
	assert_int_equal(hst_power(0, 1), 0);
}

/* In 1024ths of a nanosecond. */
void hst_averages(void **)
{
	hst_average average;
	uint64_t is = HST_ONE;

	hst_average_init(&average, 972);
	/* (1024 * 972 + 10^6 * 1024 * 52) / 1024 = 972 + 52 000 000: 50.8 us */
	is = hst_average_next(&average, is, 1000 * US);
	assert_int_equal(is, 52000972);
	/* 52 000 972 * 972 / 1024 + 52 000 000 = 49 360 297.6 + 52 000 000: 99.0 us */
	is = hst_average_next(&average, is, 1000 * US);
	assert_int_equal(is, 101360298);
	/*
	 * 20 ms fill one step of 16.8 ms: 923 of 1024 are kept.
	 * 101 360 298 * 923 / 1024 + 20 * 10^6 * 101 = 91 362 846.7 + 2 020 000 000
	 */
	is = hst_average_next(&average, is, 20000 * US);
	assert_int_equal(is, 2111362847);
	/* 63 steps, 1.06 s: nothing is kept */
	assert_int_equal(hst_average_next(&average, is, 63ULL << 24), (63ULL << 24) * HST_ONE);
}

/*
 * base_weight 0: the average is the last sample, here 100 us on path 0 and 250 us on
 * path 1. Both end at 350 us; stale after 2 averages: at 550 and at 850 us.
 */
const std::vector<Step> hst_100_250 = {
	{ TAKE, 0, 100 * US }, { TAKE, 1, 100 * US },
	{ END, 0, 350 * US, 0, 250 * US }, { END, 1, 350 * US, 0, 100 * US },
};

void hst_play(const std::vector<Step> &more, const Options &options)
{
	std::vector<Step> steps = hst_100_250;

	steps.insert(steps.end(), more.begin(), more.end());
	play("historical-service-time", 2, options, steps);
}

void hst_weighs_in_flight(void **)
{
	hst_play({
		/* Both idle: the one that is stale sooner. Then path 0 is in use, */
		{ TAKE, 0, 400 * US },
		/* and 2 * 100 against 1 * 250: idle alone does not win. */
		{ TAKE, 0, 400 * US },
		/* 3 * 100 against 250. */
		{ TAKE, 1, 400 * US },
		/* 3 * 100, 4 * 100 against 2 * 250 */
		{ TAKE, 0, 400 * US }, { TAKE, 0, 400 * US },
		/* 5 * 100 and 2 * 250: of equals the last in the list, 1 0; it stays the last. */
		{ ASK, 0, 400 * US }, { ASK, 0, 400 * US },
		{ TAKE, 0, 400 * US },
		/* 6 * 100 against 2 * 250, then against 3 * 250: path 0 */
		{ TAKE, 1, 400 * US }, { TAKE, 0, 400 * US },
	}, { { "base_weight", "0" } });
}

void hst_three_against_one(void **)
{
	hst_play({
		{ TAKE, 0, 400 * US }, { TAKE, 0, 400 * US }, { TAKE, 1, 400 * US },
		{ TAKE, 0, 400 * US },
		{ ASK, 0, 400 * US },		/* 3 and 1 in flight: 400 against 500 */
		{ ASK, 0, 550 * US },		/* at 550 us not stale yet */
		{ ASK, 1, 551 * US },		/* the winner is stale: fewest in flight */
	}, { { "base_weight", "0" } });
}

void hst_tries_stale_paths(void **)
{
	hst_play({
		{ TAKE, 0, 400 * US }, { ASK, 0, 400 * US },
		/* 0 ends: 100 us from 400 to 500. Both idle: stale at 700 against 850. */
		{ END, 0, 500 * US, 0, 400 * US }, { TAKE, 0, 600 * US },
		{ ASK, 0, 700 * US },		/* 200 against 250 */
		{ ASK, 1, 851 * US },		/* 1 is idle and stale */
		{ ASK, 1, 852 * US },
	}, { { "base_weight", "0" } });
}

/* Service is counted from the end of the I/O before: 350, then 50 us. */
void hst_serializes(void **)
{
	play("historical-service-time", 2, { { "base_weight", "0" } }, {
		{ TAKE, 0, 100 * US }, { TAKE, 1, 100 * US }, { TAKE, 0, 100 * US },
		{ END, 0, 450 * US, 0, 100 * US }, { END, 0, 500 * US, 0, 100 * US },
		{ END, 1, 500 * US, 0, 420 * US },	/* 80 us */
		/* Stale at 500 + 2 * 50 and at 500 + 2 * 80: 0 first, and */
		{ TAKE, 0, 510 * US },
		{ ASK, 1, 510 * US },			/* 2 * 50 against 80 */
		/* without stamp, since the last end: 20 us; stale at 560. */
		{ END, 0, 520 * US, 0, 0 },
		{ TAKE, 0, 530 * US }, { TAKE, 0, 530 * US }, { TAKE, 0, 530 * US },
		{ ASK, 0, 530 * US },	/* 4 * 20 and 80: the later in the list, 1 0 */
		{ TAKE, 0, 530 * US }, { ASK, 1, 530 * US },	/* 5 * 20 */
	});
}

/* 250 is not more than three times 100: in flight decides, idle or stale or not. */
void hst_threshold(void **)
{
	hst_play({
		{ TAKE, 0, 400 * US }, { TAKE, 1, 400 * US }, { TAKE, 0, 400 * US },
		{ TAKE, 1, 900 * US }, { END, 0, 900 * US, 0, 800 * US }, { TAKE, 0, 900 * US },
	}, { { "base_weight", "0" }, { "threshold_multiplier", "3" } });
}

/* One path left: stale after one average, not two. It comes back at the tail. */
void hst_fails(void **)
{
	play("historical-service-time", 2, { { "base_weight", "0" } }, {
		{ TAKE, 0, 100 * US }, { TAKE, 1, 100 * US },
		{ FAIL, 1, 150 * US }, { END, 1, 200 * US, 0, 100 * US },
		{ ASK, 0, 200 * US },
		{ END, 0, 250 * US, 0, 140 * US },	/* 110 us: stale at 360 */
		{ BACK, 1, 260 * US },			/* 100 us of before: stale at 300 */
		{ TAKE, 1, 270 * US },			/* idle both: 300 before 360 */
		{ ASK, 0, 280 * US },			/* 2 * 100 against 110 */
		{ FAIL, 0, 290 * US }, { FAIL, 1, 290 * US }, { ASK, -1, 290 * US },
	});
}

} /* namespace */

int test_hst()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hst_keeps_powers),
		cmocka_unit_test(hst_averages),
		cmocka_unit_test(hst_weighs_in_flight),
		cmocka_unit_test(hst_three_against_one),
		cmocka_unit_test(hst_tries_stale_paths),
		cmocka_unit_test(hst_serializes),
		cmocka_unit_test(hst_threshold),
		cmocka_unit_test(hst_fails),
	};

	return cmocka_run_group_tests(tests, nullptr, nullptr);
}
