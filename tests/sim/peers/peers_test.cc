// SPDX-License-Identifier: GPL-2.0
/* Runs the cases of the other files; those of the factory are here. */
#include <stdexcept>

#include "peers_test.h"

/* The world of this test: a clock and a CPU that the steps set. */
uint64_t world_now_ns;
unsigned int world_cpu;
unsigned int world_cpus = 4;
unsigned int world_nodes = 1;
bool world_in_task = true;
const void *world_task;

unsigned int world_node_of(unsigned int cpu)
{
	return cpu * world_nodes / world_cpus;
}

/* The peers have no timers. */
void world_after(uint64_t, void (*)(void *), void *)
{
	abort();
}

static void check_choice(Selector &selector, const Step &step, size_t index)
{
	int path = selector.select(step.bytes);

	if (path != step.path)
		fail_msg("step %zu: path %d, not %d", index, path, step.path);
	if (step.what == TAKE)
		selector.start(path, step.bytes);
}

void play(Selector &selector, const std::vector<Step> &steps)
{
	for (size_t i = 0; i < steps.size(); i++) {
		const Step &step = steps[i];

		world_now_ns = step.at;
		if (step.what == ASK || step.what == TAKE)
			check_choice(selector, step, i);
		else if (step.what == END)
			selector.end(step.path, step.bytes, step.stamp);
		else if (step.what == FAIL)
			(selector.fail)(step.path);
		else
			selector.reinstate(step.path);
	}
}

void play(const char *name, int paths, const Options &options, const std::vector<Step> &steps)
{
	world_cpu = 0;
	play(*make_selector(name, paths, options), steps);
}

namespace {

void expect_refusal(const char *name, const Options &options, const char *part)
{
	try {
		make_selector(name, 2, options);
	} catch (const std::invalid_argument &error) {
		if (!strstr(error.what(), part))
			fail_msg("\"%s\" does not say \"%s\"", error.what(), part);
		return;
	}
	fail_msg("%s: no error", name);
}

void refusals(void **)
{
	expect_refusal("fastest", {}, "latency-weighted, round-robin, queue-length");
	expect_refusal("queue-length", { { "depth", "1" } }, "known: none");
	expect_refusal("nvme-latency", { { "window", "1" } }, "known: window_ms, settle_ms, ewma_shift");
	expect_refusal("nvme-latency", { { "window_ms", "0" } }, "from 1 to");
	expect_refusal("simple", { { "ewma_shift", "-1" } }, "from 0 to 8");
}

int test_factory()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, nullptr, nullptr);
}

} /* namespace */

int main()
{
	return test_kernel() + test_nvme_latency() + test_simple() + test_factory();
}
