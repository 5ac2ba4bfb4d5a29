// SPDX-License-Identifier: GPL-2.0
/* dm-multipath and the block layer, as much of them as a selector meets. */
#include "dm.h"

#include <linux/device-mapper.h>
#include <linux/irqflags.h>
#include <linux/rcupdate.h>
#include <stdlib.h>

#include "blk-stat.h"
#include "dm-path-selector.h"
#include "trace.h"

/* A path, and the device that it leads to. */
struct dm_group_path {
	struct dm_path path;
	struct dm_dev dev;
	struct block_device bdev;
	struct gendisk disk;
	struct request_queue queue;
};

struct dm_group {
	struct path_selector ps;
	struct dm_group *next;		/* of all groups */
	bool by_bio;
	unsigned int nr;
	struct dm_group_path path[];
};

/* Who loads tables; a task. */
static const char multipathd;

static struct path_selector_type *selector_type;
static struct dm_group *groups;
static unsigned int nr_groups;
static dev_t next_device = 1;

int dm_register_path_selector(struct path_selector_type *type)
{
	selector_type = type;
	return 0;
}

void dm_unregister_path_selector(struct path_selector_type *type)
{
	KERNEL_ASSERT(type == selector_type && !nr_groups);
	selector_type = NULL;
}

void blk_stat_enable_accounting(struct request_queue *q)
{
	q->stat_users++;
	q->stamps = true;
}

/* As in Linux 5.17 to 6.3, which forget that throttling counts on the stamps. */
void blk_stat_disable_accounting(struct request_queue *q)
{
	KERNEL_ASSERT(q->stat_users);
	if (!--q->stat_users)
		q->stamps = false;
}

/* A path to a device of its own, or to the one that another group has. */
static void path_init(struct dm_group_path *p, unsigned int tags, const struct dm_group_path *other)
{
	p->queue.mq_ops = p;
	p->queue.nr_requests = tags ? tags : UINT_MAX;
	p->queue.nr_hw_queues = 1;
	p->queue.max_sectors = 16 << 11;	/* 16 MiB: no limit */
	p->disk.queue = &p->queue;
	p->bdev.bd_dev = next_device++;
	p->bdev.bd_disk = &p->disk;
	p->dev.bdev = other ? other->dev.bdev : &p->bdev;
	p->path.dev = &p->dev;
	snprintf(p->dev.name, sizeof(p->dev.name), "8:%u", (unsigned int)p->dev.bdev->bd_dev);
}

/* multipathd gives each path a repeat count. */
static int group_add_path(struct dm_group *group, struct dm_group_path *p)
{
	char repeat_count[] = "1", *argv[] = { repeat_count }, *error = "refused";
	int err = selector_type->add_path(&group->ps, &p->path, 1, argv, &error);

	if (err)
		kernel_log("add_path: %s\n", error);
	return err;
}

static void group_link(struct dm_group *group)
{
	group->next = groups;
	groups = group;
	nr_groups++;
}

static void group_unlink(struct dm_group *group)
{
	struct dm_group **at = &groups;

	while (*at != group)
		at = &(*at)->next;
	*at = group->next;
	nr_groups--;
}

bool dm_by_bio(const void *context)
{
	struct dm_group *group;

	for (group = groups; group; group = group->next)
		if (group->ps.context == context)
			return group->by_bio;
	return false;
}

static void group_free(struct dm_group *group)
{
	unsigned int i;

	selector_type->destroy(&group->ps);
	group_unlink(group);
	for (i = 0; i < group->nr; i++)
		KERNEL_ASSERT(group->path[i].queue.stamps == !!group->path[i].queue.rq_qos);
	free(group);
}

/* A first group finds a machine that has just come up. */
static void first_group(void)
{
	if (!nr_groups)
		kernel_boot();
	if (!selector_type)
		KERNEL_ASSERT(!kernel_module_init() && selector_type);
	kernel_log_clear();
}

static struct dm_group *group_new(unsigned int paths, unsigned int argc, char **argv,
				  const unsigned int *tags, bool by_bio,
				  const struct dm_group *other)
{
	struct dm_group *group = calloc(1, sizeof(*group) +
					paths * sizeof(*group->path));

	KERNEL_ASSERT(group);
	first_group();
	group->ps.type = selector_type;
	if (selector_type->create(&group->ps, argc, argv)) {
		free(group);
		return NULL;
	}
	group->by_bio = by_bio;
	group_link(group);
	for (group->nr = 0; group->nr < paths; group->nr++) {
		struct dm_group_path *p = &group->path[group->nr];

		path_init(p, tags ? tags[group->nr] : 0, other ? &other->path[group->nr] : NULL);
		if (group_add_path(group, p)) {
			group_free(group);
			return NULL;
		}
	}
	return group;
}

struct dm_group *dm_group_create_on(unsigned int paths, unsigned int argc, char **argv,
				    const unsigned int *tags, bool by_bio)
{
	struct kernel_context was = kernel_enter_task(&multipathd, 0);
	struct dm_group *group = group_new(paths, argc, argv, tags, by_bio, NULL);

	kernel_leave(was);
	return group;
}

struct dm_group *dm_group_create(unsigned int paths, unsigned int argc, char **argv)
{
	return dm_group_create_on(paths, argc, argv, NULL, false);
}

struct dm_group *dm_group_create_beside(const struct dm_group *other, unsigned int paths)
{
	struct kernel_context was = kernel_enter_task(&multipathd, 0);
	struct dm_group *group;

	KERNEL_ASSERT(paths <= other->nr);
	group = group_new(paths, 0, NULL, NULL, other->by_bio, other);
	kernel_leave(was);
	return group;
}

void dm_group_destroy(struct dm_group *group)
{
	struct kernel_context was = kernel_enter_task(&multipathd, 0);

	group_free(group);
	kernel_leave(was);
}

void dm_unload_module(void)
{
	struct kernel_context was = kernel_enter_task(&multipathd, 0);

	if (selector_type)
		kernel_module_exit();
	KERNEL_ASSERT(!selector_type);
	kernel_leave(was);
}

struct path_selector *dm_group_selector(struct dm_group *group)
{
	return &group->ps;
}

/* The block layer maps I/O as an RCU reader: no sleeping, though in a task. */
int dm_group_select(struct dm_group *group, size_t bytes)
{
	struct dm_path *path;

	rcu_read_lock();
	path = selector_type->select_path(&group->ps, bytes);
	rcu_read_unlock();
	return path ? container_of(path, struct dm_group_path, path) - group->path : -1;
}

void dm_group_start(struct dm_group *group, int path, size_t bytes)
{
	rcu_read_lock();
	selector_type->start_io(&group->ps, &group->path[path].path, bytes);
	rcu_read_unlock();
}

void dm_group_end(struct dm_group *group, int path, size_t bytes, uint64_t start_ns)
{
	struct dm_group_path *p = &group->path[path];

	rcu_read_lock();
	/* Requests are stamped where somebody asked for it. */
	selector_type->end_io(&group->ps, &p->path, bytes, p->queue.stamps ? start_ns : 0);
	rcu_read_unlock();
}

/* This and what follows is done under dm-mpath's lock. */
void dm_group_fail(struct dm_group *group, int path)
{
	unsigned long flags;

	local_irq_save(flags);
	selector_type->fail_path(&group->ps, &group->path[path].path);
	local_irq_restore(flags);
}

void dm_group_reinstate(struct dm_group *group, int path)
{
	unsigned long flags;

	local_irq_save(flags);
	selector_type->reinstate_path(&group->ps, &group->path[path].path);
	local_irq_restore(flags);
}

void dm_group_status(struct dm_group *group, int path, char *text, unsigned int size)
{
	unsigned long flags;

	text[0] = '\0';
	local_irq_save(flags);
	selector_type->status(&group->ps, path < 0 ? NULL : &group->path[path].path,
			      STATUSTYPE_INFO, text, size);
	local_irq_restore(flags);
}

void dm_group_trace(struct dm_group *group, FILE *out)
{
	unsigned int i;

	for (i = 0; i < group->nr; i++)
		trace_path(out, &group->path[i].path, i);
}
