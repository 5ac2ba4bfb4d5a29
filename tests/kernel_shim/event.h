/* SPDX-License-Identifier: GPL-2.0 */
/* Something that happens at a time on a CPU: the first of them comes first out of a std::priority_queue. */
#ifndef SIM_EVENT_H
#define SIM_EVENT_H

#include <cstdint>
#include <functional>

struct Event {
	uint64_t at_ns, turn;
	unsigned int cpu;
	std::function<void()> happen;

	bool operator<(const Event &other) const
	{
		return at_ns != other.at_ns ? at_ns > other.at_ns : turn > other.turn;
	}
};

#endif
