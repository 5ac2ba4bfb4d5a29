// SPDX-License-Identifier: GPL-2.0
#include "engine.h"

#include <queue>
#include <vector>

#include "world.h"

uint64_t world_now_ns;
unsigned int world_cpu;
bool world_in_task;
const void *world_task;
unsigned int world_cpus;
unsigned int world_nodes;

namespace {

struct Event {
	uint64_t at_ns;
	uint64_t turn;
	Happen fn;
	void *arg;
	unsigned int cpu;
	bool in_task;
	bool outside;

	bool operator<(const Event &other) const	/* the heap's top is the largest */
	{
		return at_ns != other.at_ns ? at_ns > other.at_ns : turn > other.turn;
	}
};

std::priority_queue<Event> events;
uint64_t turns;

struct Halt {
	uint64_t at_ns;
	uint64_t end_ns;
};

std::vector<Halt> halts;

/* Who runs what world_after() was asked for. */
const char worker = 0;

/* When the machine can do what is due at a time. */
uint64_t awake_ns(uint64_t at_ns)
{
	for (const Halt &halt : halts)
		if (at_ns >= halt.at_ns && at_ns < halt.end_ns)
			return halt.end_ns;
	return at_ns;
}

} /* namespace */

unsigned int world_node_of(unsigned int cpu)
{
	return cpu * world_nodes / world_cpus;
}

void world_after(uint64_t ns, void (*fn)(void *), void *arg)
{
	events.push({ world_now_ns + ns, turns++, fn, arg, world_cpu, true, false });
}

void engine_at(uint64_t at_ns, unsigned int cpu, Happen fn, void *arg)
{
	events.push({ at_ns, turns++, fn, arg, cpu, false, false });
}

void engine_at_outside(uint64_t at_ns, unsigned int cpu, Happen fn, void *arg)
{
	events.push({ at_ns, turns++, fn, arg, cpu, false, true });
}

void engine_halt(uint64_t at_ns, uint64_t ns)
{
	halts.push_back({ at_ns, at_ns + ns });
}

void engine_reset(unsigned int cpus, unsigned int nodes)
{
	events = {};
	halts.clear();
	world_cpus = cpus;
	world_nodes = nodes;
	world_cpu = 0;
	world_in_task = true;
	world_task = &worker;
	/* Not 0, which stands for "never" in time stamps. */
	world_now_ns = 1000000000;
}

void engine_run_until(uint64_t end_ns)
{
	while (!events.empty() && events.top().at_ns <= end_ns) {
		Event event = events.top();

		events.pop();

		uint64_t awake = event.outside ? event.at_ns : awake_ns(event.at_ns);

		if (awake != event.at_ns) {
			event.at_ns = awake;
			event.turn = turns++;
			events.push(event);
			continue;
		}
		world_now_ns = event.at_ns;
		world_cpu = event.cpu;
		world_in_task = event.in_task;
		world_task = event.in_task ? &worker : nullptr;
		event.fn(event.arg);
	}
	world_now_ns = end_ns;
}

TaskContext::TaskContext(const void *task, unsigned int cpu)
	: task_(world_task), cpu_(world_cpu), in_task_(world_in_task)
{
	world_task = task;
	world_cpu = cpu;
	world_in_task = true;
}

TaskContext::~TaskContext()
{
	world_task = task_;
	world_cpu = cpu_;
	world_in_task = in_task_;
}
