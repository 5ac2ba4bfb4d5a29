/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_TOPOLOGY_H
#define SIM_LINUX_TOPOLOGY_H

#include <linux/nodemask.h>
#include <linux/smp.h>

#define cpu_to_node(cpu)	((int)world_node_of(cpu))
#define numa_node_id()		((int)world_node_of(world_cpu))
#define numa_mem_id()		numa_node_id()

#endif
