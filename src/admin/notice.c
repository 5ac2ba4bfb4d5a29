// SPDX-License-Identifier: GPL-2.0
/*
 * Tells the world that a path is slow, or has recovered: a line in the kernel log, and a
 * uevent. docs/ABI/testing/uevent-dm-latency-weighted has both.
 *
 * The uevent is the module's, not the map's disk's: to a change of that, udev and LVM answer
 * by reading from the map, which may just then hang.
 */
#include <linux/dm-ioctl.h>
#include <linux/kobject.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "admin/map.h"
#include "admin/notice.h"

/* So many a map within so long; further ones wait. */
#define LW_NOTICES		10
#define LW_NOTICES_JIFFIES	(60 * HZ)

/**
 * struct lw_notice - what is to be told
 * @work: tells it
 * @change: slow, or recovered
 * @map: the map's disk, "dm-0"
 * @name: the map's name
 * @path: the path's block device
 * @was_us: latency before
 * @is_us: latency now
 * @since_ms: since when it is so, by the wall clock
 * @for_ms: for how long
 *
 * A copy of all of it: the listeners hold up nobody, no table either.
 */
struct lw_notice {
	struct work_struct work;
	enum lw_change change;
	char map[DISK_NAME_LEN];
	char name[DM_NAME_LEN];
	char path[BDEVNAME_SIZE];
	u64 was_us;
	u64 is_us;
	u64 since_ms;
	u64 for_ms;
};

/*
 * One at a time, so in order. Uevents wait for memory, and what they wait for may be I/O that
 * the window has to lead around a path, so this is not the window's.
 */
static struct workqueue_struct *lw_notices;

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

/**
 * struct lw_variables - those of a uevent
 * @word: each as name=value; NULL behind the last one
 * @nr: how many there are
 * @text: all of them, each with its NUL; longer ones than names of disks and maps allow
 *	do not come
 * @used: bytes of it
 */
struct lw_variables {
	char *word[8];
	unsigned int nr;
	char text[512];
	size_t used;
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

/* On the module's workqueue for this; may sleep. */
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

/**
 * lw_notice_send() - tell that a path became slow, or recovered
 * @m: the path; its selector is in use
 * @r: what was found, before it counts as reported
 * @change: which of the two
 * @now_ns: time
 *
 * Context: process, may sleep; holds up nobody: there is no wait for memory.
 * Return: false if it cannot be told now: the map had its share of notices, or there is no
 * memory.
 */
bool lw_notice_send(const struct lw_member *m, const struct lw_report *r,
		    enum lw_change change, u64 now_ns)
{
	u64 for_ns = now_ns - r->since_ns;
	struct lw_notice *n;

	if (!__ratelimit(&m->at->map->notices))
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
	lw_notice_names(n, m->at);
	queue_work(lw_notices, &n->work);
	return true;
}

/**
 * lw_notice_limit() - how many notices a map may make
 * @limit: the map's, out
 */
void lw_notice_limit(struct ratelimit_state *limit)
{
	ratelimit_state_init(limit, LW_NOTICES_JIFFIES, LW_NOTICES);
	/* Nothing is lost, so it need not say what it refused. */
	ratelimit_set_flags(limit, RATELIMIT_MSG_ON_RELEASE);
}

int __init lw_notice_init(void)
{
	lw_notices = alloc_ordered_workqueue("dm_lw_notices", 0);
	return lw_notices ? 0 : -ENOMEM;
}

/* What is queued is told before. */
void lw_notice_exit(void)
{
	destroy_workqueue(lw_notices);
}
