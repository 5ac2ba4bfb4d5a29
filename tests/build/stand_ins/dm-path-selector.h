/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The selector interface as kernels of four ages declare it, apart from
 * src/compat, which is held against it. docs/kernels.md tells which has which.
 */
#ifndef STAND_IN_DM_PATH_SELECTOR_H
#define STAND_IN_DM_PATH_SELECTOR_H

#include <linux/device-mapper.h>

struct dm_path { struct dm_dev *dev; void *pscontext; };
struct path_selector { struct path_selector_type *type; void *context; };

#if LW_INTERFACE >= 603
# define ARGC unsigned int argc
#else
# define ARGC unsigned argc
#endif

#if LW_INTERFACE >= 519
# define FEATURES unsigned int features;
#else
# define FEATURES
#endif

#if LW_INTERFACE >= 508
# define START_TIME , u64 start_time
#else
# define START_TIME
#endif

struct path_selector_type {
	char *name;
	struct module *module;
	FEATURES
	unsigned int table_args;
	unsigned int info_args;
	int (*create)(struct path_selector *ps, ARGC, char **argv);
	void (*destroy)(struct path_selector *ps);
	int (*add_path)(struct path_selector *ps, struct dm_path *path, int argc, char **argv, char **error);
	struct dm_path *(*select_path)(struct path_selector *ps, size_t nr_bytes);
	void (*fail_path)(struct path_selector *ps, struct dm_path *p);
	int (*reinstate_path)(struct path_selector *ps, struct dm_path *p);
	int (*status)(struct path_selector *ps, struct dm_path *path, status_type_t type, char *result,
		      unsigned int maxlen);
	int (*start_io)(struct path_selector *ps, struct dm_path *path, size_t nr_bytes);
	int (*end_io)(struct path_selector *ps, struct dm_path *path, size_t nr_bytes START_TIME);
};

int dm_register_path_selector(struct path_selector_type *type);

#endif
