/* SPDX-License-Identifier: GPL-2.0 */
/* What directories of maps and of paths share. */
#ifndef LW_DIR_H
#define LW_DIR_H

#include <linux/sysfs.h>

#include "admin/map.h"

/* Called by whoever drops the last reference to a directory; process context. */
static inline void lw_dir_release(struct kobject *kobj)
{
	complete(&container_of(kobj, struct lw_dir, kobj)->gone);
}

/* Is a file writable by design? The mode alone does not protect it, since root can change that. */
static inline bool lw_may_store(const struct attribute *file)
{
	return file->mode & 0200;
}

#endif
