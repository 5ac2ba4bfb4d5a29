/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an administrator sees: maps and their paths, whatever tables they go
 * through. A selector belongs to a priority group of a table; all selectors of a map
 * hang on its one struct lw_map, and so files neither move nor blink in a reload.
 *
 *   lw_map (dm-0) -> lw_map_path (sda)			directories
 *   lw_map -> lw_selector -> lw_member			what they show
 */
#ifndef LW_MAP_H
#define LW_MAP_H

#include <linux/completion.h>
#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/ratelimit.h>

#include "admin/admin.h"

struct attribute;
struct lw_view;
struct seq_file;

/**
 * struct lw_dir - a directory in sysfs that is waited for when it goes
 * @kobj: the directory
 * @gone: nobody refers to @kobj any more
 */
struct lw_dir {
	struct kobject kobj;
	struct completion gone;
};

/**
 * struct lw_map - a map, as long as it has any selector of ours
 * @dirs: protects what follows up to @debug_paths, and who is in @paths: held while
 *	directories are made, and removed with the last path
 * @dir: its directory
 * @paths_dir: the directory "paths" in it, NULL if it could not be made
 * @view: its directory in debugfs, NULL if it could not be made
 * @debug_paths: the directory "paths" in that, an error pointer without debugfs
 * @label: their name: dm's disk, "dm-0", or "unknown-<n>"; constant
 * @md: dm's handle, NULL if it could not be learned; constant. It is there as long
 *	as any of its tables is
 * @node: in the list of maps; this and @users under the lock of that list (map.c)
 * @users: number of selectors
 * @notices: bounds how many reports of slow paths it makes
 * @lock: protects what follows, the members of the selectors in @selectors and their
 *	configuration against those who come to read or tune them. Readers of files take
 *	it, so it is not held when a directory is removed
 * @selectors: oldest first: of the live table, then of those loaded after it
 * @paths: struct lw_map_path
 * @config: what new selectors start with
 */
struct lw_map {
	struct mutex dirs;
	struct lw_dir dir;
	struct kobject *paths_dir;
	struct lw_view *view;
	struct dentry *debug_paths;
	char label[DISK_NAME_LEN];
	struct mapped_device *md;

	struct list_head node;
	unsigned int users;
	struct ratelimit_state notices;

	struct mutex lock;
	struct list_head selectors;
	struct list_head paths;
	struct lw_config config;
};

/**
 * struct lw_map_path - a path of a map, as long as any of its tables has it
 * @dir: its directory; this and @view under the lock of the map's directories
 * @view: its directory in debugfs
 * @label: name of that: the path's device; constant
 * @map: whose path; constant
 * @path: which; constant
 * @node: in the map's list; written under both the lock of its directories and its own
 * @users: number of members; under the lock of the map's directories
 * @prefer: members added later are preferred; under the map's lock
 * @reset: what was counted when counts were last reset, NULL for never; under the
 *	map's lock
 */
struct lw_map_path {
	struct lw_dir dir;
	struct lw_view *view;
	char label[BDEVNAME_SIZE];
	struct lw_map *map;
	struct lw_path *path;
	struct list_head node;
	unsigned int users;
	bool prefer;
	struct lw_reset *reset;
};

struct lw_member *lw_map_path_member(struct lw_map_path *at);

/* tune.c */
struct lw_option;
int lw_tune(struct lw_map *map, const struct lw_option *o, const char *text);
unsigned int lw_tuned(struct lw_map *map, const struct lw_option *o);
int lw_tune_prefer(struct lw_map_path *at, const char *text);

/* sysfs.c */
void lw_sysfs_map_init(struct lw_map *map);
void lw_sysfs_path_init(struct lw_map_path *at);
void lw_sysfs_map_add(struct lw_map *map);
void lw_sysfs_path_add(struct lw_map_path *at);
void lw_sysfs_map_remove(struct lw_map *map);
void lw_sysfs_path_remove(struct lw_map_path *at);
void lw_dir_release(struct kobject *kobj);
bool lw_may_store(const struct attribute *file);

/* sysfs_path.c */
extern struct kobj_type lw_path_type;
void lw_sysfs_path_files(void);

/**
 * struct lw_tally - counts of I/Os
 * @starts: started
 * @ends: ended
 * @done: done
 */
struct lw_tally {
	u64 starts;
	u64 ends;
	u64 done;
};

/* tally.c */
struct lw_tally lw_tally_cpu(const struct lw_map_path *at, unsigned int cpu, unsigned int c);
struct lw_tally lw_tally_node(const struct lw_map_path *at, int node, unsigned int c);
void lw_tally_fold(const struct lw_map_path *at);
struct lw_tally lw_tally_class(const struct lw_map_path *at, unsigned int c);
bool lw_tally_histogram(const struct lw_map_path *at, unsigned int c, u64 *count);
int lw_tally_reset(struct lw_map *map);
void lw_tally_free(struct lw_map_path *at);

/* latency_stat.c */
int lw_path_stat_show(struct seq_file *seq, void *of);
int lw_map_stat_show(struct seq_file *seq, void *of);

/* debugfs.c */
void lw_debugfs_map_add(struct lw_map *map);
void lw_debugfs_path_add(struct lw_map_path *at);
void lw_debugfs_map_remove(struct lw_map *map);
void lw_debugfs_path_remove(struct lw_map_path *at);

#endif
