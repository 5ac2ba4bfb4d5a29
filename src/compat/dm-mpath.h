/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What dm-multipath and its path selectors share. The kernel keeps this in
 * drivers/md/dm-mpath.h, which no headers package ships. Same in 5.10 .. 7.2.
 */
#ifndef LW_COMPAT_DM_MPATH_H
#define LW_COMPAT_DM_MPATH_H

struct dm_dev;

struct dm_path {
	struct dm_dev *dev;
	void *pscontext;
};

#endif
