// SPDX-License-Identifier: GPL-2.0
/*
 * The choice of a path: least cost, from what the window published and the work
 * that is in flight right now.
 *
 * What the loop over the paths needs is inlined, so that it stays in registers; what
 * few I/Os need is not.
 */
#include <linux/percpu.h>
#include <linux/topology.h>

#include "select.h"
#include "selector.h"
#include "trace.h"

/**
 * struct lw_ask - the I/O for which a path is asked
 * @blocks: its length
 * @longer_q4: how much longer it is than usual, in blocks, in Q4
 * @ticks: published base latencies of the members, for this node and an I/O of usual length
 * @inv_most: struct lw_price.inv_most
 * @max_penalty: struct lw_price.max_penalty
 */
struct lw_ask {
	u32 blocks;
	s32 longer_q4;
	const u32 *ticks;
	u32 inv_most;
	u32 max_penalty;
};

static __always_inline struct lw_ask lw_ask(const struct lw_selector *sel, size_t nr_bytes)
{
	u32 blocks = lw_blocks(nr_bytes);

	return (struct lw_ask){
		.blocks = blocks,
		.longer_q4 = (blocks << 4) - READ_ONCE(sel->usual_q4),
		.ticks = sel->ticks + lw_row(sel, numa_node_id()),
		.inv_most = READ_ONCE(sel->inv_most),
		.max_penalty = READ_ONCE(sel->config.max_penalty) * LW_ONE,
	};
}

/*
 * At which member to start: after the one that this CPU chose last, so that equal
 * costs go round, whoever stands between them in the table. And so do probes, where
 * there are not enough I/Os for all that are wanted.
 */
static unsigned int lw_turn(struct lw_selector *sel)
{
	unsigned int turn = this_cpu_read(sel->cpu->turn);

	return turn < sel->nr ? turn : 0;
}

/*
 * Take the probe that the window wants. One CPU gets it: a path
 * that hangs holds one probe, not one of each.
 */
static bool lw_take_probe(struct lw_member *m, size_t nr_bytes)
{
	/* ioctl passthrough selects a path with 0 bytes and starts no I/O. */
	if (!nr_bytes || READ_ONCE(m->use) == LW_FAILED)
		return false;
	if (!xchg(&m->probe, 0))
		return false;
	atomic64_inc(&m->path->event[LW_EVENT_PROBE]);
	return true;
}

/* A path that is used, with so many I/Os in flight that it may be full; or that is suspected. */
static noinline enum lw_use lw_use_limited(const struct lw_path *path, u64 flight)
{
	if (lw_flight_full(flight, READ_ONCE(path->full), READ_ONCE(path->tags)))
		return LW_FULL;
	return READ_ONCE(path->suspect) >= LW_SUSPECT ? LW_SUSPECTED : LW_USE;
}

/* What may be done with a member right now. */
static __always_inline enum lw_use lw_use_now(const struct lw_member *m, u64 flight)
{
	enum lw_use use = READ_ONCE(m->use);

	/* The limit is on the line of the work in flight. */
	if (use == LW_USE && unlikely(lw_flight_ios(flight) >= READ_ONCE(m->path->limit)))
		return lw_use_limited(m->path, flight);
	return use;
}

static __always_inline struct lw_price lw_price(const struct lw_member *m,
						const struct lw_ask *ask, u32 base)
{
	return (struct lw_price){
		.base = base,
		.slope = READ_ONCE(m->slope),
		.inv_knee = READ_ONCE(m->inv_knee),
		.inv_most = ask->inv_most,
		.max_penalty = ask->max_penalty,
		.block_cost = READ_ONCE(m->block_cost),
	};
}

/* One more path that may be the best, as it is right now. */
static __always_inline void lw_look(const struct lw_member *m, unsigned int i,
				    const struct lw_ask *ask, u32 base,
				    struct lw_choice *best)
{
	struct lw_path *path = m->path;
	u64 flight = atomic64_read(&path->work);
	enum lw_use use = lw_use_now(m, flight);
	struct lw_price price = lw_price(m, ask, base);

	if (use == LW_FAILED)
		return;
	if (use == LW_FULL)
		this_cpu_inc(path->counts->busy);
	lw_consider(best, i, lw_rank(use, &price, flight, ask->blocks));
}

/* Is the path of this CPU's run still as good as any? */
static bool lw_run_goes_on(const struct lw_selector *sel, unsigned int i,
			   const struct lw_ask *ask)
{
	const struct lw_member *m = &sel->member[i];
	u64 flight = atomic64_read(&m->path->work);
	struct lw_price price = lw_price(m, ask, READ_ONCE(ask->ticks[i]));
	u32 least = LW_TICKS_AVOID;
	unsigned int k;

	for (k = 0; k < sel->nr; k++)
		least = min(least, READ_ONCE(ask->ticks[k]));
	return lw_run_lasts(lw_use_now(m, flight), &price, least, flight, ask->blocks);
}

/*
 * Stay with the path of this CPU's run, or begin a run at the best path. A task
 * may move to another CPU on the way; then it has a part in that one's run. Apart
 * from lw_select_path(), so that those who want no runs pay nothing for them.
 */
static noinline unsigned int lw_run(struct lw_selector *sel, unsigned int best,
				    size_t nr_bytes)
{
	struct lw_ask ask = lw_ask(sel, nr_bytes);
	u64 run = this_cpu_read(sel->cpu->run);
	u32 left = (u32)run, i = run >> 32;

	if (!left || !lw_run_goes_on(sel, i, &ask)) {
		left = READ_ONCE(sel->config.min_contiguous_kb) << 10;
		i = best;
	}
	left -= min_t(size_t, left, nr_bytes);
	this_cpu_write(sel->cpu->run, (u64)i << 32 | left);
	return i;
}

/*
 * Each path was failed when it was looked at. One that was looked at early may have come back
 * before one that was looked at late failed; then there was a usable path all the time, and
 * dm-mpath, told that there is none, might end the I/O with an error. Whoever looks at all
 * paths without a reinstatement meanwhile has seen them failed at one time. Apart from
 * lw_select_path(), as hardly anybody comes here.
 *
 * Return: any that is not failed, none if all are.
 */
static noinline struct lw_choice lw_any_usable(struct lw_selector *sel)
{
	unsigned int was, i;

	do {
		/* Pairs with reinstate_path(): the count is not seen before the path. */
		was = smp_load_acquire(&sel->reinstated);
		for (i = 0; i < sel->nr; i++)
			if (READ_ONCE(sel->member[i].use) != LW_FAILED)
				return (struct lw_choice){ lw_rank(LW_AVOID, NULL, 0, 0), i };
		/* The paths before the count: who failed after a reinstatement tells of it. */
		smp_rmb();
	} while (READ_ONCE(sel->reinstated) != was);
	return LW_CHOICE_NONE;
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
	struct lw_ask ask = lw_ask(sel, nr_bytes);
	struct lw_choice best = LW_CHOICE_NONE;
	unsigned int i = lw_turn(sel), left;
	struct lw_member *m = &sel->member[i];

	for (left = sel->nr; left; left--) {
		u32 base = lw_own_base(READ_ONCE(ask.ticks[i]), READ_ONCE(m->block_ticks),
				       ask.longer_q4);

		if (unlikely(READ_ONCE(m->probe)) && lw_take_probe(m, nr_bytes)) {
			if (trace_lw_choose_enabled())
				lw_trace_probe(sel, i, nr_bytes);
			this_cpu_write(sel->cpu->turn, i + 1);
			return m->dm_path;
		}
		/* What cannot win is not looked at: its line of work stays with other CPUs. */
		if (!lw_beaten(&best, base))
			lw_look(m, i, &ask, base, &best);
		m++;
		if (++i == sel->nr) {
			m = sel->member;
			i = 0;
		}
	}
	if (best.index < 0)
		best = lw_any_usable(sel);
	if (best.index < 0)
		return NULL;
	i = best.index;
	if (READ_ONCE(sel->config.min_contiguous_kb) && nr_bytes)
		i = lw_run(sel, i, nr_bytes);
	if (trace_lw_choose_enabled())
		lw_trace_settled(sel, best, i, nr_bytes);
	this_cpu_write(sel->cpu->turn, i + 1);
	return sel->member[i].dm_path;
}
