// SPDX-License-Identifier: GPL-2.0
/*
 * latency-weighted: a dm-multipath path selector that goes by latency
 *
 * PROBLEM
 *
 * The kernel's selectors count: turns, I/Os in flight, bytes in flight. None of
 * them knows that an I/O takes 1 ms on this path and 31 ms on that one, so a slow
 * path keeps getting I/Os as long as it has few of them, and each of those
 * makes somebody wait. This selector measures latency, and sends an I/O where
 * it is expected to be done soonest, as long as that does not cost throughput.
 *
 *	start:	note time and size, per CPU
 *	end:	note time and latency, per CPU
 *	window:	every 20 ms: base latency and knee of each path; publish them
 *	select:	least cost(base, knee, load in flight now)
 *
 * MODEL
 *
 * A path is a pipe: it has a latency of its own, and it carries so much and no
 * more. Up to its bandwidth-delay product it takes more load without becoming
 * slower; beyond, all that is added is queue. Per path:
 *
 *	L	latency: what I/Os take now, queues included
 *	base	latency that the path's own load does not explain
 *	n	load in flight, exact at any time, counted in I/Os
 *	knee	the n at which the path starts to queue
 *
 * Little's law, n = throughput * L, gives the knee from what is measured anyway:
 * without a queue all I/O would take the base, and the same throughput would need
 *
 *	knee	= 1.125 throughput * base	where L is well above the base
 *	knee grows				where the latency is flat
 *
 * in flight. An I/O that adds the load u costs, with x = (n + u) / knee,
 *
 *	latency	= base + slope * max(0, x - 1)
 *	cost	= latency * (1 + min(x^8, 20)) + max(base, slope) * n / most
 *
 * where slope is the time in which a knee's worth of load is served and most the
 * largest knee of all paths; the last term is for paths that are alike. Bases within 12
 * per cent of the least are taken for equal to it. Three regimes follow.
 * Below the knee latency decides: the fastest path takes all. About the knee the
 * steep x^8 lets load spill over to the next path, which is where the sum of the
 * throughputs is greatest. When all paths are overloaded the factor is the same
 * for all, and the predicted latency decides again.
 *
 * Example: paths of 5 ms and 35 ms, 4k reads at depth 32, no limit of throughput.
 * At first both knees are 2 I/Os. The fast path stays at 5 ms with more in
 * flight, so its knee grows by half from window to window, 3, 4.5, 7 ... 48. With 31 in
 * flight x is 2/3 for the next one. The cost is 5 * 1.04 + 5 * 31/48 = 8.4, against 35
 * for the empty slow path: all I/O goes to the fast path. If that could do 1000 IOPS and
 * no more, latency would rise to 32 ms, and the knee would come down to 1.125 * 1 * 5 =
 * 5.6 I/Os, of which the slope is 5.6 ms. With six there x = 7 / 5.6 = 1.25 for the
 * seventh, latency 5 + 0.25 * 5.6 = 6.4 and the cost 6.4 * (1 + 1.25^8) + 5.6 * 6/5.6 =
 * 51. With five it is 20. So the slow path takes what is above six.
 *
 * Size. A line through the latencies of the size classes tells by how much longer an I/O
 * takes for each block of 4 KiB (struct lw_size_latency). Latency and base are kept for the
 * length that is usual on the path, so that a path is no slower for having had large I/Os;
 * the base in the cost is that of the I/O at hand (lw_own_base()). How much less a path does
 * of large I/Os follows: a path that queues is always at work, so what its blocks do not take
 * of a second is taken by I/Os whatever their size (lw_block_cost()). An I/O counts as 1 and
 * the price of its blocks; load, throughput and knee are counted in I/Os of usual length.
 *
 * Noise. Latencies vary, more from window to window where few I/Os end in one, or where a
 * cache answers some of them. The mean deviation is tracked, and so much more is flat.
 *
 * Throughput and load are those of the time in which the path held anything, for a
 * path that waits for its program, or for others, is no slower for that. And if a
 * path at its knee rests while others work, its knee is shown larger: somebody waits
 * for the last of several I/Os, and had it sooner from here (lw_stretch.h).
 *
 * Base and knee must not confirm each other's errors. A base too high makes the
 * queue look like latency, the knee grows, the load follows, and the latency
 * under load confirms the base. One too low makes latency look like queue, at any load.
 * Hence the base begins with the I/O that was started first, and rises only where load
 * cannot be the reason: where there is little (lw_base_step()), where there is too little
 * for so much latency (lw_base_bound()), or where throughput follows the load, as it does
 * on a path that does not queue (struct lw_trend). If the
 * load does not vary by itself it is lowered for a while, rarely and on one path at a
 * time (struct lw_dip).
 *
 * Measuring. Latency is Little's law over start and end (lw_flow_held()): it needs no
 * time stamp, and sees the waiting in the path's own queue, before the driver stamps a
 * request. Time stamps tell two things more: how far the path is from each NUMA node, and
 * whether an I/O was started before or after the path stalled or failed.
 *
 * Not every completion is a sample. A clone that the driver was too busy to
 * take, and I/O that ends on a failed path, give none. A path that completes nothing for
 * longer than it ever takes is stalled, and avoided. As soon as anything completes it is
 * used as before, with the base and knee that it had; but if it stalls again before an
 * I/O that was started since is done, it gets probes only, one at a time. So does a path
 * that was reinstated: nothing that was started earlier counts. A path that fails within
 * 0.3 s of its return rests before its next probe, for twice as long each time, up to 10
 * s; each 10 s without failure take one of these times back. A rest is over at
 * once if there is no other path. A path that is merely slow is probed too,
 * with 1/64 of the I/Os in flight but at least once in 5 s of traffic, so that it is
 * seen when it heals.
 *
 * A path that answers at once with errors that do not fail it looks splendid. So of one
 * that is suddenly four times as fast as it ever was this is not believed for a second,
 * in which it gets probes only (lw_suspect.h).
 *
 * CPUS
 *
 * Counts are per CPU; the shared cache line that an I/O writes is the path's load in
 * flight. Latencies are combined per NUMA node, so that a node near to a path knows it,
 * and a CPU that does little I/O uses what its node knows. A new node starts with what the
 * whole machine knows.
 *
 * Select reads one row of latencies (its node's) and the load in flight of
 * each path that these do not rule out. Estimates are made by the window, which runs per
 * selector while there is traffic. They belong to the device, not to the selector, so
 * that they survive when a table is reloaded. What is published of them is also made
 * anew when a path is added, and when something was set.
 *
 * MONITORING
 *
 * dmsetup status prints five words a path: its weight, that is the share of the
 * traffic (of 128) that the latencies imply; its latency in us; I/Os in flight;
 * its state (0 new, 1 active, 2 probing, 3 ramping, 4 failed); and what measures
 * its latency (0 nothing yet, 1 time stamps, 2 Little's law alone):
 *
 *	... A 0 2 5 8:0 A 0 126 5007 31 1 1 8:16 A 0 2 35008 0 2 1
 *
 * /sys/kernel/dm-latency-weighted has a directory per map and path, with a value a
 * file: latencies, counts, and what can be set. Selectors come and go with tables;
 * what is shown and set there belongs to the map (map.h).
 *
 * docs/design.md tells what else was tried, and with which result.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/sched/mm.h>
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
	free_percpu(sel->cpu);
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

/* Table free, after the last I/O: process context, may sleep. */
static void lw_destroy(struct path_selector *ps)
{
	struct lw_selector *sel = ps->context;
	unsigned int i;

	lw_map_leave(sel);
	cancel_delayed_work_sync(&sel->window);
	lw_map_put_selector(sel);
	for (i = 0; i < sel->nr; i++) {
		struct lw_member *m = &sel->member[i];

		if (m->accounting)
			lw_path_unaccount(m->path, m->dm_path->dev->bdev);
		if (m->histogram)
			lw_path_drop_histogram(m->path);
		lw_path_put(m->path);
	}
	lw_free(sel);
	ps->context = NULL;
}

/*
 * Room for one more member. The published latencies are laid out by the number
 * of members, so they are made anew; lw_publish() fills them.
 */
static int lw_grow(struct lw_selector *sel)
{
	size_t rows = nr_node_ids, n = sel->nr + 1;
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

/* dm's paths lead to the members, which have moved: lw_grow(). No I/O uses them yet. */
static void lw_hand_out(struct lw_selector *sel)
{
	unsigned int i;

	for (i = 0; i < sel->nr; i++)
		sel->member[i].dm_path->pscontext = &sel->member[i];
}

/* The path becomes a member, with what was asked for it. */
static int lw_append(struct lw_selector *sel, struct lw_member *m)
{
	struct block_device *bdev = m->dm_path->dev->bdev;
	/* I/O may be queued until a table is loaded, and that needs the map's lock. */
	unsigned int noio;
	int err;

	/* Before: without I/O, per-CPU memory is what happens to be there. */
	if (READ_ONCE(sel->config.histogram))
		m->histogram = lw_path_add_histogram(m->path);
	noio = memalloc_noio_save();
	lw_map_lock(sel);
	err = lw_grow(sel);
	if (!err) {
		if (sel->config.accounting)
			m->accounting = lw_path_account(m->path, bdev);
		m->preferred |= lw_args_prefer(sel, bdev->bd_dev);
		sel->member[sel->nr++] = *m;
		lw_hand_out(sel);
	}
	lw_map_unlock(sel);
	memalloc_noio_restore(noio);
	if (err && m->histogram)
		lw_path_drop_histogram(m->path);
	return err;
}

/* Table load, before the first I/O: process context, may sleep. */
static int lw_add_path(struct path_selector *ps, struct dm_path *dm_path,
		       int argc, char **argv, char **error)
{
	struct lw_selector *sel = ps->context;
	struct lw_member m = { .dm_path = dm_path, .use = LW_AVOID, .stretch = LW_ONE };
	int err = lw_path_args_parse(&m, argc, argv, error);

	if (err)
		return err;
	m.path = lw_path_get(dm_path->dev->bdev);
	if (!m.path || lw_map_join(sel, &m, error) || lw_append(sel, &m)) {
		if (m.at)
			lw_map_part(&m);
		if (m.path)
			lw_path_put(m.path);
		*error = "latency-weighted ps: out of memory";
		return -ENOMEM;
	}
	lw_publish(sel);
	lw_map_announce(lw_member(dm_path));
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

/* modprobe, or while the kernel boots: process context, may sleep. */
static int __init lw_init(void)
{
	int err = lw_window_init();

	if (err)
		return err;
	err = lw_notice_init();
	if (err)
		goto no_notices;
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
	lw_notice_exit();
no_notices:
	lw_window_exit();
	return err;
}

/* rmmod, when no table uses the selector: process context, may sleep. */
static void __exit lw_exit(void)
{
	dm_unregister_path_selector(&lw_ps);
	lw_debugfs_exit();
	lw_sysfs_exit();
	lw_window_exit();
	lw_notice_exit();
}

module_init(lw_init);
module_exit(lw_exit);

MODULE_DESCRIPTION(DM_NAME " path selector by latency");
MODULE_AUTHOR("The dm-latency-weighted developers");
MODULE_VERSION(LW_VERSION);
MODULE_LICENSE("GPL");
