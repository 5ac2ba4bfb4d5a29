// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/dm-latency-weighted: one value a file. What each says is in
 * docs/ABI/testing/sysfs-kernel-dm-latency-weighted.
 *
 * A file is read under its map's lock, which keeps the selectors in place. The
 * directory itself stays while a file of it is read: removal waits for that.
 */
#include <linux/dm-ioctl.h>
#include <linux/kernel.h>
#include <linux/sysfs.h>

#include "map.h"

static struct kobject *lw_root;

/**
 * struct lw_map_file - a file of a map
 * @attr: name and mode
 * @show: writes the value into a page
 */
struct lw_map_file {
	struct attribute attr;
	ssize_t (*show)(struct lw_map *map, char *page);
};

/**
 * struct lw_path_file - a file of a path
 * @attr: name and mode
 * @show: writes the value of a member into a page, under the map's lock
 */
struct lw_path_file {
	struct attribute attr;
	ssize_t (*show)(struct lw_member *m, char *page);
};

static void lw_dir_release(struct kobject *kobj)
{
	complete(&container_of(kobj, struct lw_dir, kobj)->gone);
}

static void lw_dir_init(struct lw_dir *dir, struct kobj_type *type)
{
	init_completion(&dir->gone);
	kobject_init(&dir->kobj, type);
}

/* No file of it is being read afterwards, nor will be. */
static void lw_dir_remove(struct lw_dir *dir)
{
	kobject_del(&dir->kobj);
	kobject_put(&dir->kobj);
	wait_for_completion(&dir->gone);
}

/* Reads a file of a map's directory: any process. */
static ssize_t lw_map_show(struct kobject *kobj, struct attribute *attr, char *page)
{
	struct lw_map *map = container_of(kobj, struct lw_map, dir.kobj);

	return container_of(attr, struct lw_map_file, attr)->show(map, page);
}

/* Reads a file of a path's directory: any process. */
static ssize_t lw_path_show(struct kobject *kobj, struct attribute *attr, char *page)
{
	struct lw_map_path *at = container_of(kobj, struct lw_map_path, dir.kobj);
	struct lw_member *m;
	ssize_t size = -ENODEV;

	mutex_lock(&at->map->lock);
	m = lw_map_path_member(at);
	if (m)
		size = container_of(attr, struct lw_path_file, attr)->show(m, page);
	mutex_unlock(&at->map->lock);
	return size;
}

/* Asked of dm each time, since a map can be renamed. */
static ssize_t lw_show_name(struct lw_map *map, char *page)
{
	char name[DM_NAME_LEN];

	if (!map->md || dm_copy_name_and_uuid(map->md, name, NULL))
		return sysfs_emit(page, "unknown\n");
	return sysfs_emit(page, "%s\n", name);
}

static ssize_t lw_show_device(struct lw_member *m, char *page)
{
	return sysfs_emit(page, "%u:%u\n", MAJOR(m->path->bdev_nr),
			  MINOR(m->path->bdev_nr));
}

static ssize_t lw_show_state(struct lw_member *m, char *page)
{
	return sysfs_emit(page, "%s\n", lw_state_name(READ_ONCE(m->state)));
}

#define LW_MAP_FILE(file, show)						\
	static struct lw_map_file lw_map_##file = {			\
		{ .name = #file, .mode = 0444 }, show }
#define LW_PATH_FILE(file)						\
	static struct lw_path_file lw_path_##file = {			\
		{ .name = #file, .mode = 0444 }, lw_show_##file }

LW_MAP_FILE(name, lw_show_name);

LW_PATH_FILE(device);
LW_PATH_FILE(state);

static struct attribute *lw_map_attrs[] = {
	&lw_map_name.attr,
	NULL
};

static struct attribute *lw_path_attrs[] = {
	&lw_path_device.attr,
	&lw_path_state.attr,
	NULL
};

static const struct attribute_group lw_map_group = { .attrs = lw_map_attrs };
static const struct attribute_group lw_path_group = { .attrs = lw_path_attrs };
static const struct attribute_group *lw_map_groups[] = { &lw_map_group, NULL };
static const struct attribute_group *lw_path_groups[] = { &lw_path_group, NULL };

static const struct sysfs_ops lw_map_ops = { .show = lw_map_show };
static const struct sysfs_ops lw_path_ops = { .show = lw_path_show };

static struct kobj_type lw_map_type = {
	.release = lw_dir_release,
	.sysfs_ops = &lw_map_ops,
	.default_groups = lw_map_groups,
};

static struct kobj_type lw_path_type = {
	.release = lw_dir_release,
	.sysfs_ops = &lw_path_ops,
	.default_groups = lw_path_groups,
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
 * lw_sysfs_map_add() - show a map, if it is not shown
 * @map: the map
 *
 * Context: process, may sleep; under the lock of the list of maps, as all here.
 */
void lw_sysfs_map_add(struct lw_map *map)
{
	if (map->dir.kobj.state_in_sysfs)
		return;
	if (kobject_add(&map->dir.kobj, lw_root, "%s", map->label)) {
		DMWARN("%s: no directory in sysfs", map->label);
		return;
	}
	map->paths_dir = kobject_create_and_add("paths", &map->dir.kobj);
}

/**
 * lw_sysfs_path_add() - show a path, if it is not shown
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
 * lw_sysfs_map_remove() - the directory of a map goes, when nobody reads there
 * @map: a map without paths
 */
void lw_sysfs_map_remove(struct lw_map *map)
{
	if (map->paths_dir) {
		kobject_del(map->paths_dir);
		kobject_put(map->paths_dir);
	}
	lw_dir_remove(&map->dir);
}

/**
 * lw_sysfs_path_remove() - the directory of a path goes, when nobody reads there
 * @at: the path
 */
void lw_sysfs_path_remove(struct lw_map_path *at)
{
	lw_dir_remove(&at->dir);
}

int __init lw_sysfs_init(void)
{
	lw_root = kobject_create_and_add("dm-latency-weighted", kernel_kobj);
	return lw_root ? 0 : -ENOMEM;
}

void lw_sysfs_exit(void)
{
	kobject_put(lw_root);
}
