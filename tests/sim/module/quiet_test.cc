// SPDX-License-Identifier: GPL-2.0
/* What is shown and reported of a slow path, however few I/Os there are. */
/* promise output/slow-state */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "check.h"
#include "loop.h"

namespace {

constexpr uint64_t SEC = 1000 * MS, LOOK = 200 * MS;
constexpr uint64_t REPORT = 5 * SEC;	/* report_ms */
constexpr double RATES[] = { 1, 5, 20, 100, 300, 1000, 5000 };
enum { ACTIVE = 1, PROBING = 2 };

/* I/Os that come at random, so many a second, whatever they wait for. */
class Arrivals {
public:
	Arrivals(std::vector<uint64_t> latencies, double rate, double sigma = 0, unsigned int late = 0)
		: latencies(latencies), done(latencies.size()), selector(latencies.size(), {}),
		  rate(rate), sigma(sigma), late(late)
	{
		next();
	}

	~Arrivals()
	{
		stop = true;
		while (inflight)
			run(1 * MS);
	}

	int state(int path)
	{
		unsigned int weight, latency, flight, state;

		CHECK(sscanf(selector.status(path).c_str(), "%u %u %u %u", &weight, &latency,
			     &flight, &state) == 4);
		return state;
	}

	std::vector<uint64_t> latencies;
	std::vector<std::vector<uint64_t>> done;	/* when each I/O of a path was */
	ModuleSelector selector;

private:
	void next()
	{
		double gap = std::exponential_distribution<>(rate)(random);

		at(world_now_ns + gap * SEC, random() % world_cpus, [=]() {
			if (stop)
				return;
			submit();
			next();
		});
	}

	/* Lognormal; one in so many takes 30 times as long. */
	uint64_t latency(int path)
	{
		double factor = std::lognormal_distribution<>(0, sigma)(random);

		return latencies[path] * factor * (late && random() % late == 0 ? 30 : 1);
	}

	void submit()
	{
		uint64_t start_ns = world_now_ns;
		int path;

		world_in_task = true;
		world_task = this;
		path = selector.select(BYTES);
		selector.start(path, BYTES);
		inflight++;
		at(start_ns + latency(path), world_cpu, [=]() {
			selector.end(path, BYTES, start_ns);
			inflight--;
			done[path].push_back(world_now_ns);
		});
	}

	std::mt19937_64 random{ 1 };
	double rate, sigma;
	unsigned int late, inflight = 0;
	bool stop = false;
};

void begin()
{
	boot(4, 1);
	kernel_notices = {};
	kernel_refuses_notices = false;
}

/* When the sixth probe of a path was done; what ends within a look is one. */
uint64_t sixth(const std::vector<uint64_t> &done, size_t before)
{
	unsigned int probes = 0;
	uint64_t last = 0;

	for (size_t i = before; i < done.size(); i++) {
		if (done[i] < last + LOOK)
			continue;
		last = done[i];
		if (++probes == 6)
			return last;
	}
	return UINT64_MAX / 2;
}

/*
 * The slow path is shown and reported once six I/Os of it have shown that, or report_ms is over,
 * and from then on it is shown as slow in each look.
 */
void check_slow(Arrivals &load, double rate)
{
	uint64_t from = world_now_ns, shown = 0, told = 0, enough;
	size_t before = load.done[1].size();

	load.latencies[1] = 31 * MS;
	while (world_now_ns < from + std::max(100., 1000 / rate) * SEC) {
		run(10 * MS);
		if (!shown && load.state(1) == PROBING)
			shown = world_now_ns;
		if (!told && kernel_notices.slow)
			told = world_now_ns;
		CHECK(load.state(0) == ACTIVE);
		CHECK(!shown || load.state(1) == PROBING);
		enough = sixth(load.done[1], before);
		CHECK(shown || world_now_ns < std::max(enough, from + 2 * SEC) + LOOK);
		CHECK(told || world_now_ns < std::max(enough, from + REPORT) + 3 * SEC);
	}
	CHECK(load.done[1].size() > before + 6 && shown && told >= from + REPORT);
	CHECK(kernel_notices.slow == 1 && !kernel_notices.recovered);
	printf("%5.0f I/Os a second: shown after %.1f s, reported after %.1f s, of %zu I/Os\n",
	       rate, (shown - from) / 1e9, (told - from) / 1e9,
	       (size_t)(std::upper_bound(load.done[1].begin(), load.done[1].end(), told) -
			load.done[1].begin()) - before);
}

void slow_path_is_shown_and_reported(double rate)
{
	begin();

	Arrivals load({ 1 * MS, 1 * MS }, rate);

	run(std::max(60., 100 / rate) * SEC);
	check_slow(load, rate);
	load.latencies[1] = 1 * MS;
	run(std::max(20., 200 / rate) * SEC);
	CHECK(load.state(1) == ACTIVE);
	CHECK(kernel_notices.slow == 1 && kernel_notices.recovered == 1);
}

/* As in a stretched cluster: it is slow beside the others, but as it always was. */
void far_path_is_shown_but_not_reported(double rate)
{
	begin();

	Arrivals load({ 1 * MS, 4 * MS }, rate);

	run(1000 * SEC);
	CHECK(load.state(0) == ACTIVE && load.state(1) == PROBING);
	CHECK(!kernel_notices.slow);
}

/* Nor is one that takes half as long again, though it gets nothing but probes. */
void slightly_slower_path_is_not_slow(double rate)
{
	begin();

	Arrivals load({ 1 * MS, 1500000 }, rate);

	for (unsigned int i = 0; i < 1000; i++) {
		run(1 * SEC);
		CHECK(load.state(1) != PROBING);
	}
}

/* Latencies vary, and one I/O in 500 takes 30 times as long: for an hour. */
void equal_paths_are_never_slow(double rate, size_t paths)
{
	begin();

	Arrivals load(std::vector<uint64_t>(paths, 1 * MS), rate, 0.5, 500);

	for (unsigned int i = 0; i < 40000 / std::max(rate / 100, 1.); i++) {
		run(100 * MS);
		for (size_t path = 0; path < paths; path++)
			CHECK(load.state(path) != PROBING);
	}
	CHECK(!kernel_notices.slow);
}

} /* namespace */

int main()
{
	for (double rate : RATES)
		slow_path_is_shown_and_reported(rate);
	for (double rate : { 20, 1000 }) {
		far_path_is_shown_but_not_reported(rate);
		slightly_slower_path_is_not_slow(rate);
	}
	for (double rate : RATES)
		for (size_t paths : { 2, 4 })
			equal_paths_are_never_slow(rate, paths);
	dm_unload_module();
	printf("quiet: passed\n");
	return 0;
}
