// SPDX-License-Identifier: GPL-2.0
/* dm-multipath and the block layer, as much of them as a selector meets. */
#include "dm.h"

#include <linux/device-mapper.h>
#include <linux/irqflags.h>
#include <linux/rcupdate.h>
#include <stdlib.h>

#include "blk-stat.h"
#include "dm-path-selector.h"
#include "dm_types.h"
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

static struct dm_group *groups;
static unsigned int nr_groups;
static dev_t next_device = 1;

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

/*
 * A path to a device of its own, or to the one that another group has. The kernel's own selectors
 * do not ask for time stamps: somebody else has, as Debian's kernels do.
 */
static void path_init(struct dm_group_path *p, const struct dm_table *t, unsigned int i)
{
	const struct dm_group_path *other = t->beside ? &t->beside->path[i] : NULL;
	unsigned int tags = t->tags ? t->tags[i] : 0;

	p->queue.mq_ops = p;
	p->queue.stamps = t->type;
	p->queue.rq_qos = t->type;
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

/* multipathd gives each path a repeat count; @word is another argument. */
static int group_add_path(struct dm_group *group, struct dm_group_path *p, char *word)
{
	char repeat_count[] = "1", *argv[] = { word ? word : repeat_count }, *error = "refused";
	int err = group->ps.type->add_path(&group->ps, &p->path, 1, argv, &error);

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

	group->ps.type->destroy(&group->ps);
	group_unlink(group);
	for (i = 0; i < group->nr; i++)
		KERNEL_ASSERT(group->path[i].queue.stamps == !!group->path[i].queue.rq_qos);
	free(group);
}

/* A first group finds a machine that has just come up; NULL: the module's, loaded if need be. */
static struct path_selector_type *group_type(const char *name)
{
	if (!nr_groups)
		kernel_boot();
	if (!name && !dm_type(MODULE_TYPE))
		KERNEL_ASSERT(!kernel_module_init());
	kernel_log_clear();
	return dm_type(name ? name : MODULE_TYPE);
}

static struct dm_group *group_new(const struct dm_table *t)
{
	struct dm_group *group = calloc(1, sizeof(*group) + t->paths * sizeof(*group->path));

	KERNEL_ASSERT(group);
	group->ps.type = group_type(t->type);
	KERNEL_ASSERT(group->ps.type);
	if (group->ps.type->create(&group->ps, t->argc, t->argv)) {
		free(group);
		return NULL;
	}
	group->by_bio = t->by_bio;
	group_link(group);
	for (group->nr = 0; group->nr < t->paths; group->nr++) {
		struct dm_group_path *p = &group->path[group->nr];

		path_init(p, t, group->nr);
		if (group_add_path(group, p, t->words ? t->words[group->nr] : NULL)) {
			group_free(group);
			return NULL;
		}
	}
	return group;
}

struct dm_group *dm_group_load(const struct dm_table *table)
{
	struct kernel_context was = kernel_enter_task(&multipathd, 0);
	struct dm_group *group = group_new(table);

	kernel_leave(was);
	return group;
}

struct dm_group *dm_group_create_on(unsigned int paths, unsigned int argc, char **argv,
				    const unsigned int *tags, bool by_bio)
{
	return dm_group_load(&(struct dm_table){ .paths = paths, .argc = argc, .argv = argv, .tags = tags,
						 .by_bio = by_bio });
}

struct dm_group *dm_group_create(unsigned int paths, unsigned int argc, char **argv)
{
	return dm_group_create_on(paths, argc, argv, NULL, false);
}

struct dm_group *dm_group_create_beside(const struct dm_group *other, unsigned int paths)
{
	KERNEL_ASSERT(paths <= other->nr);
	return dm_group_load(&(struct dm_table){ .paths = paths, .by_bio = other->by_bio, .beside = other });
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

	KERNEL_ASSERT(!nr_groups);
	if (dm_type(MODULE_TYPE))
		kernel_module_exit();
	KERNEL_ASSERT(!dm_type(MODULE_TYPE));
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
	path = group->ps.type->select_path(&group->ps, bytes);
	rcu_read_unlock();
	return path ? container_of(path, struct dm_group_path, path) - group->path : -1;
}

void dm_group_start(struct dm_group *group, int path, size_t bytes)
{
	if (!group->ps.type->start_io)
		return;
	rcu_read_lock();
	group->ps.type->start_io(&group->ps, &group->path[path].path, bytes);
	rcu_read_unlock();
}

void dm_group_end(struct dm_group *group, int path, size_t bytes, uint64_t start_ns)
{
	struct dm_group_path *p = &group->path[path];

	if (!group->ps.type->end_io)
		return;
	rcu_read_lock();
	/* Requests are stamped where somebody asked for it. */
	group->ps.type->end_io(&group->ps, &p->path, bytes, p->queue.stamps ? start_ns : 0);
	rcu_read_unlock();
}

/* This and what follows is done under dm-mpath's lock. */
void dm_group_fail(struct dm_group *group, int path)
{
	unsigned long flags;

	local_irq_save(flags);
	group->ps.type->fail_path(&group->ps, &group->path[path].path);
	local_irq_restore(flags);
}

void dm_group_reinstate(struct dm_group *group, int path)
{
	unsigned long flags;

	local_irq_save(flags);
	group->ps.type->reinstate_path(&group->ps, &group->path[path].path);
	local_irq_restore(flags);
}

void dm_group_status(struct dm_group *group, int path, char *text, unsigned int size)
{
	unsigned long flags;

	text[0] = '\0';
	local_irq_save(flags);
	group->ps.type->status(&group->ps, path < 0 ? NULL : &group->path[path].path,
			      STATUSTYPE_INFO, text, size);
	local_irq_restore(flags);
}

void dm_group_trace(struct dm_group *group, FILE *out)
{
	unsigned int i;

	for (i = 0; i < group->nr; i++)
		trace_path(out, &group->path[i].path, i);
}
