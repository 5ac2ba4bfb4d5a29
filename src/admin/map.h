/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Maps and their paths, as administrators see them. All selectors of a map belong to one struct
 * lw_map, so files stay in place during a table reload.
 *
 *   lw_map (dm-0) -> lw_map_path (sda)			directories
 *   lw_map -> lw_selector -> lw_path_info			what they show
 */
#ifndef LW_MAP_H
#define LW_MAP_H

#include <linux/completion.h>
#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/mutex.h>

#include "admin/admin.h"

struct lw_view;
struct seq_file;

/* A directory in sysfs; its removal waits for the last reference. */
struct lw_dir {
	struct kobject kobj;
	struct completion gone;
};

/*
 * A map, as long as it has any latency-weighted selector. dirs is held while directories are made
 * or removed. lock protects the fields below it, and the selectors' members and configuration,
 * against readers and tuning. Readers of files take lock: never hold it while directories
 * go. Readers of sysfs only try to take it (lw_reader_begin()).
 */
struct lw_map {
	struct mutex dirs;	/* protects fields up to debug_paths, and the list of paths */
	struct lw_dir dir;		/* its directory */
	struct kobject *paths_dir;	/* "paths" in it, NULL on failure */
	struct lw_view *view;		/* its directory in debugfs, NULL on failure */
	struct dentry *debug_paths;	/* "paths" in that, an error pointer without debugfs */
	char label[DISK_NAME_LEN];	/* name of both: "dm-0", or "unknown-<n>"; constant */
	struct mapped_device *md;	/* valid as long as any table, NULL if unknown; constant */

	struct request_queue *queue;	/* the map's own, NULL if unknown; constant */
	dev_t number;			/* its device number, 0 if unknown; constant */

	struct list_head node;		/* in the list of maps; with users under lw_maps_lock */
	unsigned int users;		/* number of selectors */
	struct lw_report_limit notices;	/* reports of slow paths; see admin/notice.c */

	struct mutex lock;		/* protects the fields below, see above */
	struct list_head selectors;	/* oldest first; that is the live table's */
	struct list_head paths;		/* of struct lw_map_path */
	struct lw_config config;	/* configuration of new selectors */
	struct lw_policy_use *policy;	/* of all selectors, NULL for none */
};

/* A path of a map, as long as any of its tables has it. */
struct lw_map_path {
	struct lw_dir dir;		/* its directory; with view under the map's dirs */
	struct lw_view *view;		/* its directory in debugfs */
	char label[BDEVNAME_SIZE];	/* name of both, the block device's; constant */
	struct lw_map *map;		/* constant */
	struct lw_device *path;		/* constant */
	struct list_head node;		/* in the map's paths; written under its dirs and lock */
	unsigned int users;		/* number of members; under the map's dirs */
	bool prefer;			/* new members are preferred; under the map's lock */
	struct lw_reset *reset;		/* counts at the last reset or NULL; under the map's lock */
};

/**
 * lw_map_path_info() - the member that the files of a path show
 * @at: the path; the caller holds its map's lock
 * Return: the member of the oldest selector (the live table's), NULL if none has the path.
 */
static inline struct lw_path_info *lw_map_path_info(struct lw_map_path *at)
{
	struct lw_selector *sel;
	unsigned int i;

	lockdep_assert_held(&at->map->lock);
	list_for_each_entry(sel, &at->map->selectors, of_map)
		for (i = 0; i < sel->nr; i++)
			if (sel->member[i].map_path == at)
				return &sel->member[i];
	return NULL;
}

/* tune.c */
struct lw_option;
void lw_map_measure(struct lw_map *map);
int lw_tune(struct lw_map *map, const struct lw_option *o, const char *text);
unsigned int lw_tuned(struct lw_map *map, const struct lw_option *o);
int lw_tune_prefer(struct lw_map_path *at, const char *text);

/* policy.c */
int lw_map_policy_set(struct lw_map *map, const char *text);
ssize_t lw_map_policy_show(struct lw_map *map, char *page);
void lw_map_policy_inherit(struct lw_selector *sel);
void lw_map_policy_leave(struct lw_selector *sel);
void lw_map_policy_end(struct lw_map *map);

/* operation.c */
void lw_operation_major(unsigned int major);

/* block_probes.c */
bool lw_block_probes_work(void);

/* sysfs.c */
void lw_sysfs_map_init(struct lw_map *map);
void lw_sysfs_path_init(struct lw_map_path *at);
void lw_sysfs_map_add(struct lw_map *map);
void lw_sysfs_path_add(struct lw_map_path *at);
void lw_sysfs_map_remove(struct lw_map *map);
void lw_sysfs_path_remove(struct lw_map_path *at);

/* sysfs_path.c */
extern struct kobj_type lw_path_type;
extern const char * const lw_op_names[LW_OPS];
void lw_sysfs_path_files(void);

/* Counts of I/Os. */
struct lw_totals {
	u64 starts;
	u64 ends;
	u64 done;
};

/* Histograms of a path: of each class, then of reads and of writes. */
#define LW_HISTOGRAMS	(LW_CLASSES + LW_OP_HISTOGRAMS)

/* totals.c */
struct lw_totals lw_totals_cpu(const struct lw_map_path *at, unsigned int cpu, unsigned int c);
struct lw_totals lw_totals_node(const struct lw_map_path *at, int node, unsigned int c);
void lw_totals_aggregate(const struct lw_map_path *at);
struct lw_totals lw_totals_class(const struct lw_map_path *at, unsigned int c);
bool lw_totals_histogram(const struct lw_map_path *at, unsigned int row, u64 *count);
int lw_totals_reset(struct lw_map *map);
void lw_totals_free(struct lw_map_path *at);

/* latency_stat.c */
int lw_path_stat_show(struct seq_file *seq, void *of);
int lw_map_stat_show(struct seq_file *seq, void *of);

/* debugfs.c */
void lw_debugfs_map_add(struct lw_map *map);
void lw_debugfs_path_add(struct lw_map_path *at);
void lw_debugfs_map_remove(struct lw_map *map);
void lw_debugfs_path_remove(struct lw_map_path *at);

#endif
