// SPDX-License-Identifier: GPL-2.0
/* min (n + u) * L */
#include "peers_test.h"

namespace {

/* 4k is 5 units. Path 0 takes 100 us, path 1 300: (n + 5) * 100 against (n + 5) * 300. */
void simple_weighs_work(void **)
{
	play("simple", 2, {}, {
		{ TAKE, 0, 100 * US, 4 * KB }, { TAKE, 1, 100 * US, 4 * KB },
		{ END, 0, 200 * US, 4 * KB, 100 * US }, { END, 1, 400 * US, 4 * KB, 100 * US },
		{ TAKE, 0, 500 * US, 4 * KB }, { TAKE, 0, 500 * US, 4 * KB },	/* 500, 1000 */
		{ END, 0, 600 * US, 4 * KB, 500 * US },
		{ TAKE, 0, 600 * US, 4 * KB },					/* 1000 */
		{ TAKE, 0, 600 * US, 12 * KB },					/* 1700 to 2100 */
		{ TAKE, 1, 600 * US, 4 * KB },					/* 2200 to 1500 */
	});
}

/*
 * 1 and 30 ms, one I/O in flight: the slow path is idle and has its turn after
 * 64 * 30 ms = 1.92 s.
 */
void simple_probes(void **)
{
	play("simple", 2, {}, {
		{ TAKE, 0, 1 * MS, 4 * KB }, { TAKE, 1, 1 * MS, 4 * KB },
		{ END, 0, 2 * MS, 4 * KB, 1 * MS }, { END, 1, 31 * MS, 4 * KB, 1 * MS },
		{ TAKE, 0, 50 * MS, 4 * KB },
		{ ASK, 0, 1950 * MS, 4 * KB }, { TAKE, 1, 1951 * MS, 4 * KB },
		{ ASK, 0, 9000 * MS, 4 * KB },	/* one is there: no other */
	});
}

/* No stamps: 10 ms and 10 ms, by the oldest start; and what was not issued is nothing. */
void simple_without_stamps(void **)
{
	play("simple", 2, {}, {
		{ TAKE, 0, 1 * MS, 4 * KB }, { TAKE, 1, 1 * MS, 4 * KB },
		{ END, 0, 11 * MS, 4 * KB }, { END, 1, 2 * MS, 4 * KB },
		{ TAKE, 1, 20 * MS, 4 * KB }, { END, 1, 20 * MS, 4 * KB },
		{ TAKE, 1, 21 * MS, 4 * KB }, { END, 1, 31 * MS, 4 * KB },
		/* 1 + (10 - 1) / 32 = 1.28 ms against 10 */
		{ TAKE, 1, 40 * MS, 4 * KB }, { TAKE, 1, 40 * MS, 4 * KB },
	});
}

void simple_fails(void **)
{
	play("simple", 2, {}, {
		{ TAKE, 0, 1 * MS, 4 * KB }, { TAKE, 1, 1 * MS, 4 * KB },
		{ END, 0, 2 * MS, 4 * KB, 1 * MS }, { FAIL, 1, 3 * MS },
		{ END, 1, 3 * MS, 4 * KB, 1 * MS }, { ASK, 0, 500 * MS, 4 * KB },
		{ BACK, 1, 600 * MS },
		{ TAKE, 1, 601 * MS, 4 * KB },	/* a probe, and no more */
		{ TAKE, 0, 601 * MS, 4 * KB }, { TAKE, 0, 601 * MS, 4 * KB },
		{ FAIL, 0 }, { FAIL, 1 }, { ASK, -1 },
	});
}

} /* namespace */

int test_simple()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(simple_weighs_work),
		cmocka_unit_test(simple_probes),
		cmocka_unit_test(simple_without_stamps),
		cmocka_unit_test(simple_fails),
	};

	return cmocka_run_group_tests(tests, nullptr, nullptr);
}
