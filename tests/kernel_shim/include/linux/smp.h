/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_SMP_H
#define SHIM_LINUX_SMP_H

#include <linux/cpumask.h>
#include <linux/irqflags.h>

#define smp_processor_id()	world_cpu
#define raw_smp_processor_id()	world_cpu
#define get_cpu()		({ preempt_disable(); world_cpu; })
#define put_cpu()		preempt_enable()

#endif
