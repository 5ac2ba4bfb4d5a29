/* SPDX-License-Identifier: GPL-2.0 */
/* As much as struct lw_map needs to be a struct: there is no sysfs here. */
#ifndef FUZZ_LINUX_KOBJECT_H
#define FUZZ_LINUX_KOBJECT_H

struct kobj_type;

struct kobject {
	const struct kobj_type *ktype;
};

#endif
