// SPDX-License-Identifier: GPL-2.0
/*
 * Choose the path of least cost, from the published estimates and the work in flight. The loop's
 * helpers are inlined to stay in registers; rare cases are not.
 */
#include <linux/percpu.h>
#include <linux/topology.h>
#include <linux/workqueue.h>

#include "ask.h"
#include "eligibility.h"
#include "io.h"
#include "operation.h"
#include "policy/policy.h"
#include "trace.h"
#include "window.h"

/* The operation whose latencies count for @op. */
static noinline enum lw_op lw_row_op(const struct lw_selector *sel, enum lw_op op)
{
	/* Pairs with lw_publish_rows(). */
	return smp_load_acquire(&sel->ops) & BIT(op) ? op : LW_OP_DATA;
}

static __always_inline struct lw_ask lw_new_ask(const struct lw_selector *sel, size_t nr_bytes)
{
	u32 blocks = lw_blocks(nr_bytes);
	s32 longer_q4 = (blocks << 4) - READ_ONCE(sel->usual_q4);
	const u32 *ticks = sel->ticks + lw_row(sel, numa_node_id(), LW_OP_DATA);
	enum lw_op op = lw_current_op(sel, nr_bytes);
	u32 op_bit = BIT(LW_OP_DATA);

	if (unlikely(op != LW_OP_DATA)) {
		enum lw_op row = lw_row_op(sel, op);

		op_bit = BIT(op);
		ticks += lw_row(sel, 0, row);	/* LW_OP_DATA is 0 */
		longer_q4 = row == LW_OP_OTHER ? 0 : longer_q4;
	}
	return (struct lw_ask){
		.op_bit = op_bit,
		.blocks = blocks,
		.longer_q4 = longer_q4,
		.ticks = ticks,
		.inv_most = READ_ONCE(sel->inv_most),
		.max_penalty = READ_ONCE(sel->config.max_penalty) * LW_ONE,
	};
}

/*
 * Start after the path that this CPU chose last. So paths of equal cost take turns, wherever they
 * stand in the table, and probes take turns if there are fewer I/Os than wanted probes.
 */
static unsigned int lw_cursor(struct lw_selector *sel)
{
	unsigned int cursor = this_cpu_read(sel->cpu->cursor);

	return cursor < sel->nr ? cursor : 0;
}

/*
 * Again and again dm-mpath got no request of the chosen path, and started nothing. The I/Os in
 * flight on a path end and free requests, or the window sees that they hang. But if there are none,
 * or lost ones only, the path's queue may be frozen, as NVMe's during a reset, or other disks have
 * all requests: leave the path until lw_retry_full().
 */
static noinline void lw_leave_frozen(struct lw_selector *sel)
{
	unsigned int last = this_cpu_read(sel->cpu->cursor) - 1;
	struct lw_path_info *m;
	u32 ios;

	this_cpu_write(sel->cpu->unstarted, 0);
	if (last >= sel->nr || READ_ONCE(sel->kind) == LW_MAP_BY_BIO)
		return;
	m = &sel->member[last];
	ios = lw_flight_ios(atomic64_read(&m->path->line.work));
	if (ios > READ_ONCE(m->cost.hung_ios))
		return;
	lw_device_mark_full(m->path, ios);
	/* No I/O starts that would arm it; another path may have to be probed first. */
	lw_window_arm(sel);
}

static struct dm_path *lw_chosen(struct lw_selector *sel, unsigned int i, size_t nr_bytes)
{
	this_cpu_write(sel->cpu->cursor, i + 1);
	/* An ioctl has no bytes and starts nothing, but is no work; retries of flushes are. */
	if (nr_bytes || current_work())
		this_cpu_inc(sel->cpu->unstarted);
	return sel->member[i].dm_path;
}

/* Probes that the I/O can be: of its operation, and a short one. */
static noinline u32 lw_probe_bits(const struct lw_path_info *m, u32 op_bit, size_t nr_bytes)
{
	bool is_short = lw_class(nr_bytes) < READ_ONCE(m->short_below);

	return op_bit | (is_short && op_bit != BIT(LW_OP_OTHER) ? BIT(LW_PROBE_SHORT) : 0);
}

/*
 * Take a probe if one of this kind is wanted. xchg() gives it to one CPU. A second one may follow
 * if it is taken between a window's count and its publishing. It also takes probes of
 * others, which the next window wants again; and an ioctl, which selects with 0 bytes and starts
 * no I/O, may take one.
 */
static bool lw_take_probe(struct lw_path_info *m, u32 bits)
{
	if (!(READ_ONCE(m->probe) & bits) || READ_ONCE(m->use) == LW_FAILED)
		return false;
	/* dm-mpath got no request there, see lw_leave_frozen(). */
	if (!READ_ONCE(m->path->line.full))
		return false;
	if (!(xchg(&m->probe, 0) & bits))
		return false;
	atomic64_inc(&m->path->ended.event[LW_EVENT_PROBE]);
	return true;
}

/* Evaluate one path that is not to be used by cost. */
static noinline void lw_evaluate_other(const struct lw_path_info *m, unsigned int i,
				       enum lw_use use, u64 flight, struct lw_choice *best)
{
	if (use == LW_FAILED)
		return;
	if (use == LW_FULL)
		this_cpu_inc(m->path->counts->full);
	lw_track_best(best, i, lw_rank(use, lw_flight_ios(flight)));
}

/* Evaluate one path as it is right now, as far as it may win. */
static __always_inline void lw_evaluate_path(const struct lw_path_info *m, unsigned int i,
					     const struct lw_ask *ask, u32 base, u32 usual,
					     struct lw_choice *best)
{
	u64 flight = atomic64_read(&m->path->line.work);
	enum lw_use use = lw_use_now(m, flight);
	struct lw_published p;
	u32 load;

	if (unlikely(use != LW_USE)) {
		lw_evaluate_other(m, i, use, flight, best);
		return;
	}
	/* With nothing in flight lw_cost() is the base. */
	if (!flight) {
		lw_track_best(best, i, (u64)base * LW_ONE);
		return;
	}
	p = lw_published_of(m, ask, base, usual);
	load = lw_newer_load(flight, &p);
	if (lw_cost_least(&p, load) < best->cost)
		lw_track_best(best, i, lw_cost(&p, load, lw_load(1, ask->blocks, p.block_cost),
					       lw_newer_ios(flight, &p)));
}

static bool lw_run_goes_on(const struct lw_selector *sel, unsigned int i,
			   const struct lw_ask *ask)
{
	const struct lw_path_info *m = &sel->member[i];
	u64 flight = atomic64_read(&m->path->line.work);
	u32 least = LW_TICKS_AVOID, base = READ_ONCE(ask->ticks[i]);
	struct lw_published p = lw_published_of(m, ask, base, base);
	unsigned int k;

	/* A paused path keeps its ticks, but nothing is to go there. */
	for (k = 0; k < sel->nr; k++)
		if (READ_ONCE(sel->member[k].use) != LW_PAUSED)
			least = min(least, READ_ONCE(ask->ticks[k]));
	return lw_run_lasts(lw_use_now(m, flight), &p, least, flight, ask->blocks);
}

/*
 * Stay with the path of this CPU's run, or start a run on the best path. A migrated task joins the
 * run of its new CPU. Not inlined, so that I/Os without runs do not pay for it.
 */
static noinline unsigned int lw_run(struct lw_selector *sel, unsigned int best,
				    struct lw_ask ask, size_t nr_bytes)
{
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
 * Look again, as each path was failed when visited, but perhaps not all at one time: if dm-mpath
 * is told that there is none, it may fail the I/O. A pass without a reinstatement has seen all of
 * them failed at once. Return a path that is not failed, if any.
 */
static noinline struct lw_choice lw_any_usable(struct lw_selector *sel)
{
	unsigned int was, i;

	do {
		/* Pairs with reinstate_path(): do not see the count before the path. */
		was = smp_load_acquire(&sel->reinstated);
		for (i = 0; i < sel->nr; i++)
			if (READ_ONCE(sel->member[i].use) != LW_FAILED)
				return (struct lw_choice){ lw_rank(LW_AVOID, 0), i };
		/*
		 * Read the paths before the count: a failure after a reinstatement implies a new
		 * count.
		 */
		smp_rmb();
	} while (READ_ONCE(sel->reinstated) != was);
	return LW_CHOICE_NONE;
}

/*
 * Choose by another selector's rule, as the map is only observed. A usable path gets I/O by that
 * rule, so probes are for the others.
 */
static noinline struct dm_path *lw_select_as_peer(struct lw_selector *sel, enum lw_chooser by,
						  size_t nr_bytes)
{
	struct lw_choice best = LW_CHOICE_NONE;
	u32 op_bit = BIT(lw_current_op(sel, nr_bytes));
	unsigned int i = lw_cursor(sel), left;

	for (left = sel->nr; left; left--, i = i + 1 < sel->nr ? i + 1 : 0) {
		struct lw_path_info *m = &sel->member[i];
		u64 flight = atomic64_read(&m->path->line.work);
		enum lw_use use = lw_use_now(m, flight);

		if (use != LW_USE && lw_take_probe(m, op_bit)) {
			if (trace_lw_choose_enabled())
				lw_trace_probe(sel, i, nr_bytes);
			return lw_chosen(sel, i, nr_bytes);
		}
		if (use == LW_FULL)
			this_cpu_inc(m->path->counts->full);
		if (use != LW_FAILED)
			lw_track_best(&best, i, lw_peer_cost(by, use, flight));
	}
	if (best.index < 0)
		best = lw_any_usable(sel);
	if (best.index < 0)
		return NULL;
	if (trace_lw_choose_enabled())
		lw_trace_chosen(sel, best, best.index, best.index, nr_bytes);
	return lw_chosen(sel, best.index, nr_bytes);
}

/**
 * lw_select_path() - choose the path of an I/O
 * @ps: the selector
 * @nr_bytes: length of the I/O; 0 for flushes and ioctls
 *
 * Called by dm-mpath for each I/O, concurrently. If the queue of the chosen path is full, dm-mpath
 * does not start the I/O and calls again later.
 *
 * Context: any but NMI, without dm-mpath's lock; must not sleep.
 * Return: the path, or NULL if all are failed.
 */
struct dm_path *lw_select_path(struct path_selector *ps, size_t nr_bytes)
{
	struct lw_selector *sel = ps->context;
	enum lw_chooser by = READ_ONCE(sel->config.choose);
	struct lw_choice best = LW_CHOICE_NONE;
	unsigned int i, left, chosen;
	struct lw_path_info *m;
	struct lw_ask ask;

	if (unlikely(this_cpu_read(sel->cpu->unstarted) >= LW_UNSTARTED))
		lw_leave_frozen(sel);
	if (unlikely(by != LW_BY_LATENCY))
		return lw_select_as_peer(sel, by, nr_bytes);
	ask = lw_new_ask(sel, nr_bytes);
	i = lw_cursor(sel);
	m = &sel->member[i];
	for (left = sel->nr; left; left--) {
		u32 usual = READ_ONCE(ask.ticks[i]);
		u32 base = lw_own_base(usual, READ_ONCE(m->cost.block_ticks), ask.longer_q4);

		if (unlikely(READ_ONCE(m->probe)) &&
		    lw_take_probe(m, lw_probe_bits(m, ask.op_bit, nr_bytes))) {
			if (trace_lw_choose_enabled())
				lw_trace_probe(sel, i, nr_bytes);
			return lw_chosen(sel, i, nr_bytes);
		}
		/* Do not pull in the cache line of a path that cannot win. */
		if (!lw_cannot_win(&best, base))
			lw_evaluate_path(m, i, &ask, base, usual, &best);
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
		i = lw_run(sel, i, ask, nr_bytes);
	chosen = i;
	if (unlikely(rcu_access_pointer(sel->policy)))
		chosen = lw_policy_choose(sel, ask.op_bit, ask.longer_q4, ask.ticks, nr_bytes, i);
	if (trace_lw_choose_enabled())
		lw_trace_chosen(sel, best, i, chosen, nr_bytes);
	return lw_chosen(sel, chosen, nr_bytes);
}
