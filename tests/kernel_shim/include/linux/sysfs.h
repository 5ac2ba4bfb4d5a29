/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_SYSFS_H
#define SHIM_LINUX_SYSFS_H

#include <linux/kernel.h>
#include <linux/mm.h>

struct kobject;

/* Enough to compile tables of files; nobody opens them here. */
struct attribute {
	const char *name;
	unsigned short mode;
};

struct attribute_group {
	const char *name;
	struct attribute **attrs;
};

struct sysfs_ops {
	ssize_t (*show)(struct kobject *kobj, struct attribute *attr, char *page);
	ssize_t (*store)(struct kobject *kobj, struct attribute *attr, const char *text,
			 size_t size);
};

#define sysfs_emit(buffer, ...)	scnprintf(buffer, PAGE_SIZE, __VA_ARGS__)
#define sysfs_emit_at(buffer, at, ...)	scnprintf((buffer) + (at), PAGE_SIZE - (at), __VA_ARGS__)

#endif
