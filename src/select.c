// SPDX-License-Identifier: GPL-2.0
/*
 * The choice of a path: least cost, from what the window published and the work
 * that is in flight right now.
 */
#include <linux/percpu.h>
#include <linux/topology.h>

#include "lw.h"

/*
 * At which member to start, so that equal costs go round. A CPU may be left
 * between the two operations; then another one's turn is skipped.
 */
static unsigned int lw_turn(struct lw_selector *sel)
{
	unsigned int turn = this_cpu_inc_return(*sel->turn);

	if (turn < sel->nr)
		return turn;
	this_cpu_write(*sel->turn, 0);
	return 0;
}

/*
 * Take the probe that the window wants. One CPU gets it, for all classes: a path
 * that hangs holds one probe, not one of each.
 */
static bool lw_take_probe(struct lw_member *m, unsigned int c, size_t nr_bytes)
{
	/* ioctl passthrough selects a path with 0 bytes and starts no I/O. */
	if (!nr_bytes || !(READ_ONCE(m->probe) & BIT(c)))
		return false;
	return xchg(&m->probe, 0);
}

/**
 * lw_select_path() - choose the path of an I/O
 * @ps: the selector
 * @nr_bytes: length of the I/O; 0 for flushes and ioctls
 *
 * Called by dm-mpath for each I/O, on many CPUs at once. A path chosen need
 * not be used: if its queue is full, dm-mpath comes back later.
 *
 * Context: any but NMI; no lock of dm-mpath held; must not sleep.
 * Return: the path, or NULL if all are failed.
 */
struct dm_path *lw_select_path(struct path_selector *ps, size_t nr_bytes)
{
	struct lw_selector *sel = ps->context;
	unsigned int c = lw_class(nr_bytes), work = lw_work(nr_bytes);
	const u32 *ticks = sel->ticks + lw_row(sel, numa_node_id(), c);
	struct lw_choice best = LW_CHOICE_NONE;
	struct lw_price price;
	unsigned int i, n;

	price.inv_most = READ_ONCE(sel->inv_most);

	for (n = 0, i = lw_turn(sel); n < sel->nr; n++, i++) {
		struct lw_member *m;
		u32 inflight;
		int use;

		if (i == sel->nr)
			i = 0;
		m = &sel->member[i];
		use = READ_ONCE(m->use);
		if (use == LW_FAILED)
			continue;
		if (lw_take_probe(m, c, nr_bytes))
			return m->dm_path;
		inflight = atomic_read(&m->path->work);
		if (use == LW_USE && inflight >= READ_ONCE(m->path->full))
			use = LW_FULL;
		price.base = READ_ONCE(ticks[i]);
		price.slope = READ_ONCE(m->slope);
		price.inv_knee = READ_ONCE(m->inv_knee);
		lw_consider(&best, i, use, &price, inflight, work);
	}
	return best.index < 0 ? NULL : sel->member[best.index].dm_path;
}
