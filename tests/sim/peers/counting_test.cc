// SPDX-License-Identifier: GPL-2.0
/* The selectors that count: turns, I/Os, bytes. */
#include "peers_test.h"

namespace {

void round_robin(void **)
{
	play("round-robin", 3, {}, {
		{ ASK, 0 }, { ASK, 1 }, { ASK, 2 }, { ASK, 0 },		/* list now 1 2 0 */
		{ FAIL, 1 }, { ASK, 2 }, { ASK, 0 }, { ASK, 2 },	/* 0 2 */
		{ BACK, 1 }, { ASK, 1 }, { ASK, 0 }, { ASK, 2 },	/* to the head: 1 0 2 */
		{ FAIL, 0 }, { FAIL, 1 }, { FAIL, 2 }, { ASK, -1 },
	});
}

/* All CPUs take from one list. */
void round_robin_on_two_cpus(void **)
{
	auto selector = make_selector("round-robin", 2, {});

	world_cpu = 0;
	play(*selector, { { ASK, 0 } });
	world_cpu = 1;
	play(*selector, { { ASK, 1 } });
}

void queue_length(void **)
{
	play("queue-length", 3, {}, {
		/* Equal: as listed; each goes to the tail. */
		{ TAKE, 0 }, { TAKE, 1 }, { TAKE, 2 }, { TAKE, 0 },	/* 2 1 1, list 1 2 0 */
		{ END, 0 }, { END, 0 },					/* 0 1 1 */
		{ TAKE, 0 },						/* 1 1 1, list 1 2 0 */
		{ TAKE, 1 },						/* 1 2 1, list 2 0 1 */
		{ END, 1 },						/* 1 1 1 */
		{ TAKE, 2 }, { TAKE, 0 }, { TAKE, 1 },			/* 2 2 2, list 2 0 1 */
		/* Chosen is moved, started or not. */
		{ ASK, 2 }, { ASK, 0 }, { ASK, 1 }, { ASK, 2 },
	});
}

/* One slow I/O on path 0 and idle otherwise: path 1 is always the idle one. */
void queue_length_at_depth_two(void **)
{
	play("queue-length", 2, {}, {
		{ TAKE, 0 }, { TAKE, 1 }, { END, 1 }, { TAKE, 1 }, { END, 1 }, { TAKE, 1 },
		{ END, 0 }, { TAKE, 0 },
	});
}

void queue_length_fails(void **)
{
	play("queue-length", 3, {}, {
		{ FAIL, 0 }, { TAKE, 1 }, { TAKE, 2 }, { END, 1 }, { END, 2 },	/* list 1 2 */
		{ BACK, 0 },							/* 1 2 0 */
		{ ASK, 1 }, { ASK, 2 }, { ASK, 0 },
	});
}

/* Equal throughput: bytes in flight, whatever their number. */
void service_time(void **)
{
	play("service-time", 2, {}, {
		{ TAKE, 0, 0, 16 * KB }, { TAKE, 1, 0, 4 * KB }, { TAKE, 1, 0, 4 * KB },
		{ TAKE, 1, 0, 4 * KB }, { TAKE, 1, 0, 4 * KB },
		{ ASK, 0, 0, 4 * KB },		/* 16k each: list 0 1 */
		{ ASK, 1, 0, 4 * KB },		/* chosen is moved */
		{ END, 1, 0, 4 * KB },
		{ ASK, 1, 0, 1024 * KB },	/* 16k against 12k: this I/O adds to both */
	});
}

/* Path 1 is four times as fast: (n0 + b) * 4 against (n1 + b) * 1, in KiB. */
void service_time_of_unequal_paths(void **)
{
	play("service-time", 2, { { "relative_throughput", "1,4" } }, {
		{ TAKE, 1, 0, 64 * KB },	/* both empty: the faster one */
		{ ASK, 0, 0, 4 * KB },		/* 4 * 4 = 16 against 64 + 4 */
		{ ASK, 1, 0, 64 * KB },		/* 64 * 4 = 256 against 64 + 64 */
		{ ASK, 0, 0, 20 * KB },		/* 80 against 84 */
		{ ASK, 1, 0, 24 * KB },		/* 96 against 88 */
		{ END, 1, 0, 64 * KB },
		{ TAKE, 1, 0, 12 * KB },
		{ ASK, 1, 0, 4 * KB },		/* 16 against 12 + 4: the faster one */
	});
}

void service_time_of_a_spare_path(void **)
{
	play("service-time", 2, { { "relative_throughput", "0,1" } }, {
		{ TAKE, 1, 0, 64 * KB }, { TAKE, 1, 0, 64 * KB },
		{ FAIL, 1 }, { TAKE, 0, 0, 4 * KB }, { BACK, 1 }, { TAKE, 1, 0, 4 * KB },
	});
}

void nvme_queue_depth(void **)
{
	play("nvme-queue-depth", 3, {}, {
		/* Ties: always the first. */
		{ ASK, 0 }, { TAKE, 0 }, { TAKE, 1 }, { TAKE, 2 }, { TAKE, 0 }, { TAKE, 1 },
		{ END, 0 }, { END, 0 }, { TAKE, 0 }, { END, 0 }, { TAKE, 0 },	/* 1 2 1 */
		{ TAKE, 0 }, { TAKE, 2 },					/* 2 2 2 */
		{ FAIL, 0 }, { TAKE, 1 }, { TAKE, 2 }, { BACK, 0 }, { TAKE, 0 },
		{ FAIL, 0 }, { FAIL, 1 }, { FAIL, 2 }, { ASK, -1 },
	});
}

} /* namespace */

int test_counting()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_robin),
		cmocka_unit_test(round_robin_on_two_cpus),
		cmocka_unit_test(queue_length),
		cmocka_unit_test(queue_length_at_depth_two),
		cmocka_unit_test(queue_length_fails),
		cmocka_unit_test(service_time),
		cmocka_unit_test(service_time_of_unequal_paths),
		cmocka_unit_test(service_time_of_a_spare_path),
		cmocka_unit_test(nvme_queue_depth),
	};

	return cmocka_run_group_tests(tests, nullptr, nullptr);
}
