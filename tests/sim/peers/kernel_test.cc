// SPDX-License-Identifier: GPL-2.0
/* The kernel's own selectors, that each is the one of its name: what it chooses is the kernel's affair. */
#include "peers_test.h"

namespace {

void round_robin(void **)
{
	play("round-robin", 3, {}, {
		{ ASK, 0 }, { ASK, 1 }, { ASK, 2 }, { ASK, 0 },
		{ FAIL, 1 }, { ASK, 2 }, { ASK, 0 }, { ASK, 2 },
		{ BACK, 1 }, { ASK, 1 }, { ASK, 0 }, { ASK, 2 },
		{ FAIL, 0 }, { FAIL, 1 }, { FAIL, 2 }, { ASK, -1 },
	});
}

/* By number, whatever the length. */
void queue_length(void **)
{
	play("queue-length", 2, {}, {
		{ TAKE, 0, 0, 512 * KB }, { TAKE, 1, 0, KB }, { END, 0, 0, 512 * KB }, { TAKE, 0, 0, 512 * KB },
		{ TAKE, 1, 0, KB }, { TAKE, 0, 0, KB },
	});
}

/* By length, whatever the number. */
void service_time(void **)
{
	play("service-time", 2, {}, {
		{ TAKE, 0, 0, 64 * KB }, { TAKE, 1, 0, 4 * KB }, { TAKE, 1, 0, 4 * KB }, { TAKE, 1, 0, 4 * KB },
		{ END, 0, 0, 64 * KB }, { TAKE, 0, 0, 4 * KB },
	});
}

/* By time: path 1 took 30 ms, path 0 3 ms. */
void historical_service_time(void **)
{
	play("historical-service-time", 2, {}, {
		{ TAKE, 0, 1000 * US }, { TAKE, 1, 1000 * US },
		{ END, 1, 31000 * US, 0, 1000 * US }, { END, 0, 31000 * US, 0, 28000 * US },
		{ TAKE, 0, 31000 * US }, { TAKE, 0, 31000 * US }, { TAKE, 0, 31000 * US },
	});
}

/* By CPU: those of path 0 are 0 and 2, and those of path 1 are 1 and 3. */
void io_affinity(void **)
{
	auto selector = make_selector("io-affinity", 2, {});

	for (world_cpu = 0; world_cpu < world_cpus; world_cpu++)
		assert_int_equal(selector->select(4 * KB), world_cpu % 2);
	(selector->fail)(1);
	world_cpu = 1;
	assert_int_equal(selector->select(4 * KB), 0);
	world_cpu = 0;
}

} /* namespace */

int test_kernel()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_robin),
		cmocka_unit_test(queue_length),
		cmocka_unit_test(service_time),
		cmocka_unit_test(historical_service_time),
		cmocka_unit_test(io_affinity),
	};

	return cmocka_run_group_tests(tests, nullptr, nullptr);
}
