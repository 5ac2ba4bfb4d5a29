// SPDX-License-Identifier: GPL-2.0
/*
 * Reports of slow and recovered paths in the kernel log and by uevent, described in
 * docs/ABI/testing/uevent-dm-latency-weighted. The uevent is the module's: to one of the map's
 * disk, udev and LVM would respond by reading from the map, which may hang.
 */
#include <linux/dm-ioctl.h>
#include <linux/kobject.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "admin/map.h"
#include "admin/notice.h"

/*
 * Most reports of a map in a minute, and of all maps in ten seconds; later ones wait. A thousand
 * maps behind one port would else make thousands of lines and uevents at once.
 */
#define LW_NOTICES		10
#define LW_NOTICES_NS		(60 * NSEC_PER_SEC)
#define LW_NOTICES_OF_ALL	100
#define LW_NOTICES_OF_ALL_NS	(10 * NSEC_PER_SEC)

/* A report, as a copy, so that listeners block no table. */
struct lw_notice {
	struct work_struct work;	/* sends it */
	enum lw_change change;		/* slow, or recovered */
	char map[DISK_NAME_LEN];	/* the map's disk, "dm-0" */
	char name[DM_NAME_LEN];		/* the map's name */
	char path[BDEVNAME_SIZE];	/* the path's block device */
	u64 was_us;			/* latency before */
	u64 is_us;			/* latency now */
	u64 since_ms;			/* wall-clock time of the change */
	u64 for_ms;			/* time since the change */
};

/*
 * Ordered. Not the window's queue, as uevents may wait for memory, thus for I/O that needs the
 * window.
 */
static struct workqueue_struct *lw_notices;

static DEFINE_SPINLOCK(lw_notices_lock);	/* protects all limits */
static struct lw_report_limit lw_notices_of_all;

#define LW_NOTICE_TEXT	"%s (%s): path %s %s %llu.%03llu s ago: was %llu us, is %llu us"
#define LW_NOTICE_WORDS(n, what)						\
	(n)->map, (n)->name, (n)->path, what, (n)->for_ms / MSEC_PER_SEC,	\
	(n)->for_ms % MSEC_PER_SEC, (n)->was_us, (n)->is_us

static void lw_notice_log(const struct lw_notice *n)
{
	if (n->change == LW_CHANGE_SLOW)
		DMWARN(LW_NOTICE_TEXT, LW_NOTICE_WORDS(n, "became slow"));
	else
		DMINFO(LW_NOTICE_TEXT, LW_NOTICE_WORDS(n, "recovered"));
}

/* Variables of a uevent. Names of disks and maps are short enough for text. */
struct lw_variables {
	char *word[8];		/* each name=value, NULL after the last */
	unsigned int nr;	/* number of variables */
	char text[512];		/* all of them, each with its NUL */
	size_t used;		/* bytes of text */
};

static __printf(2, 3) void lw_variable(struct lw_variables *v, const char *format, ...)
{
	va_list args;

	v->word[v->nr++] = v->text + v->used;
	va_start(args, format);
	v->used += vscnprintf(v->text + v->used, sizeof(v->text) - v->used, format, args) + 1;
	va_end(args);
}

static void lw_notice_uevent(const struct lw_notice *n)
{
	struct lw_variables *v = kzalloc(sizeof(*v), GFP_KERNEL);

	if (!v)
		return;
	lw_variable(v, "DM_LW_EVENT=%s", n->change == LW_CHANGE_SLOW ? "slow" : "recovered");
	lw_variable(v, "DM_LW_MAP=%s", n->map);
	lw_variable(v, "DM_LW_NAME=%s", n->name);
	lw_variable(v, "DM_LW_PATH=%s", n->path);
	lw_variable(v, "DM_LW_WAS_US=%llu", n->was_us);
	lw_variable(v, "DM_LW_IS_US=%llu", n->is_us);
	lw_variable(v, "DM_LW_SINCE=%llu.%03llu", n->since_ms / MSEC_PER_SEC,
		    n->since_ms % MSEC_PER_SEC);
	kobject_uevent_env(&THIS_MODULE->mkobj.kobj, KOBJ_CHANGE, v->word);
	kfree(v);
}

/* On lw_notices; may sleep. */
static void lw_notice_work(struct work_struct *work)
{
	struct lw_notice *n = container_of(work, struct lw_notice, work);

	lw_notice_log(n);
	lw_notice_uevent(n);
	kfree(n);
}

static void lw_notice_names(struct lw_notice *n, const struct lw_map_path *at)
{
	struct mapped_device *md = at->map->md;

	strscpy(n->map, at->map->label, sizeof(n->map));
	strscpy(n->path, at->label, sizeof(n->path));
	if (!md || dm_copy_name_and_uuid(md, n->name, NULL))
		strscpy(n->name, "unknown", sizeof(n->name));
}

/* A refused report counts for neither limit. */
static bool lw_notice_allowed(struct lw_map *map, u64 now_ns)
{
	bool allowed;

	spin_lock(&lw_notices_lock);
	allowed = lw_report_room(&map->notices, LW_NOTICES, LW_NOTICES_NS, now_ns) &&
		  lw_report_room(&lw_notices_of_all, LW_NOTICES_OF_ALL, LW_NOTICES_OF_ALL_NS,
				 now_ns);
	map->notices.made += allowed;
	lw_notices_of_all.made += allowed;
	spin_unlock(&lw_notices_lock);
	return allowed;
}

/**
 * lw_notice_send() - report that a path became slow, or recovered
 * @m: the path; its selector is in use
 * @r: state of the report, before it counts as reported
 * @change: which of the two
 * @now_ns: time
 * Context: process; does not wait for memory.
 * Return: false if a limit is reached, or without memory.
 */
bool lw_notice_send(const struct lw_path_info *m, const struct lw_report *r,
		    enum lw_change change, u64 now_ns)
{
	u64 for_ns = lw_verdict_for(&r->told, now_ns);
	struct lw_notice *n;

	if (!lw_notice_allowed(m->map_path->map, now_ns))
		return false;
	n = kzalloc(sizeof(*n), GFP_NOWAIT | __GFP_NOWARN);
	if (!n)
		return false;
	INIT_WORK(&n->work, lw_notice_work);
	n->change = change;
	n->was_us = lw_report_was(r) / NSEC_PER_USEC;
	n->is_us = r->is_ns / NSEC_PER_USEC;
	n->since_ms = (ktime_get_real_ns() - for_ns) / NSEC_PER_MSEC;
	n->for_ms = for_ns / NSEC_PER_MSEC;
	lw_notice_names(n, m->map_path);
	queue_work(lw_notices, &n->work);
	return true;
}

int __init lw_notice_init(void)
{
	lw_notices = alloc_ordered_workqueue("dm_lw_notices", 0);
	return lw_notices ? 0 : -ENOMEM;
}

/* Sends queued reports. */
void lw_notice_exit(void)
{
	destroy_workqueue(lw_notices);
}
