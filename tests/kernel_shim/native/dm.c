// SPDX-License-Identifier: GPL-2.0
/* Maps and their devices, as much of them as a selector meets. */
#include "native.h"

#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/kernel.h>
#include <stdlib.h>

#include "blk-stat.h"
#include "dm.h"

struct native_path {
	struct dm_path path;
	struct dm_dev dev;
	struct block_device bdev;
	struct gendisk disk;
	struct request_queue queue;
};

void blk_stat_enable_accounting(struct request_queue *q)
{
	q->stat_users++;
}

void blk_stat_disable_accounting(struct request_queue *q)
{
	q->stat_users--;
}

/* All maps here are request-based. */
bool dm_by_bio(const void *context)
{
	return false;
}

struct dm_path *native_dm_path(const struct native_map *map, unsigned int path)
{
	return &map->path[path].path;
}

static void path_init(struct native_path *p)
{
	static dev_t number;

	p->queue.mq_ops = p;
	p->queue.nr_requests = 1024;
	p->queue.nr_hw_queues = 1;
	p->queue.max_sectors = 16 << 11;	/* 16 MiB: else no I/O would count as data */
	p->disk.queue = &p->queue;
	p->bdev.bd_dev = ++number;
	p->bdev.bd_disk = &p->disk;
	p->dev.bdev = &p->bdev;
	p->path.dev = &p->dev;
}

bool native_map_load(struct native_map *map, struct path_selector_type *type, unsigned int paths)
{
	char repeat_count[] = "1", *argv[] = { repeat_count }, *error;

	map->ps.type = type;
	map->path = calloc(paths, sizeof(*map->path));
	KERNEL_ASSERT(map->path);
	if (type->create(&map->ps, 0, argv))
		return false;
	for (map->nr = 0; map->nr < paths; map->nr++) {
		path_init(&map->path[map->nr]);
		if (type->add_path(&map->ps, &map->path[map->nr].path, 1, argv, &error))
			return false;
	}
	return true;
}

void native_map_free(struct native_map *map)
{
	map->ps.type->destroy(&map->ps);
	free(map->path);
}
