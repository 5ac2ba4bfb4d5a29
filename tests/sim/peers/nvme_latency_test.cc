// SPDX-License-Identifier: GPL-2.0
/* NVMe's latency policy */
#include "peers_test.h"

namespace {

/* So many I/Os on a path in a run. */
void expect_run(Selector &selector, int path, unsigned int length)
{
	for (unsigned int i = 0; i < length; i++)
		assert_int_equal(selector.select(4096), path);
}

std::unique_ptr<Selector> nvme_latency_up_for_a_minute(int paths, Options options = {})
{
	options.insert({ "settle_ms", "0" });
	world_cpu = 0;
	world_now_ns = 60 * SEC;
	return make_selector("nvme-latency", paths, options);
}

void end_after(Selector &selector, int path, uint64_t latency)
{
	world_now_ns += latency;
	selector.end(path, 4096, world_now_ns - latency);
}

/*
 * 1 ms: score 1000. Path 1 has none, so 64 * 1000 / 1000 and the least, 1. When it has
 * 31 ms, score 32 (of 32.26): 64 * 1000 / 1032 = 62 and 64 * 32 / 1032 = 1.98, 1.
 */
void nvme_latency_weighs(void **)
{
	auto selector = nvme_latency_up_for_a_minute(2);

	expect_run(*selector, 0, 200);		/* unknown: all to the first */
	end_after(*selector, 0, 1 * MS);	/* weights 64 and 1, credits still 0 */
	/* Path 0 is filled and left, so is path 1; then 64 on path 0, */
	expect_run(*selector, 0, 64);
	/* which is filled and left; 1 is on path 1, and so on. */
	expect_run(*selector, 1, 1);
	expect_run(*selector, 0, 64);
	end_after(*selector, 1, 31 * MS);	/* weights 62 and 1 */
	expect_run(*selector, 1, 1);
	expect_run(*selector, 0, 62);
	expect_run(*selector, 1, 1);
	expect_run(*selector, 0, 62);
}

/* Three equal paths have 64 / 3 = 21 each. */
void nvme_latency_spends_in_order(void **)
{
	auto selector = nvme_latency_up_for_a_minute(3);

	for (int path : { 0, 1, 2 })
		end_after(*selector, path, 1 * MS);
	for (int path : { 0, 1, 2, 0, 1 })
		expect_run(*selector, path, 21);
}

/*
 * The first sample counts at once. Then means of 15 s: 3 and 5 ms are 4 ms, and
 * (7 * 1 + 4) / 8 = 1.375 ms: score 727. Path 1 stays at 1000: 64 * 727 / 1727 = 26
 * and 64 * 1000 / 1727 = 37.
 */
void nvme_latency_averages(void **)
{
	auto selector = nvme_latency_up_for_a_minute(2);

	end_after(*selector, 0, 1 * MS);
	end_after(*selector, 1, 1 * MS);	/* 32 each */
	expect_run(*selector, 0, 32);
	expect_run(*selector, 1, 32);
	end_after(*selector, 0, 3 * MS);
	world_now_ns += 14 * SEC;
	end_after(*selector, 0, 1001 * MS);	/* more than 1 s: ignored */
	expect_run(*selector, 0, 32);
	expect_run(*selector, 1, 32);
	end_after(*selector, 0, 5 * MS);	/* 15.009 s after the first */
	expect_run(*selector, 0, 32);		/* filled when it was left, before */
	expect_run(*selector, 1, 37);
	expect_run(*selector, 0, 26);
	expect_run(*selector, 1, 37);
}

void nvme_latency_window(void **)
{
	auto selector = nvme_latency_up_for_a_minute(2, { { "window_ms", "10" },
							  { "ewma_shift", "0" } });

	end_after(*selector, 0, 1 * MS);
	end_after(*selector, 1, 1 * MS);
	end_after(*selector, 0, 8 * MS);	/* 9 ms after the first: not yet */
	expect_run(*selector, 0, 32);
	expect_run(*selector, 1, 32);
	end_after(*selector, 0, 2 * MS);	/* mean 5 ms: 200 of 1200, 64 / 6 = 10, 53 */
	expect_run(*selector, 0, 32);		/* filled when it was left, before */
	expect_run(*selector, 1, 53);
	expect_run(*selector, 0, 10);
	expect_run(*selector, 1, 53);
}

/* At first, windows of 400 / 20 = 20 ms; then the usual ones. */
void nvme_latency_settles(void **)
{
	auto selector = nvme_latency_up_for_a_minute(2, { { "settle_ms", "400" },
							  { "ewma_shift", "0" } });

	end_after(*selector, 0, 1 * MS);
	end_after(*selector, 1, 1 * MS);
	expect_run(*selector, 0, 32);
	end_after(*selector, 0, 5 * MS);
	world_now_ns += 10 * MS;
	end_after(*selector, 0, 5 * MS);	/* 21 ms after the first: mean 5 ms, 10 to 53 */
	expect_run(*selector, 1, 32);
	expect_run(*selector, 0, 10);
	expect_run(*selector, 1, 53);
	world_now_ns += 400 * MS;
	end_after(*selector, 0, 1 * MS);	/* closes the last short one: 32 each */
	expect_run(*selector, 0, 10);		/* filled when it was left, before */
	expect_run(*selector, 1, 32);
	expect_run(*selector, 0, 32);
	world_now_ns += 100 * MS;
	end_after(*selector, 0, 5 * MS);	/* a window of 15 s goes on */
	expect_run(*selector, 1, 32);
	expect_run(*selector, 0, 32);
	expect_run(*selector, 1, 32);
}

/* Each CPU knows but its own. */
void nvme_latency_is_per_cpu(void **)
{
	auto selector = nvme_latency_up_for_a_minute(2);

	end_after(*selector, 0, 1 * MS);
	end_after(*selector, 1, 1 * MS);
	world_cpu = 1;
	expect_run(*selector, 0, 100);
	world_cpu = 0;
	expect_run(*selector, 0, 32);
	expect_run(*selector, 1, 32);
	assert_true(selector->completes_where_submitted());
}

/* Forgotten when it fails; then unknown: it gets all until an I/O ends. */
void nvme_latency_fails(void **)
{
	auto selector = nvme_latency_up_for_a_minute(2);

	end_after(*selector, 0, 1 * MS);
	end_after(*selector, 1, 1 * MS);
	(selector->fail)(0);
	end_after(*selector, 0, 1 * MS);	/* no sample */
	expect_run(*selector, 1, 100);
	selector->reinstate(0);
	/* Path 1 was filled three times, and has 4 * 32 - 100 = 28 left. */
	expect_run(*selector, 1, 28);
	expect_run(*selector, 0, 100);
	(selector->fail)(0);
	(selector->fail)(1);
	assert_int_equal(selector->select(4096), -1);
}

} /* namespace */

int test_nvme_latency()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nvme_latency_weighs),
		cmocka_unit_test(nvme_latency_spends_in_order),
		cmocka_unit_test(nvme_latency_averages),
		cmocka_unit_test(nvme_latency_window),
		cmocka_unit_test(nvme_latency_settles),
		cmocka_unit_test(nvme_latency_is_per_cpu),
		cmocka_unit_test(nvme_latency_fails),
	};

	return cmocka_run_group_tests(tests, nullptr, nullptr);
}
