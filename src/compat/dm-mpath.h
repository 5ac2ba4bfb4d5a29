/* SPDX-License-Identifier: GPL-2.0 */
/* From drivers/md/dm-mpath.h, which no headers package ships; the same in 5.10 .. 7.2. */
#ifndef LW_COMPAT_DM_MPATH_H
#define LW_COMPAT_DM_MPATH_H

struct dm_dev;

struct dm_path {
	struct dm_dev *dev;
	void *pscontext;
};

#endif
