/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NATIVE_LINUX_CPUMASK_H
#define NATIVE_LINUX_CPUMASK_H

#include_next <linux/cpumask.h>

/* As there, a call for each CPU: the mask has more bits than a register. */
unsigned int native_next_cpu(unsigned int cpu);

#undef for_each_possible_cpu
#define for_each_possible_cpu(cpu)					\
	for ((cpu) = native_next_cpu(0); (cpu) < world_cpus; (cpu) = native_next_cpu((cpu) + 1))

#endif
