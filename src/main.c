// SPDX-License-Identifier: GPL-2.0
/*
 * latency-weighted: a path selector for dm-multipath (essay to come)
 */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/slab.h>

#include "lw.h"

#if BITS_PER_LONG != 64
#error "dm-latency-weighted needs a 64-bit kernel: it reads 64-bit counts of other CPUs"
#endif

static void lw_free(struct lw_selector *sel)
{
	kvfree(sel->next);
	kvfree(sel->ticks);
	kvfree(sel->member);
	free_percpu(sel->turn);
	lw_args_free(sel);
	kfree(sel);
}

/* Table load: process context, may sleep. */
static int lw_create(struct path_selector *ps, unsigned int argc, char **argv)
{
	struct lw_selector *sel = kzalloc(sizeof(*sel), GFP_KERNEL);
	int err = -ENOMEM;

	if (!sel)
		return err;
	lw_window_start(sel);
	sel->turn = alloc_percpu(unsigned int);
	if (sel->turn)
		err = lw_args_parse(sel, argc, argv);
	if (err) {
		lw_free(sel);
		return err;
	}
	ps->context = sel;
	return 0;
}

/* Table free, after the last I/O: process context, may sleep. */
static void lw_destroy(struct path_selector *ps)
{
	struct lw_selector *sel = ps->context;
	unsigned int i;

	lw_window_stop(sel);
	for (i = 0; i < sel->nr; i++) {
		struct lw_member *m = &sel->member[i];

		if (m->accounting)
			lw_path_account(m->path, m->dm_path->dev->bdev, false);
		lw_path_put(m->path);
	}
	lw_free(sel);
	ps->context = NULL;
}

/*
 * Room for one more member. The published latencies are laid out by the number
 * of members, so they are made anew; lw_window_publish() fills them.
 */
static int lw_grow(struct lw_selector *sel)
{
	size_t rows = (size_t)nr_node_ids * LW_CLASSES, n = sel->nr + 1;
	struct lw_member *member = kvcalloc(n, sizeof(*member), GFP_KERNEL);
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
	kvfree(sel->next);
	sel->member = member;
	sel->ticks = ticks;
	sel->next = next;
	return 0;
}

/* Table load, before the first I/O: process context, may sleep. */
static int lw_add_path(struct path_selector *ps, struct dm_path *dm_path,
		       int argc, char **argv, char **error)
{
	struct lw_selector *sel = ps->context;
	struct lw_member m = { .dm_path = dm_path, .use = LW_AVOID };
	int err = lw_path_args_parse(&m, argc, argv, error);

	if (err)
		return err;
	m.path = lw_path_get(dm_path->dev->bdev);
	if (!m.path || lw_grow(sel)) {
		if (m.path)
			lw_path_put(m.path);
		*error = "latency-weighted ps: out of memory";
		return -ENOMEM;
	}
	if (sel->config.accounting) {
		m.accounting = true;
		lw_path_account(m.path, dm_path->dev->bdev, true);
	}
	sel->member[sel->nr] = m;
	dm_path->pscontext = (void *)(unsigned long)sel->nr++;
	lw_window_publish(sel, ktime_get_ns());
	return 0;
}

/*
 * dm-mpath gave up the path: under its lock, interrupts off, no sleeping. The
 * failed I/O's end_io() comes afterwards.
 */
static void lw_fail_path(struct path_selector *ps, struct dm_path *dm_path)
{
	WRITE_ONCE(lw_member(ps->context, dm_path)->use, LW_FAILED);
}

/*
 * The path works again, says user space: same context. It gets probes until one
 * is done; what was started before now is not believed.
 */
static int lw_reinstate_path(struct path_selector *ps, struct dm_path *dm_path)
{
	struct lw_member *m = lw_member(ps->context, dm_path);

	WRITE_ONCE(m->path->believe_after_ns, ktime_get_ns());
	WRITE_ONCE(m->restart, 1);
	/* The window must not see LW_AVOID without the restart. */
	smp_store_release(&m->use, LW_AVOID);
	return 0;
}

static struct path_selector_type lw_ps = {
	.name		= "latency-weighted",
	.module		= THIS_MODULE,
#ifdef LW_PS_HAS_FEATURES
	.features	= DM_PS_USE_HR_TIMER,
#endif
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

static int __init lw_init(void)
{
	int err = lw_window_init();

	if (err)
		return err;
	err = dm_register_path_selector(&lw_ps);
	if (err) {
		DMERR("register failed %d", err);
		lw_window_exit();
		return err;
	}
	DMINFO("version " LW_VERSION " loaded");
	return 0;
}

static void __exit lw_exit(void)
{
	dm_unregister_path_selector(&lw_ps);
	lw_window_exit();
}

module_init(lw_init);
module_exit(lw_exit);

MODULE_DESCRIPTION(DM_NAME " path selector by latency");
MODULE_AUTHOR("The dm-latency-weighted developers");
MODULE_VERSION(LW_VERSION);
MODULE_LICENSE("GPL");
