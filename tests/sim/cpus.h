/* SPDX-License-Identifier: GPL-2.0 */
/* CPUs that take their time: one thing after the other. */
#ifndef SIM_CPUS_H
#define SIM_CPUS_H

#include <algorithm>
#include <vector>

#include "engine.h"
#include "world.h"

class Cpus {
public:
	explicit Cpus(unsigned int count) : free_ns_(count) { }

	/* Have fn(arg) called on the CPU when it has worked on it for so long. */
	void run(unsigned int cpu, uint64_t cost_ns, Happen fn, void *arg)
	{
		uint64_t &free_ns = free_ns_[cpu];

		if (!cost_ns) {
			fn(arg);
			return;
		}
		free_ns = std::max(free_ns, world_now_ns) + cost_ns;
		engine_at(free_ns, cpu, fn, arg);
	}

private:
	std::vector<uint64_t> free_ns_;
};

#endif
