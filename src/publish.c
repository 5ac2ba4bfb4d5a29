// SPDX-License-Identifier: GPL-2.0
/* Turn estimates into what select_path() compares, considering all paths of the selector. */
#include <linux/nodemask.h>

#include "eligibility.h"
#include "model/bracket.h"
#include "status.h"
#include "window.h"

/*
 * Base latency for the selector's usual I/O length, so that longer I/Os do not make a path look
 * slower. Keep at least a sixteenth of the base.
 */
static u64 lw_comparable_base(const struct lw_path_state *s, u64 usual_q4)
{
	s64 longer = usual_q4 ? lw_size_longer_ns(&s->kinds.size, usual_q4) : 0;

	return max_t(s64, (s64)s->capacity.base_ns + longer, s->capacity.base_ns / 16);
}

/*
 * Scale the base by the node's share of the latency. Under load this understates the node's
 * distance; a difference would mistake the noise of long queues for distance.
 */
static u64 lw_device_base(const struct lw_device *path, unsigned int node, u64 usual_q4)
{
	const struct lw_path_state *s = &path->state;
	u64 own = path->nodes.of[node].lat_ns, base = lw_comparable_base(s, usual_q4);
	u64 all = path->nodes.lat_ns;

	if (!s->latency.lat_ns)
		return lw_path_lat(s);
	if (!own || !all || nr_node_ids == 1)
		return base;
	return (min_t(u64, base, LW_NS_MAX) *
		min_t(u64, div64_u64(own << 10, all), 16 << 10)) >> 10;
}

/*
 * I/Os for which the queue has tags. If hardware queues share tags, this is too many, and the
 * driver rejects I/Os instead.
 */
static u32 lw_queue_tags(struct request_queue *q)
{
	if (!queue_is_mq(q))
		return U32_MAX;
	return min_t(u64, U32_MAX, (u64)READ_ONCE(q->nr_requests) *
				   READ_ONCE(q->nr_hw_queues));
}

/* If this raises a limit that end_io() just lowered, its next call lowers it again. */
static void lw_publish_limit(struct lw_device *path, u32 tags)
{
	bool suspected = READ_ONCE(path->line.suspect) >= LW_SUSPECT;

	WRITE_ONCE(path->line.tags, tags);
	WRITE_ONCE(path->line.limit, suspected ? 0 : min(READ_ONCE(path->line.full), tags));
}

/*
 * What is longer than a request of the path may be moves no data: a discard. Bios may be longer, as
 * the path splits them. Lower the limit only while nothing is in flight, so that an I/O ends in the
 * class in which it started; a racing start, or one before a raise, is corrected by
 * lw_correct_counts(). A new table, which has had no window, leaves it to the one in use.
 */
static void lw_publish_longest(const struct lw_selector *sel, struct lw_device *path,
			       struct request_queue *q)
{
	enum lw_map_kind kind = READ_ONCE(sel->kind);
	u32 longest = LW_DATA_MAX;

	if (kind == LW_MAP_UNKNOWN)
		return;
	if (kind == LW_MAP_BY_REQUEST)
		longest = min_t(u64, longest, (u64)queue_max_sectors(q) << SECTOR_SHIFT);
	if (longest > READ_ONCE(path->longest) || !atomic64_read(&path->line.work))
		WRITE_ONCE(path->longest, longest);
}

/* Base latencies of a member for each node and each of these operations. */
static void lw_publish_bases(struct lw_selector *sel, unsigned int i, enum lw_use use,
			     const struct lw_probing *probing)
{
	const struct lw_path_info *m = &sel->member[i];
	const struct lw_kinds *kinds = &m->path->state.kinds;
	u64 outliers_ns = lw_outliers_ns(&m->path->state.capacity.outliers);
	unsigned int node;
	enum lw_op op;

	for (node = 0; node < nr_node_ids; node++) {
		u64 base = lw_device_base(m->path, node, probing->usual_q4) + outliers_ns;

		lw_for_each_op(op, &probing->ops) {
			u64 lat = lw_preferred_latency(m, lw_op_base(kinds, op, base));
			size_t at = lw_row(sel, node, op) + i;

			sel->scratch[at] = use == LW_USE ? lw_ticks(lat) : LW_TICKS_AVOID;
			if (use == LW_PAUSED)
				WRITE_ONCE(sel->ticks[at], lw_ticks(lat));
		}
	}
}

/* Completions of the kind on all paths since the last one of this path. */
static u64 lw_op_missed(struct lw_op_mark *mark, u64 done, u64 all)
{
	/* There may be fewer than before, as another length is short now, or for an operation. */
	if (mark->done != done || mark->all > all)
		*mark = (struct lw_op_mark){ done, all };
	return all - mark->all;
}

/* The probes that a member wants: a bit for each operation, and LW_PROBE_SHORT. */
static unsigned int lw_probes_wanted(struct lw_path_info *m, const struct lw_probing *probing)
{
	const struct lw_path_state *s = &m->path->state;
	unsigned int probes = 0;
	enum lw_op op;
	u64 missed;

	if (lw_probe_wanted(s, probing))
		probes = BIT(LW_OP_DATA) | BIT(LW_OP_READ) | BIT(LW_OP_WRITE);
	for (op = LW_OP_READ; op < LW_OPS; op++) {
		missed = lw_op_missed(&m->op[op], s->kinds.op[op].done, probing->op_done[op]);
		if (lw_op_probe_wanted(s, op, probing, missed))
			probes |= BIT(op);
	}
	missed = lw_op_missed(&m->short_ios, lw_short_done(s, NULL),
			      lw_short_done(s, probing));
	WRITE_ONCE(m->short_below, lw_short_below(s));
	if (lw_short_probe_wanted(s, probing, missed))
		probes |= BIT(LW_PROBE_SHORT);
	return probes;
}

/*
 * Outliers take many times this: the base for the selector's usual length, of the slowest
 * operation; in a queue the latency. If the base is unknown, or I/Os of several lengths queue,
 * where short ones wait for long ones, U32_MAX: none is an outlier. A stall looks like a queue at
 * first, so a path that stalls counts as without one.
 */
static u32 lw_outlier_base(const struct lw_path_state *s, u64 usual_q4)
{
	bool queues = s->capacity.queues && !s->health.stalled;
	u64 base = lw_comparable_base(s, usual_q4);

	if (!s->capacity.base_ns || (queues && !lw_size_even(&s->kinds.size.sums)))
		return U32_MAX;
	base = max(lw_op_base(&s->kinds, LW_OP_READ, base),
		   lw_op_base(&s->kinds, LW_OP_WRITE, base));
	return lw_ticks(queues ? max(base, s->latency.lat_ns) : base);
}

/* What lw_publish_knees() compares. */
static void lw_publish_compared(struct lw_path_info *m, const struct lw_path_state *s,
				u64 usual_q4)
{
	u64 block_ns = lw_preferred_latency(m, min_t(u64, s->kinds.size.block_q4, U32_MAX));
	u32 usual = lw_load(1, usual_q4 >> 4, s->capacity.block_cost);
	struct lw_compared *c = &m->compared;

	/* Policies read it. */
	WRITE_ONCE(c->knee, min_t(u64, LW_KNEE_MOST,
				  div64_u64(s->capacity.knee * lw_usual_load(s), usual)));
	c->queues = s->capacity.queues;
	c->cost_mean = s->capacity.block_cost;
	c->block_mean = usual_q4 ? block_ns : 0;
}

static void lw_publish_member(struct lw_selector *sel, unsigned int i,
			      const struct lw_probing *probing, bool probes)
{
	struct lw_path_info *m = &sel->member[i];
	struct request_queue *q = bdev_get_queue(m->dm_path->dev->bdev);
	const struct lw_path_state *s = &m->path->state;
	const struct lw_capacity *cap = &s->capacity;
	const struct lw_hung *hung = &s->health.hung;
	enum lw_use use;

	lw_publish_limit(m->path, lw_queue_tags(q));
	lw_publish_longest(sel, m->path, q);
	mutex_lock(&m->path->lock);
	use = lw_update_eligibility(m, lw_probes_wanted(m, probing), probes);
	m->paused = use == LW_PAUSED;
	lw_publish_bases(sel, i, use, probing);
	WRITE_ONCE(m->outlier_base, lw_outlier_base(s, probing->usual_q4));
	WRITE_ONCE(m->unused, lw_path_unused(s, probing->recent_q8) || s->health.stalled);
	m->shown.base_ns = lw_comparable_base(s, probing->usual_q4) +
			   lw_outliers_ns(&cap->outliers);
	WRITE_ONCE(m->cost.hung_ios, min_t(u64, hung->ios, U32_MAX));
	WRITE_ONCE(m->cost.hung, lw_load(min_t(u64, hung->ios, U32_MAX),
					 min_t(u64, (hung->ios * hung->blocks_q4) >> 4, U32_MAX),
					 cap->block_cost));
	lw_publish_compared(m, s, probing->usual_q4);
	mutex_unlock(&m->path->lock);
}

/*
 * Sum up the load of the paths. Estimates may change between locks, if another selector shares a
 * path.
 */
static struct lw_probing lw_probing_sum(struct lw_selector *sel)
{
	struct lw_probing probing = {
		.min_ms = READ_ONCE(sel->config.probe_min_ms),
		.max_ms = READ_ONCE(sel->config.probe_max_ms),
		.least_ns = LW_NS_MAX,
		.window_ns = (u64)lw_window_ms(sel) * NSEC_PER_MSEC,
	};
	u64 lengths = 0;
	unsigned int i, c;
	enum lw_op op;

	for (i = 0; i < sel->nr; i++) {
		struct lw_device *path = sel->member[i].path;
		const struct lw_path_state *s = &path->state;

		mutex_lock(&path->lock);
		if (lw_path_works(s) && READ_ONCE(sel->member[i].use) != LW_FAILED)
			probing.inflight += lw_newer_inflight(s);
		probing.recent_q8 += s->counted.recent_q8;
		if (s->health.validated)
			probing.least_ns = min(probing.least_ns, lw_path_lat(s));
		lengths += s->counted.recent_q8 * s->kinds.size.usual_q4;
		for (op = LW_OP_READ; op < LW_OPS; op++)
			if (op == LW_OP_OTHER || s->w.writes_known)
				probing.op_done[op] += s->kinds.op[op].done;
		lw_for_each_class(c, &s->counted)
			probing.done[c] += s->counted.cls[c].was.done;
		mutex_unlock(&path->lock);
	}
	probing.usual_q4 = div64_u64(lengths, max_t(u64, probing.recent_q8, 1));
	probing.ops = lw_ops_done(&probing);
	for (i = 0; i < sel->nr; i++) {
		struct lw_device *path = sel->member[i].path;

		if (READ_ONCE(sel->member[i].use) == LW_FAILED)
			continue;
		mutex_lock(&path->lock);
		probing.unused += lw_path_unused(&path->state, probing.recent_q8);
		mutex_unlock(&path->lock);
	}
	return probing;
}

/*
 * Are writes, as multiples of reads, similar on all paths? Then the same path is best for both, and
 * noise would sort them.
 */
static bool lw_writes_are_alike(const struct lw_selector *sel, unsigned int node)
{
	const u32 *reads = sel->scratch + lw_row(sel, node, LW_OP_READ);
	const u32 *writes = sel->scratch + lw_row(sel, node, LW_OP_WRITE);
	u64 least = U64_MAX, most = 0;
	unsigned int i;

	for (i = 0; i < sel->nr; i++) {
		u64 ratio;

		if (reads[i] == LW_TICKS_AVOID)
			continue;
		ratio = div_u64((u64)writes[i] << 10, reads[i]);
		least = min(least, ratio);
		most = max(most, ratio);
	}
	return !most || most <= least + div_u64(least * READ_ONCE(sel->config.tolerance), 100);
}

/* Operations that have latencies of their own, a bit each: reads and writes only if it matters. */
static unsigned long lw_ops_apart(const struct lw_selector *sel, const struct lw_probing *probing)
{
	unsigned int node;

	if (probing->ops & BIT(LW_OP_WRITE))
		for (node = 0; node < nr_node_ids; node++)
			if (!lw_writes_are_alike(sel, node))
				return probing->ops;
	return probing->ops & ~(BIT(LW_OP_READ) | BIT(LW_OP_WRITE));
}

static void lw_publish_row(struct lw_selector *sel, size_t row)
{
	u32 *ticks = sel->scratch + row;
	unsigned int i;

	lw_equalize(ticks, sel->nr, READ_ONCE(sel->config.tolerance));
	for (i = 0; i < sel->nr; i++)
		if (!sel->member[i].paused)
			WRITE_ONCE(sel->ticks[row + i], ticks[i]);
}

static void lw_publish_rows(struct lw_selector *sel, const struct lw_probing *probing)
{
	/* Before similar latencies become equal: reads may, and their writes not. */
	unsigned long apart = lw_ops_apart(sel, probing);
	unsigned int node;
	enum lw_op op;

	for (node = 0; node < nr_node_ids; node++)
		lw_for_each_op(op, &probing->ops)
			lw_publish_row(sel, lw_row(sel, node, op));
	/* Publish the rows before the bits that make select_path() use them. */
	smp_store_release(&sel->ops, apart);
}

/**
 * lw_publish() - publish estimates for select_path() and status
 * @sel: the selector
 * @probes: also want probes; else only those that were wanted and not taken, as windows count them
 *
 * Called by the window, by tuning, and by add_path(), so that a new table starts with what is
 * known.
 *
 * Context: process, may sleep.
 */
void lw_publish(struct lw_selector *sel, bool probes)
{
	struct lw_probing probing;
	unsigned int i;

	mutex_lock(&sel->publishing);
	probing = lw_probing_sum(sel);
	WRITE_ONCE(sel->usual_q4, probing.usual_q4);
	for (i = 0; i < sel->nr; i++)
		lw_publish_member(sel, i, &probing, probes);
	lw_publish_rows(sel, &probing);
	lw_publish_knees(sel, sel->scratch + lw_row(sel, first_online_node, LW_OP_DATA));
	lw_show(sel);
	mutex_unlock(&sel->publishing);
}
