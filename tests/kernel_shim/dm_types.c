// SPDX-License-Identifier: GPL-2.0
/* The selectors that dm-multipath knows: the module's, and the kernel's own. */
#include "dm_types.h"

#include <linux/kernel.h>
#include <string.h>

static struct path_selector_type *types[8];

/* Where the type of this name is, or a free place; NULL if there is none. */
static struct path_selector_type **find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (name ? types[i] && !strcmp(types[i]->name, name) : !types[i])
			return &types[i];
	return NULL;
}

struct path_selector_type *dm_type(const char *name)
{
	struct path_selector_type **place = find(name);

	return place ? *place : NULL;
}

int dm_register_path_selector(struct path_selector_type *type)
{
	struct path_selector_type **place = find(NULL);

	KERNEL_ASSERT(place && !find(type->name));
	*place = type;
	return 0;
}

void dm_unregister_path_selector(struct path_selector_type *type)
{
	struct path_selector_type **place = find(type->name);

	KERNEL_ASSERT(place && *place == type);
	*place = NULL;
}
