/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_CPUMASK_H
#define SIM_LINUX_CPUMASK_H

#include "simulated.h"

#define nr_cpu_ids		world_cpus
#define num_possible_cpus()	world_cpus
#define num_online_cpus()	world_cpus
#define cpu_online(cpu)		((cpu) < world_cpus)
#define cpu_possible(cpu)	((cpu) < world_cpus)

#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < world_cpus; (cpu)++)
#define for_each_online_cpu(cpu)	for_each_possible_cpu(cpu)

#endif
