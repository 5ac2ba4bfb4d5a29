/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_NODEMASK_H
#define SIM_LINUX_NODEMASK_H

#include "simulated.h"

#define NUMA_NO_NODE		(-1)
#define nr_node_ids		world_nodes
#define first_online_node	0
#define num_online_nodes()	world_nodes
#define num_possible_nodes()	world_nodes

#define for_each_node(node)		for ((node) = 0; (node) < world_nodes; (node)++)
#define for_each_online_node(node)	for_each_node(node)

#endif
