/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events in the order of their time; of one time, in the order in which they were
 * asked for. world.h is its face for selectors.
 */
#ifndef SIM_ENGINE_H
#define SIM_ENGINE_H

#include <cstdint>

/* Something happens: in whose context, see world.h. */
using Happen = void (*)(void *arg);

/* As world_after(), at a time and on a CPU; not in a task. */
void engine_at(uint64_t at_ns, unsigned int cpu, Happen fn, void *arg);

/* The same beyond the machine: it happens although the machine stands still. */
void engine_at_outside(uint64_t at_ns, unsigned int cpu, Happen fn, void *arg);

/* The machine stands still for so long: what falls into it happens at its end. The clock goes on. */
void engine_halt(uint64_t at_ns, uint64_t ns);

/* A machine before its first event. */
void engine_reset(unsigned int cpus, unsigned int nodes);

/* Until a time, which then is now. */
void engine_run_until(uint64_t end_ns);

/* What fn does while this exists is done by a task on a CPU. */
class TaskContext {
public:
	TaskContext(const void *task, unsigned int cpu);
	~TaskContext();
	TaskContext(const TaskContext &) = delete;

private:
	const void *task_;
	unsigned int cpu_;
	bool in_task_;
};

#endif
