// SPDX-License-Identifier: GPL-2.0
/* io-affinity: by the CPU, then by its node, then anything that works. */
#include "peers_test.h"

namespace {

/* What each of the CPUs is sent to. */
void expect_paths(Selector &selector, const std::vector<int> &wanted)
{
	for (world_cpu = 0; world_cpu < wanted.size(); world_cpu++)
		assert_int_equal(selector.select(4096), wanted[world_cpu]);
	world_cpu = 0;
}

void machine(unsigned int cpus, unsigned int nodes)
{
	world_cpus = cpus;
	world_nodes = nodes;
}

void each_cpu_has_its_path(void **)
{
	machine(6, 2);
	auto selector = make_selector("io-affinity", 4, {});

	expect_paths(*selector, { 0, 1, 2, 3, 0, 1 });
	machine(2, 1);
}

/* Node 0: CPUs 0 to 2, so paths 0 1 2; node 1: CPUs 3 to 5, so paths 3 0 1. */
void a_failed_path_is_replaced_on_the_node(void **)
{
	machine(6, 2);
	auto selector = make_selector("io-affinity", 4, {});

	(selector->fail)(3);
	expect_paths(*selector, { 0, 1, 2, 0, 0, 1 });
	(selector->fail)(0);
	expect_paths(*selector, { 1, 1, 2, 1, 1, 1 });
	(selector->fail)(1);			/* none is left on node 1 */
	expect_paths(*selector, { 2, 2, 2, 2, 2, 2 });
	(selector->fail)(2);
	expect_paths(*selector, { -1, -1, -1, -1, -1, -1 });
	selector->reinstate(3);
	expect_paths(*selector, { 3, 3, 3, 3, 3, 3 });
	machine(2, 1);
}

} /* namespace */

int test_io_affinity()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cpu_has_its_path),
		cmocka_unit_test(a_failed_path_is_replaced_on_the_node),
	};

	return cmocka_run_group_tests(tests, nullptr, nullptr);
}
