/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_SYSFS_H
#define SHIM_LINUX_SYSFS_H

#include <linux/kernel.h>
#include <linux/mm.h>

#define sysfs_emit(buffer, ...)	scnprintf(buffer, PAGE_SIZE, __VA_ARGS__)
#define sysfs_emit_at(buffer, at, ...)	scnprintf((buffer) + (at), PAGE_SIZE - (at), __VA_ARGS__)

#endif
