/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A world for programs that test the module's own code, the least that will do: paths of
 * fixed latency, a closed loop of 4k I/Os. Included once by each program.
 */
#ifndef SIM_LOOP_H
#define SIM_LOOP_H

#include <array>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "dm.h"
#include "event.h"
#include "module.h"
#include "world.h"

uint64_t world_now_ns;
unsigned int world_cpu, world_cpus, world_nodes;
bool world_in_task;
const void *world_task;

namespace {

constexpr uint64_t MS = 1000000;
constexpr size_t BYTES = 4096;

std::priority_queue<Event> events;
uint64_t turns;
std::vector<uint64_t> timers;	/* times that world_after() was asked for */

void at(uint64_t at_ns, unsigned int cpu, std::function<void()> happen)
{
	events.push({ at_ns, turns++, cpu, std::move(happen) });
}

/* Each event begins as an interrupt. */
void run(uint64_t ns)
{
	uint64_t end_ns = world_now_ns + ns;

	while (!events.empty() && events.top().at_ns <= end_ns) {
		Event event = events.top();

		events.pop();
		world_now_ns = event.at_ns;
		world_cpu = event.cpu;
		world_in_task = false;
		event.happen();
	}
	world_now_ns = end_ns;
}

void boot(unsigned int cpus, unsigned int nodes)
{
	world_cpus = cpus;
	world_nodes = nodes;
	world_now_ns = 1000 * MS;
	world_cpu = 0;
	timers.clear();
	events = {};
}

/* A latency for each path and node. */
using Latencies = std::vector<std::array<uint64_t, 2>>;

class Loop {
public:
	Loop(const Latencies &latencies, unsigned int depth, const Options &options = {})
		: latencies(latencies), selector((int)latencies.size(), options),
		  count(latencies.size())
	{
		for (unsigned int job = 0; job < depth; job++)
			at(world_now_ns + job, job % world_cpus, [=]() { submit(job); });
	}

	/* Lets I/O that is in flight end. */
	~Loop()
	{
		stop = true;
		while (inflight)
			run(1 * MS);
	}

	/* I/Os by path and node that are started from now on. */
	void measure(uint64_t ns)
	{
		count.assign(latencies.size(), {});
		run(ns);
	}

	double share(size_t path) const
	{
		uint64_t all = 0;

		for (const auto &nodes : count)
			all += nodes[0] + nodes[1];
		return (double)(count[path][0] + count[path][1]) / all;
	}

	Latencies latencies;
	ModuleSelector selector;
	std::vector<std::array<uint64_t, 2>> count;

private:
	void submit(unsigned int job)
	{
		unsigned int cpu = world_cpu, node = world_node_of(cpu);
		uint64_t start_ns = world_now_ns;
		int path;

		world_in_task = true;
		world_task = &count + job;
		path = stop ? -1 : selector.select(BYTES);
		if (path < 0)
			return;
		selector.start(path, BYTES);
		inflight++;
		count[path][node]++;
		at(start_ns + latencies[path][node], cpu, [=]() {
			selector.end(path, BYTES, start_ns);
			inflight--;
			submit(job);
		});
	}

	bool stop = false;
	unsigned int inflight = 0;
};

const Latencies fast_and_slow = { { 1 * MS, 1 * MS }, { 10 * MS, 10 * MS } };

} /* namespace */

unsigned int world_node_of(unsigned int cpu)
{
	return cpu * world_nodes / world_cpus;
}

void world_after(uint64_t ns, void (*fn)(void *), void *arg)
{
	timers.push_back(world_now_ns + ns);
	at(world_now_ns + ns, world_cpu, [=]() { fn(arg); });
}

#endif
