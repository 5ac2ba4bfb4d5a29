/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dm-multipath's side: a priority group, that is a selector of the module with its
 * paths, each of a device of its own.
 */
#ifndef SHIM_DM_H
#define SHIM_DM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dm_group;
struct path_selector;

/**
 * struct dm_table - what a group is made of; 0 and NULL where nothing is said
 * @type: name of a selector that is registered, NULL: the module's, which is loaded if need be
 * @paths: their number
 * @argc: number of the selector's arguments
 * @argv: these
 * @words: an argument of each path, NULL: the repeat count 1
 * @tags: requests that each path's queue has, 0: any number
 * @by_bio: the map is bio-based
 * @beside: has the devices, and outlives the group: a table that is loaded
 */
struct dm_table {
	const char *type;
	unsigned int paths;
	unsigned int argc;
	char **argv;
	char **words;
	const unsigned int *tags;
	bool by_bio;
	const struct dm_group *beside;
};

/* NULL if the selector refuses; kernel_log_text() then has the reason. */
struct dm_group *dm_group_load(const struct dm_table *table);
/* The module's, in short. */
struct dm_group *dm_group_create(unsigned int paths, unsigned int argc, char **argv);
struct dm_group *dm_group_create_on(unsigned int paths, unsigned int argc, char **argv,
				    const unsigned int *tags, bool by_bio);
struct dm_group *dm_group_create_beside(const struct dm_group *other, unsigned int paths);
void dm_group_destroy(struct dm_group *group);

/* Of a selector by its context: is its map bio-based? */
bool dm_by_bio(const void *context);

/* For tests that look into it. */
struct path_selector *dm_group_selector(struct dm_group *group);

int dm_group_select(struct dm_group *group, size_t bytes);
void dm_group_start(struct dm_group *group, int path, size_t bytes);
void dm_group_end(struct dm_group *group, int path, size_t bytes, uint64_t start_ns);
void dm_group_fail(struct dm_group *group, int path);
void dm_group_reinstate(struct dm_group *group, int path);

/* Words as of dmsetup status; of the selector itself if path is -1. */
void dm_group_status(struct dm_group *group, int path, char *text, unsigned int size);

/* What the module knows of each path, a line for each. */
void dm_group_trace(struct dm_group *group, FILE *out);

/* Without groups: as rmmod. The next group loads the module again. */
void dm_unload_module(void);

const char *kernel_log_text(void);

/* What the task, a worker, works on; NULL: it is none. */
extern const void *kernel_work;

/* There is no memory for the nth allocation from now on; 0: for each there is. */
extern unsigned int kernel_no_memory_at;

/**
 * struct kernel_notices - what the module told of its paths
 * @slow: how often that one became slow
 * @recovered: or recovered
 * @was_ns: of the last one, its latency before
 * @is_ns: and then
 * @refused: how many could not be told
 */
struct kernel_notices {
	unsigned int slow;
	unsigned int recovered;
	uint64_t was_ns;
	uint64_t is_ns;
	unsigned int refused;
};

extern struct kernel_notices kernel_notices;
extern bool kernel_refuses_notices;

#ifdef __cplusplus
}
#endif

#endif
