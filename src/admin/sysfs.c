// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/dm-latency-weighted: directories, and files of maps; sysfs_path.c has the files of
 * paths. docs/ABI/testing/sysfs-kernel-dm-latency-weighted describes them. Process context, may
 * sleep; the caller of add and remove holds the map's dirs.
 */
#include <linux/dm-ioctl.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "admin/dir.h"

static struct kobject *lw_root;

static void lw_dir_init(struct lw_dir *dir, struct kobj_type *type)
{
	init_completion(&dir->gone);
	memset(&dir->kobj, 0, sizeof(dir->kobj));	/* it may be used again after a removal */
	kobject_init(&dir->kobj, type);
}

/* Afterwards its files are not read. */
static void lw_dir_remove(struct lw_dir *dir)
{
	/* Without a directory, kobject_del() would still look for its files. */
	if (dir->kobj.state_in_sysfs)
		kobject_del(&dir->kobj);
	kobject_put(&dir->kobj);
	wait_for_completion(&dir->gone);
}

/* Ask dm each time, as maps can be renamed. */
static ssize_t lw_show_name(struct lw_map *map, char *page)
{
	char name[DM_NAME_LEN];

	if (!map->md || dm_copy_name_and_uuid(map->md, name, NULL))
		return sysfs_emit(page, "unknown\n");
	return sysfs_emit(page, "%s\n", name);
}

/* Since the tables were loaded. Each CPU writes its own word. */
static ssize_t lw_show_unknown_selects(struct lw_map *map, char *page)
{
	const struct lw_selector *sel;
	unsigned int cpu;
	u64 unknown = 0;

	list_for_each_entry(sel, &map->selectors, of_map)
		for_each_possible_cpu(cpu)
			unknown += READ_ONCE(per_cpu_ptr(sel->cpu, cpu)->unknown);
	return sysfs_emit(page, "%llu\n", unknown);
}

static struct attribute lw_policy_file = { .name = "policy", .mode = 0600 };
static struct attribute lw_name_file = { .name = "name", .mode = 0444 };
static struct attribute lw_unknown_selects_file = { .name = "unknown_selects", .mode = 0444 };

/* One for each of lw_options[], filled by lw_sysfs_init(). */
static struct attribute lw_option_files[LW_OPTIONS];

static const struct lw_option *lw_option_of(const struct attribute *file)
{
	return &lw_options[file - lw_option_files];
}

static ssize_t lw_map_try_show(struct lw_map *map, const struct attribute *file, char *page)
{
	const struct lw_option *option;
	ssize_t size;

	if (!lw_reader_begin(map))
		return -EAGAIN;
	if (file == &lw_unknown_selects_file) {
		size = lw_show_unknown_selects(map, page);
	} else {
		option = lw_option_of(file);
		size = lw_option_print(option, lw_tuned(map, option), page);
	}
	lw_reader_end(map);
	return size;
}

/* Called when any process reads a file of a map; only root reads the policy. */
static ssize_t lw_map_show(struct kobject *kobj, struct attribute *file, char *page)
{
	struct lw_map *map = container_of(kobj, struct lw_map, dir.kobj);
	ssize_t size;

	if (file == &lw_name_file)
		return lw_show_name(map, page);
	if (file == &lw_policy_file)
		return lw_map_policy_show(map, page);
	do
		size = lw_map_try_show(map, file, page);
	while (size == -EAGAIN && lw_reader_waits());
	return size;
}

/* Called when root writes a file of a map. */
static ssize_t lw_map_store(struct kobject *kobj, struct attribute *file,
			    const char *text, size_t size)
{
	struct lw_map *map = container_of(kobj, struct lw_map, dir.kobj);
	int err = lw_check_store(file);

	if (!err && file == &lw_policy_file)
		err = lw_map_policy_set(map, text);
	else if (!err)
		err = lw_tune(map, lw_option_of(file), text);
	return err ? err : size;
}

static const struct sysfs_ops lw_map_ops = {
	.show = lw_map_show,
	.store = lw_map_store,
};

static struct attribute *lw_map_files[LW_OPTIONS + 4] = {
	&lw_policy_file,
	&lw_name_file,
	&lw_unknown_selects_file,
};
static const struct attribute_group lw_map_group = { .attrs = lw_map_files };
static const struct attribute_group *lw_map_groups[] = { &lw_map_group, NULL };

static struct kobj_type lw_map_type = {
	.release = lw_dir_release,
	.sysfs_ops = &lw_map_ops,
	.default_groups = lw_map_groups,
};

void lw_sysfs_map_init(struct lw_map *map)
{
	lw_dir_init(&map->dir, &lw_map_type);
}

void lw_sysfs_path_init(struct lw_map_path *at)
{
	lw_dir_init(&at->dir, &lw_path_type);
}

/**
 * lw_sysfs_map_add() - create the directory of a map, unless it exists
 * @map: the map
 */
void lw_sysfs_map_add(struct lw_map *map)
{
	if (map->dir.kobj.state_in_sysfs)
		return;
	if (!kobject_add(&map->dir.kobj, lw_root, "%s", map->label))
		map->paths_dir = kobject_create_and_add("paths", &map->dir.kobj);
	if (!map->paths_dir)
		DMWARN("%s: no directory in sysfs", map->label);
}

/**
 * lw_sysfs_path_add() - create the directory of a path, unless it exists
 * @at: the path
 */
void lw_sysfs_path_add(struct lw_map_path *at)
{
	if (at->dir.kobj.state_in_sysfs || !at->map->paths_dir)
		return;
	if (kobject_add(&at->dir.kobj, at->map->paths_dir, "%s", at->label))
		DMWARN("%s: no directory in sysfs for path %s", at->map->label,
		       at->label);
}

/**
 * lw_sysfs_map_remove() - remove a map's directory, after its last reader
 * @map: the map, without paths
 */
void lw_sysfs_map_remove(struct lw_map *map)
{
	if (map->paths_dir) {
		kobject_del(map->paths_dir);
		kobject_put(map->paths_dir);
		map->paths_dir = NULL;
	}
	lw_dir_remove(&map->dir);
}

/**
 * lw_sysfs_path_remove() - remove a path's directory, after its last reader
 * @at: the path
 */
void lw_sysfs_path_remove(struct lw_map_path *at)
{
	lw_dir_remove(&at->dir);
}

int __init lw_sysfs_init(void)
{
	unsigned int i;

	for (i = 0; i < LW_OPTIONS; i++) {
		lw_option_files[i].name = lw_options[i].name;
		lw_option_files[i].mode = 0644;
		lw_map_files[i + 3] = &lw_option_files[i];
	}
	lw_sysfs_path_files();
	lw_root = kobject_create_and_add("dm-latency-weighted", kernel_kobj);
	return lw_root ? 0 : -ENOMEM;
}

void lw_sysfs_exit(void)
{
	kobject_put(lw_root);
}
