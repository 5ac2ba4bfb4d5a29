/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_MM_H
#define SIM_LINUX_MM_H

#include <linux/cpumask.h>
#include <linux/nodemask.h>
#include <linux/slab.h>

#define PAGE_SHIFT	12
#define PAGE_SIZE	(1UL << PAGE_SHIFT)

#endif
