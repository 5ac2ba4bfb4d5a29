/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_SYSFS_H
#define SIM_LINUX_SYSFS_H

#include <linux/kernel.h>
#include <linux/mm.h>

#define sysfs_emit(buffer, ...)	scnprintf(buffer, PAGE_SIZE, __VA_ARGS__)

#endif
