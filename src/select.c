// SPDX-License-Identifier: GPL-2.0
/*
 * The choice of a path: least cost, from what the window published and the work
 * that is in flight right now.
 */
#include <linux/percpu.h>
#include <linux/topology.h>

#include "lw.h"
#include "trace.h"

/*
 * At which member to start: after the one that this CPU chose last, so that equal
 * costs go round, whoever stands between them in the table.
 */
static unsigned int lw_turn(struct lw_selector *sel)
{
	unsigned int turn = this_cpu_read(sel->cpu->turn);

	return turn < sel->nr ? turn : 0;
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
	if (!xchg(&m->probe, 0))
		return false;
	this_cpu_inc(m->path->counts->event[LW_EVENT_PROBE]);
	return true;
}

/* A member as it is right now: what may be done with it, and what it costs. */
static enum lw_use lw_look(struct lw_selector *sel, unsigned int i,
			   unsigned int c, const u32 *ticks, struct lw_price *price,
			   u32 *inflight)
{
	struct lw_member *m = &sel->member[i];
	enum lw_use use = READ_ONCE(m->use);
	u64 flight = atomic64_read(&m->path->work);

	*inflight = lw_flight_work(flight);
	price->base = READ_ONCE(ticks[i]);
	price->slope = READ_ONCE(m->slope);
	price->inv_path = READ_ONCE(m->inv_path);
	price->inv_knee = READ_ONCE(sel->inv_knee[c * sel->nr + i]);
	if (use == LW_USE && lw_flight_full(flight, READ_ONCE(m->path->full),
					    READ_ONCE(m->path->tags)))
		return LW_FULL;
	return use;
}

/* On the line of the work in flight. */
static bool lw_hasty(struct lw_selector *sel, unsigned int i)
{
	return READ_ONCE(sel->member[i].path->haste) >= LW_HASTY;
}

/* Is the path of this CPU's run still as good as any? */
static bool lw_run_goes_on(struct lw_selector *sel, unsigned int i,
			   const u32 *ticks, size_t nr_bytes)
{
	u32 inflight, least = LW_TICKS_AVOID;
	struct lw_price price;
	enum lw_use use = lw_look(sel, i, lw_class(nr_bytes), ticks, &price,
				  &inflight);
	unsigned int k;

	for (k = 0; k < sel->nr; k++)
		least = min(least, READ_ONCE(ticks[k]));
	return lw_run_lasts(use, &price, least, inflight, lw_work(nr_bytes));
}

/*
 * Stay with the path of this CPU's run, or begin a run at the best path. A task
 * may move to another CPU on the way; then it has a part in that one's run.
 */
static unsigned int lw_run(struct lw_selector *sel, unsigned int best,
			   const u32 *ticks, size_t nr_bytes)
{
	u64 run = this_cpu_read(sel->cpu->run);
	u32 left = (u32)run, i = run >> 32;

	if (!left || !lw_run_goes_on(sel, i, ticks, nr_bytes)) {
		left = READ_ONCE(sel->config.min_contiguous_kb) << 10;
		i = best;
	}
	left -= min_t(size_t, left, nr_bytes);
	this_cpu_write(sel->cpu->run, (u64)i << 32 | left);
	return i;
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
	struct lw_choice best = LW_CHOICE_NONE, hasty = LW_CHOICE_NONE;
	struct lw_price price;
	unsigned int i, n;
	int first = -1;

	price.inv_most = READ_ONCE(sel->inv_most);
	price.spill = READ_ONCE(sel->config.spill) * LW_ONE;

	for (n = 0, i = lw_turn(sel); n < sel->nr; n++, i++) {
		enum lw_use use;
		u32 inflight;

		if (i == sel->nr)
			i = 0;
		use = lw_look(sel, i, c, ticks, &price, &inflight);
		if (use == LW_FAILED)
			continue;
		if (lw_take_probe(&sel->member[i], c, nr_bytes)) {
			if (trace_lw_choose_enabled())
				lw_trace_probe(sel, i, nr_bytes);
			return sel->member[i].dm_path;
		}
		if (use == LW_USE && first < 0)
			first = i;
		if (use == LW_FULL)
			this_cpu_inc(sel->member[i].path->counts->event[LW_EVENT_BUSY]);
		lw_consider(use == LW_USE && lw_hasty(sel, i) ? &hasty : &best, i,
			    use, &price, inflight, work);
	}
	best = lw_settle(best, hasty, first);
	if (best.index < 0)
		return NULL;
	i = best.index;
	if (READ_ONCE(sel->config.min_contiguous_kb) && nr_bytes)
		i = lw_run(sel, i, ticks, nr_bytes);
	if (trace_lw_choose_enabled())
		lw_trace_settled(sel, &best, i, nr_bytes);
	this_cpu_write(sel->cpu->turn, i + 1);
	return sel->member[i].dm_path;
}
