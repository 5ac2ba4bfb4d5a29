// SPDX-License-Identifier: GPL-2.0
/*
 * latency-weighted: a dm-multipath path selector that goes by latency
 *
 *	start:	count time and size, per CPU			io.c
 *	end:	count time and latency, per CPU			io.c
 *	window:	every window_ms, or 100 ms with little I/O:
 *		estimate base and knee of each path, publish	window.c, steps.c, publish.c
 *	select:	least cost(base, knee, load in flight)		select.c
 *
 * docs/how-it-works.md explains the model, docs/design.md the reasons; lw.h shows how the structs
 * relate, and the lock order. Counts are per CPU, latencies per NUMA node, estimates per device;
 * each priority group of each table has its own selector with its arguments and published
 * latencies.
 *
 * "dmsetup status" shows five words for each path. The fourth is its state:
 *
 *	0 new -----------------> 1 active <------> 2 probing
 *	          measured          |    slow or stalled |
 *	                            |<-------------------+
 *	                       fail |
 *	                            v      reinstate
 *	                        4 failed ------------> 3 ramping -----> 1, 2
 *	                            ^        fail        |      measured
 *	                            +--------------------+
 *
 * The others are the weight (the share of traffic, of 128, that the latencies imply), the latency
 * in us, the I/Os in flight, and the source of the latency (0 none yet, 1 time stamps, 2 Little's
 * law):
 *
 *	... A 0 2 5 8:0 A 0 126 5007 31 1 1 8:16 A 0 2 35008 0 2 1
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "admin/admin.h"
#include "args.h"
#include "eligibility.h"
#include "io.h"
#include "policy/policy.h"
#include "status.h"
#include "window.h"

#if BITS_PER_LONG != 64
#error "dm-latency-weighted needs a 64-bit kernel: it reads 64-bit counts of other CPUs"
#endif

static void lw_free(struct lw_selector *sel)
{
	kvfree(sel->scratch);
	kvfree(sel->ticks);
	kvfree(sel->member);
	free_percpu(sel->cpu);
	lw_args_free(sel);
	kfree(sel);
}

/* Called at table load; process context, may sleep. */
static int lw_create(struct path_selector *ps, unsigned int argc, char **argv)
{
	struct lw_selector *sel = kzalloc(sizeof(*sel), GFP_KERNEL);
	int err = -ENOMEM;

	if (!sel)
		return err;
	mutex_init(&sel->publishing);
	lw_window_prepare(sel);
	sel->cpu = alloc_percpu(struct lw_cpu);
	if (sel->cpu)
		err = lw_args_parse(sel, argc, argv);
	if (err) {
		lw_free(sel);
		return err;
	}
	ps->context = sel;
	return 0;
}

/* Called when a table is freed, after its last I/O; process context, may sleep. */
static void lw_destroy(struct path_selector *ps)
{
	struct lw_selector *sel = ps->context;
	unsigned int i;

	lw_map_leave(sel);
	cancel_delayed_work_sync(&sel->timer.work);
	lw_map_put_selector(sel);
	lw_measure_end(sel);
	for (i = 0; i < sel->nr; i++)
		lw_device_put(sel->member[i].path);
	lw_free(sel);
	ps->context = NULL;
}

/*
 * Make room for one more member. The layout of published latencies depends on the number of
 * members, so reallocate those too; lw_publish() fills them.
 */
static int lw_grow(struct lw_selector *sel)
{
	size_t rows = nr_node_ids * LW_OPS, n = sel->nr + 1;
	struct lw_path_info *member = kvcalloc(n, sizeof(*member), GFP_KERNEL);
	u32 *ticks = kvcalloc(rows * n, sizeof(*ticks), GFP_KERNEL);
	u32 *next = kvcalloc(rows * n, sizeof(*next), GFP_KERNEL);

	if (!member || !ticks || !next) {
		kvfree(member);
		kvfree(ticks);
		kvfree(next);
		return -ENOMEM;
	}
	if (sel->nr)
		memcpy(member, sel->member, sel->nr * sizeof(*member));
	kvfree(sel->member);
	kvfree(sel->ticks);
	kvfree(sel->scratch);
	sel->member = member;
	sel->ticks = ticks;
	sel->scratch = next;
	return 0;
}

/* lw_grow() moved the members, so update dm's pointers to them. No I/O uses them yet. */
static void lw_hand_out(struct lw_selector *sel)
{
	unsigned int i;

	for (i = 0; i < sel->nr; i++)
		sel->member[i].dm_path->pscontext = &sel->member[i];
}

/*
 * A new table starts with all paths usable, until multipathd fails the broken ones again. Only
 * probe a path that the old table had failed.
 */
static void lw_doubt_failed(struct lw_device *path)
{
	spin_lock_irq(&path->use_lock);
	if (path->fails.failed)
		lw_device_begin_anew(path, ktime_get_ns());
	spin_unlock_irq(&path->use_lock);
}

static int lw_append(struct lw_selector *sel, struct lw_path_info *m)
{
	/* A table load needs the map's lock, and I/O may be queued until that load is done. */
	unsigned int noio = memalloc_noio_save();
	int err;

	lw_map_lock(sel);
	err = lw_grow(sel);
	if (!err) {
		lw_map_inherit(m);
		m->preferred |= lw_args_prefer(sel, m->path->known.bdev_nr);
		sel->member[sel->nr++] = *m;
		lw_hand_out(sel);
	}
	lw_map_unlock(sel);
	memalloc_noio_restore(noio);
	return err;
}

/* Called at table load, before the first I/O; process context, may sleep. */
static int lw_add_path(struct path_selector *ps, struct dm_path *dm_path,
		       int argc, char **argv, char **error)
{
	struct lw_selector *sel = ps->context;
	struct lw_path_info m = { .dm_path = dm_path, .use = LW_AVOID, .compared.gain = LW_ONE };
	int err = lw_path_args_parse(argc, argv, error);

	if (err)
		return err;
	m.path = lw_device_get(dm_path->dev->bdev);
	if (!m.path || lw_map_join(sel, &m, error) || lw_append(sel, &m)) {
		lw_map_drop(&m);
		if (m.path)
			lw_device_put(m.path);
		*error = "latency-weighted ps: out of memory";
		return -ENOMEM;
	}
	lw_doubt_failed(m.path);
	lw_measure(sel);
	lw_publish(sel, true);
	lw_map_announce(lw_member_of(dm_path));
	return 0;
}

static struct path_selector_type lw_ps = {
	.name		= "latency-weighted",
	.module		= THIS_MODULE,
	LW_PS_FEATURES(DM_PS_USE_HR_TIMER)
	.table_args	= 1,
	.info_args	= LW_INFO_ARGS,
	.create		= lw_create,
	.destroy	= lw_destroy,
	.add_path	= lw_add_path,
	.select_path	= lw_select_path,
	.fail_path	= lw_fail_path,
	.reinstate_path	= lw_reinstate_path,
	.status		= lw_status,
	.start_io	= lw_start_io,
	.end_io		= lw_end_io,
};

/* Called by modprobe or at boot; process context, may sleep. */
static int __init lw_init(void)
{
	int err = lw_window_init();

	if (err)
		return err;
	err = lw_notice_init();
	if (err)
		goto no_notices;
	err = lw_operation_init();
	if (err)
		goto no_operations;
	err = lw_sysfs_init();
	if (err)
		goto no_sysfs;
	lw_debugfs_init();
	err = dm_register_path_selector(&lw_ps);
	if (err)
		goto no_selector;
	DMINFO("version " LW_VERSION " loaded");
	return 0;

no_selector:
	DMERR("register failed %d", err);
	lw_debugfs_exit();
	lw_sysfs_exit();
no_sysfs:
	lw_operation_exit();
no_operations:
	lw_notice_exit();
no_notices:
	lw_window_exit();
	return err;
}

/* Called by rmmod when no table uses the selector; process context, may sleep. */
static void __exit lw_exit(void)
{
	dm_unregister_path_selector(&lw_ps);
	lw_debugfs_exit();
	lw_sysfs_exit();
	lw_window_exit();
	lw_policy_exit();
	lw_operation_exit();
	lw_notice_exit();
}

module_init(lw_init);
module_exit(lw_exit);

MODULE_DESCRIPTION(DM_NAME " path selector by latency");
MODULE_AUTHOR("The dm-latency-weighted developers");
MODULE_VERSION(LW_VERSION);
MODULE_LICENSE("GPL");
