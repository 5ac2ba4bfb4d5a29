// SPDX-License-Identifier: GPL-2.0
/*
 * A selector that does nothing but name the paths in turn: what the program itself, the
 * calls and the machine's stand-ins take, to be taken off.
 */
#include "native.h"

#include <linux/kernel.h>
#include <linux/slab.h>

struct null {
	unsigned int nr;
	struct dm_path *path[];
};

#define NULL_PATHS	64

static __thread unsigned int turn;

static int null_create(struct path_selector *ps, unsigned int argc, char **argv)
{
	struct null *n = ps->context = kzalloc(struct_size(n, path, NULL_PATHS), GFP_KERNEL);

	return n ? 0 : -ENOMEM;
}

static void null_destroy(struct path_selector *ps)
{
	kfree(ps->context);
}

static int null_add_path(struct path_selector *ps, struct dm_path *path, int argc, char **argv,
			 char **error)
{
	struct null *n = ps->context;

	if (n->nr == NULL_PATHS)
		return -ENOMEM;
	n->path[n->nr++] = path;
	return 0;
}

static struct dm_path *null_select(struct path_selector *ps, size_t bytes)
{
	struct null *n = ps->context;

	if (++turn >= n->nr)
		turn = 0;
	return n->path[turn];
}

static int null_start(struct path_selector *ps, struct dm_path *path, size_t bytes)
{
	return 0;
}

static int null_end(struct path_selector *ps, struct dm_path *path, size_t bytes, u64 start_time)
{
	return 0;
}

struct path_selector_type native_null = {
	.name		= "nothing",
	.create		= null_create,
	.destroy	= null_destroy,
	.add_path	= null_add_path,
	.select_path	= null_select,
	.start_io	= null_start,
	.end_io		= null_end,
};
