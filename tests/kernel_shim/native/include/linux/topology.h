/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NATIVE_LINUX_TOPOLOGY_H
#define NATIVE_LINUX_TOPOLOGY_H

#include_next <linux/topology.h>

extern __thread unsigned int native_node;
extern unsigned int native_node_of[];

#undef cpu_to_node
#undef numa_node_id
#define cpu_to_node(cpu)	((int)native_node_of[cpu])
#define numa_node_id()		((int)native_node)

#endif
