/* SPDX-License-Identifier: GPL-2.0 */
/* As much as struct lw_map needs to be a struct: there is no sysfs here. */
#ifndef FUZZ_LINUX_KOBJECT_H
#define FUZZ_LINUX_KOBJECT_H

struct attribute_group;
struct sysfs_ops;

struct kobject {
	const struct kobj_type *ktype;
};

struct kobj_type {
	void (*release)(struct kobject *kobj);
	const struct sysfs_ops *sysfs_ops;
	const struct attribute_group **default_groups;
};

#endif
