/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface between dm-multipath and its path selectors. The kernel keeps
 * it in drivers/md/dm-path-selector.h, which no headers package ships.
 *
 * A module built with another layout than the kernel's would load and then
 * crash, so src/compat/probe proves at build time which of the layouts below
 * the kernel has, and defines it:
 *
 *   LW_PS_HAS_FEATURES	path_selector_type.features is there
 *			(v5.19 and kernels with backports; posted to dm-devel as
 *			20220427165710.225808-1-krisman@collabora.com)
 *   LW_PS_UNSIGNED	create() is spelt with "unsigned" instead of "unsigned int": the
 *			same type, but not the same checksum by genksyms (up to 6.2,
 *			but stable kernels such as 6.1.176 have the new spelling)
 *
 * The proof compares checksums of these very declarations, so names and types
 * of all fields have to be the kernel's own.
 */
#ifndef LW_COMPAT_DM_PATH_SELECTOR_H
#define LW_COMPAT_DM_PATH_SELECTOR_H

#include <linux/device-mapper.h>

#include "dm-mpath.h"

struct path_selector_type;

struct path_selector {
	struct path_selector_type *type;
	void *context;
};

/* With it, bio-based maps pass ktime_get_ns() as start_time. */
#define DM_PS_USE_HR_TIMER 0x00000001

/* In the initializer: older kernels have no such field, and no time stamps either. */
#ifdef LW_PS_HAS_FEATURES
#define LW_PS_FEATURES(flags) .features = (flags),
#else
#define LW_PS_FEATURES(flags)
#endif

struct path_selector_type {
	char *name;
	struct module *module;

#ifdef LW_PS_HAS_FEATURES
	unsigned int features;
#endif
	unsigned int table_args;
	unsigned int info_args;

#ifdef LW_PS_UNSIGNED
	int (*create)(struct path_selector *ps, unsigned argc, char **argv);
#else
	int (*create)(struct path_selector *ps, unsigned int argc, char **argv);
#endif
	void (*destroy)(struct path_selector *ps);

	int (*add_path)(struct path_selector *ps, struct dm_path *path,
			int argc, char **argv, char **error);

	struct dm_path *(*select_path)(struct path_selector *ps,
				       size_t nr_bytes);

	void (*fail_path)(struct path_selector *ps, struct dm_path *p);
	int (*reinstate_path)(struct path_selector *ps, struct dm_path *p);

	int (*status)(struct path_selector *ps, struct dm_path *path,
		      status_type_t type, char *result, unsigned int maxlen);

	int (*start_io)(struct path_selector *ps, struct dm_path *path,
			size_t nr_bytes);
	int (*end_io)(struct path_selector *ps, struct dm_path *path,
		      size_t nr_bytes, u64 start_time);
};

int dm_register_path_selector(struct path_selector_type *type);

/* Returns int up to 6.16; nobody looks at it, so void is right for both. */
void dm_unregister_path_selector(struct path_selector_type *type);

#endif
