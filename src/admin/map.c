// SPDX-License-Identifier: GPL-2.0
/*
 * Find the map of a selector, which dm does not tell. A map's selectors come and go with its
 * tables; they find each other here. All functions run in process context and may sleep.
 */
#include <linux/kernel.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "admin/map.h"
#include "args.h"

/*
 * Protects the list of maps, their users and lw_maps_unknown. Nobody waits for readers under it;
 * each map has its own lock for its directories. Allocations under either must not wait for I/O,
 * which may be queued until another table is loaded.
 */
static DEFINE_MUTEX(lw_maps_lock);
static LIST_HEAD(lw_maps);
static unsigned int lw_maps_unknown;

/* Compare a kernel string at a possibly wrong address. */
static bool lw_reads(const char *at, const char *expected)
{
	char text[16];
	size_t size = strlen(expected) + 1;

	return size <= sizeof(text) &&
	       !copy_from_kernel_nofault(text, at, size) &&
	       !memcmp(text, expected, size);
}

/*
 * dm-mpath passes add_path() the address of its target's error text, in all kernels we know. As
 * that is not promised, follow it by means that survive wrong addresses.
 * Return: the map or NULL; no known kernel causes NULL, tests/modules/hide forces it.
 */
static struct mapped_device *lw_map_device(char **error)
{
	struct dm_target *ti = container_of(error, struct dm_target, error);
	struct target_type *type;
	struct dm_table *table;
	const char *name;

	if (copy_from_kernel_nofault(&type, &ti->type, sizeof(type)) || !type ||
	    copy_from_kernel_nofault(&name, &type->name, sizeof(name)) ||
	    !lw_reads(name, "multipath") ||
	    copy_from_kernel_nofault(&table, &ti->table, sizeof(table)) || !table)
		return NULL;
	return dm_table_get_md(table);
}

static void lw_map_disk(struct lw_map *map, struct gendisk *disk)
{
	strscpy(map->label, disk->disk_name, sizeof(map->label));
	map->queue = disk->queue;
	map->number = disk_devt(disk);
	lw_operation_major(MAJOR(map->number));
}

static struct lw_map *lw_map_alloc(struct mapped_device *md)
{
	struct lw_map *map = kzalloc(sizeof(*map), GFP_KERNEL);

	if (!map)
		return NULL;
	map->md = md;
	if (md)
		lw_map_disk(map, dm_disk(md));
	else
		snprintf(map->label, sizeof(map->label), "unknown-%u",
			 lw_maps_unknown++);
	mutex_init(&map->dirs);
	mutex_init(&map->lock);
	INIT_LIST_HEAD(&map->selectors);
	INIT_LIST_HEAD(&map->paths);
	lw_config_default(&map->config);
	list_add_tail(&map->node, &lw_maps);
	return map;
}

/* A map that is unknown belongs to one selector. */
static struct lw_map *lw_map_find(const struct mapped_device *md)
{
	struct lw_map *map;

	lockdep_assert_held(&lw_maps_lock);
	if (!md)
		return NULL;
	list_for_each_entry(map, &lw_maps, node)
		if (map->md == md)
			return map;
	return NULL;
}

static struct lw_map *lw_map_get(struct mapped_device *md)
{
	struct lw_map *map;

	mutex_lock(&lw_maps_lock);
	map = lw_map_find(md);
	if (!map)
		map = lw_map_alloc(md);
	if (map)
		map->users++;
	mutex_unlock(&lw_maps_lock);
	return map;
}

/* Called after the selector's paths are put; the last one removed the directories. */
static void lw_map_put(struct lw_map *map)
{
	bool last;

	mutex_lock(&lw_maps_lock);
	last = !--map->users;
	if (last)
		list_del(&map->node);
	mutex_unlock(&lw_maps_lock);
	if (!last)
		return;
	lw_map_policy_end(map);
	kfree(map);
}

static struct lw_map_path *lw_map_path_find(struct lw_map *map,
					    const struct lw_device *path)
{
	struct lw_map_path *at;

	lockdep_assert_held(&map->dirs);
	list_for_each_entry(at, &map->paths, node)
		if (at->path == path)
			return at;
	return NULL;
}

static struct lw_map_path *lw_map_path_alloc(struct lw_map *map, struct lw_device *path,
					     struct block_device *bdev)
{
	struct lw_map_path *at = kzalloc(sizeof(*at), GFP_KERNEL);

	if (!at)
		return NULL;
	at->map = map;
	at->path = path;
	/* dm refuses a table with two disks of one name, so labels differ. */
	snprintf(at->label, sizeof(at->label), "%pg", bdev);
	strreplace(at->label, '/', '!');
	if (list_empty(&map->paths))
		lw_sysfs_map_init(map);
	lw_sysfs_path_init(at);
	mutex_lock(&map->lock);
	list_add_tail(&at->node, &map->paths);
	mutex_unlock(&map->lock);
	return at;
}

static struct lw_map_path *lw_map_path_get(struct lw_map *map, struct lw_device *path,
					   struct block_device *bdev)
{
	struct lw_map_path *at = lw_map_path_find(map, path);

	if (!at)
		at = lw_map_path_alloc(map, path, bdev);
	if (at)
		at->users++;
	return at;
}

static void lw_map_path_put(struct lw_map_path *at)
{
	struct lw_map *map = at->map;

	lockdep_assert_held(&map->dirs);
	if (--at->users)
		return;
	mutex_lock(&map->lock);
	list_del(&at->node);
	mutex_unlock(&map->lock);
	lw_sysfs_path_remove(at);
	lw_debugfs_path_remove(at);
	kfree(at);
	if (list_empty(&map->paths)) {
		lw_sysfs_map_remove(map);
		lw_debugfs_map_remove(map);
	}
}

/* Find the map with the first path of the selector. */
static bool lw_map_enter(struct lw_selector *sel, char **error)
{
	struct lw_map *map;

	if (sel->map)
		return true;
	map = lw_map_get(lw_map_device(error));
	if (!map)
		return false;
	mutex_lock(&map->lock);
	lw_args_inherit(sel, &map->config);
	list_add_tail(&sel->of_map, &map->selectors);
	sel->map = map;
	sel->map_queue = map->queue;
	lw_map_policy_inherit(sel);
	mutex_unlock(&map->lock);
	return true;
}

/**
 * lw_map_inherit() - take over what the map knows of a path
 * @m: the path, after lw_map_join(); the map is locked, so that no tuning is missed
 */
void lw_map_inherit(struct lw_path_info *m)
{
	const struct lw_path_info *older = lw_map_path_info(m->map_path);

	if (older) {
		spin_lock_irq(&m->path->use_lock);
		m->returns = older->returns;
		m->shown.state = older->shown.state;
		m->shown.since_ns = older->shown.since_ns;
		spin_unlock_irq(&m->path->use_lock);
	}
	m->preferred = m->map_path->prefer;
}

/**
 * lw_map_join() - find a selector's map, and the path's entry in it
 * @sel: the selector; inherits the map's configuration, except what its arguments set
 * @m: the path, not yet a member; sets @m->map_path and map_number
 * @error: as given to add_path()
 * Return: 0 or -ENOMEM; in either case lw_map_leave() is due, and lw_map_drop() if the path does
 * not become a member.
 */
int lw_map_join(struct lw_selector *sel, struct lw_path_info *m, char **error)
{
	unsigned int noio = memalloc_noio_save();

	if (lw_map_enter(sel, error)) {
		mutex_lock(&sel->map->dirs);
		m->map_path = lw_map_path_get(sel->map, m->path, m->dm_path->dev->bdev);
		m->shown.map_number = sel->map->number;
		mutex_unlock(&sel->map->dirs);
	}
	memalloc_noio_restore(noio);
	return m->map_path ? 0 : -ENOMEM;
}

/**
 * lw_map_drop() - undo lw_map_join() for one path
 * @m: the path, also if it did not join
 *
 * Context: process, may sleep.
 */
void lw_map_drop(struct lw_path_info *m)
{
	unsigned int noio;
	struct lw_map *map;

	if (!m->map_path)
		return;
	noio = memalloc_noio_save();
	map = m->map_path->map;
	mutex_lock(&map->dirs);
	lw_map_path_put(m->map_path);
	mutex_unlock(&map->dirs);
	memalloc_noio_restore(noio);
}

/**
 * lw_map_announce() - create the directories of a member
 * @m: the member
 *
 * Failure is only logged, as a path works without a directory.
 */
void lw_map_announce(struct lw_path_info *m)
{
	unsigned int noio = memalloc_noio_save();
	struct lw_map *map = m->map_path->map;

	mutex_lock(&map->dirs);
	lw_sysfs_map_add(map);
	lw_sysfs_path_add(m->map_path);
	lw_debugfs_map_add(map);
	lw_debugfs_path_add(m->map_path);
	mutex_unlock(&map->dirs);
	memalloc_noio_restore(noio);
}

/**
 * lw_map_leave() - stop showing a selector's members through its map
 * @sel: the selector
 */
void lw_map_leave(struct lw_selector *sel)
{
	if (!sel->map)
		return;
	mutex_lock(&sel->map->lock);
	list_del(&sel->of_map);
	lw_map_policy_leave(sel);
	mutex_unlock(&sel->map->lock);
}

/**
 * lw_map_put_selector() - release a selector's map, and directories without another user
 * @sel: the selector, after lw_map_leave() and its last window
 */
void lw_map_put_selector(struct lw_selector *sel)
{
	struct lw_map *map = sel->map;
	unsigned int i, noio;

	if (!map)
		return;
	noio = memalloc_noio_save();
	mutex_lock(&map->dirs);
	for (i = 0; i < sel->nr; i++)
		lw_map_path_put(sel->member[i].map_path);
	mutex_unlock(&map->dirs);
	lw_map_put(map);
	memalloc_noio_restore(noio);
}

/**
 * lw_measure() - start the measurements that the configuration asks for
 * @sel: the selector, which has got another member
 * Context: process, may sleep.
 */
void lw_measure(struct lw_selector *sel)
{
	lw_map_measure(sel->map);
}

/**
 * lw_map_lock() - lock out readers and tuning of a selector's members
 * @sel: the selector, after lw_map_join()
 */
void lw_map_lock(struct lw_selector *sel)
{
	mutex_lock(&sel->map->lock);
}

void lw_map_unlock(struct lw_selector *sel)
{
	mutex_unlock(&sel->map->lock);
}
