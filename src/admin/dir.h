/* SPDX-License-Identifier: GPL-2.0 */
/* What directories of maps and of paths share. */
#ifndef LW_DIR_H
#define LW_DIR_H

#include <linux/capability.h>
#include <linux/sysfs.h>

#include "admin/map.h"

/* Called by whoever drops the last reference to a directory; process context. */
static inline void lw_dir_release(struct kobject *kobj)
{
	complete(&container_of(kobj, struct lw_dir, kobj)->gone);
}

/*
 * May this file be written? The mode alone does not protect it: root can change that, and so can a
 * container that runs as root without capabilities.
 */
static inline int lw_check_store(const struct attribute *file)
{
	if (!(file->mode & 0200))
		return -EIO;
	return capable(CAP_SYS_ADMIN) ? 0 : -EPERM;
}

#endif
