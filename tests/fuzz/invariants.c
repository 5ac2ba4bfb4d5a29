// SPDX-License-Identifier: GPL-2.0
#include "invariants.h"

#include "everything.h"

#include "dm.h"
#include "selector.h"

#define MOST_PATHS	16

/**
 * struct watched - what is known of a path from outside
 * @ios: I/Os in flight
 * @blocks: their length
 * @failed: what dm thinks
 * @waits_since: since when nothing stands in the way of a probe, by traffic_ns
 * @rested: after its failures, since then
 * @passed_over: I/Os that could have been its probe, since one was due
 */
struct watched {
	u64 ios;
	u64 blocks;
	bool failed;
	u64 waits_since;
	bool rested;
	unsigned int passed_over;
};

static struct lw_selector *sel;
static struct watched watched[MOST_PATHS];

/*
 * The clock that rests with the traffic, and when the last window closed. Our own, for the
 * module's might stand still.
 */
static u64 traffic_ns, closed_ns;

/* As if each CPU, and all together, had started and ended nearly as many I/Os as can be counted. */
static void wear_out(struct lw_device *path)
{
	const struct lw_cell cell = { .starts = -1000, .ends = -1000, .done = -1000,
				      .blocks = -5000, .sum = -7, .took = -1000000 };
	const struct lw_counters counters = { .starts = -3000, .ends = -3000, .done = -3000,
					      .blocks = -9000, .sum_ns = -7, .took_ns = -1000000 };
	struct lw_sums *sums = &path->sums;
	unsigned int cpu, c;

	for (c = 0; c < LW_CLASSES; c++) {
		if (!sums->was[c])
			sums->was[c] = kcalloc(nr_cpu_ids, sizeof(cell), GFP_ATOMIC);
		sums->counters[c] = path->state.counted.cls[c].was = counters;
		for_each_possible_cpu(cpu)
			sums->was[c][cpu] = per_cpu_ptr(path->counts, cpu)->cell[c] = cell;
	}
	for_each_possible_cpu(cpu) {
		struct lw_counts *own = per_cpu_ptr(path->counts, cpu);

		sums->was_found[cpu] = own->found = -1000;
	}
}

void invariants_begin(struct dm_group *group, bool worn)
{
	unsigned int i;

	sel = dm_group_selector(group)->context;
	KERNEL_ASSERT(sel->nr <= MOST_PATHS);
	memset(watched, 0, sizeof(watched));
	memset(&kernel_notices, 0, sizeof(kernel_notices));
	traffic_ns = 0;
	closed_ns = world_now_ns;
	for (i = 0; worn && i < sel->nr; i++)
		wear_out(sel->member[i].path);
}

/*
 * Nothing of what was counted got lost, and neither half of the word borrowed. As long as there
 * is anything in flight there will be a window.
 */
static void check_flight(unsigned int i)
{
	u64 flight = atomic64_read(&sel->member[i].path->line.work);

	KERNEL_ASSERT(lw_flight_ios(flight) == watched[i].ios);
	KERNEL_ASSERT(lw_flight_blocks(flight) == watched[i].blocks);
	KERNEL_ASSERT(!watched[i].ios || sel->timer.work.work.alarm);
}

/*
 * The longest time for which a path that waits for a probe may have none wanted. If it rests
 * after failures, that is by another clock, but no longer than LW_BACKOFF_LONGEST_NS.
 */
static u64 stall_timeout_ns(const struct watched *w)
{
	return (sel->config.probe_max_ms + 6ULL * sel->config.window_ms) * NSEC_PER_MSEC +
	       (w->rested ? LW_BACKOFF_LONGEST_NS : 0);
}

static bool may_be_probed(const struct watched *w)
{
	return !w->ios && !w->failed;
}

static void waits_from_now(struct watched *w)
{
	w->waits_since = traffic_ns;
	w->rested = false;
	w->passed_over = 0;
}

/*
 * promise service/probe-wait: No path waits for a probe for longer than `probe_max_ms`, or 10 s
 *   more after repeated failures, if there is I/O
 */
/*
 * No path starves: once it was not used for the longest period of probing, it has its turn
 * within as many I/Os of each CPU as there are paths. A flush is no probe.
 */
static void check_turns(size_t bytes, int path)
{
	unsigned int i;

	for (i = 0; i < sel->nr; i++) {
		struct watched *w = &watched[i];

		w->rested |= sel->member[i].use == LW_BACKOFF;
		if (!may_be_probed(w) || i == path)
			waits_from_now(w);
		else if (bytes && traffic_ns - w->waits_since > stall_timeout_ns(w))
			KERNEL_ASSERT(++w->passed_over <= sel->nr * world_cpus);
	}
}

void invariants_selected(size_t bytes, int path)
{
	unsigned int i, usable = 0;

	for (i = 0; i < sel->nr; i++) {
		KERNEL_ASSERT((sel->member[i].use == LW_FAILED) == watched[i].failed);
		usable += !watched[i].failed;
	}
	KERNEL_ASSERT((path >= 0) == (usable > 0));
	KERNEL_ASSERT(path < 0 || !watched[path].failed);
	check_turns(bytes, path);
}

void invariants_started(int path, size_t bytes)
{
	watched[path].ios++;
	watched[path].blocks += lw_blocks(bytes);
	check_flight(path);
}

void invariants_ended(int path, size_t bytes)
{
	watched[path].ios--;
	watched[path].blocks -= lw_blocks(bytes);
	waits_from_now(&watched[path]);
	check_flight(path);
}

void invariants_failed(int path, bool failed)
{
	watched[path].failed = failed;
	waits_from_now(&watched[path]);
}

/* lw_cost() in numbers that cannot overflow, as its comment has it. */
static unsigned __int128 exact_cost(const struct lw_published *p, u32 inflight, u32 own, u32 ios)
{
	typedef unsigned __int128 wide;
	wide x = inflight ? min_t(wide, ((wide)inflight + own) * p->inv_knee >> 20, LW_RATIO_MAX) : 0;
	wide over = min_t(wide, x, ((wide)ios + 1) * LW_IO * p->inv_ios >> 20);
	wide part = min_t(wide, over, LW_OVERLOAD_RATIO_MAX);
	wide x2 = part * part >> 10, x4 = x2 * x2 >> 10;
	wide max_penalty = over > LW_ONE / 2 ? min_t(wide, x4 * x4 >> 10, p->max_penalty) : 0;
	wide latency = p->base + (x > LW_ONE ? p->usual * (x - LW_ONE) >> 10 : 0);
	wide most = min_t(wide, (wide)inflight * p->inv_most >> 20, LW_RATIO_MAX);

	return min_t(wide, latency, LW_COST_TICKS) * (LW_ONE + max_penalty) + (p->usual * most >> 2);
}

/* promise numbers/costs: Costs are finite and equal the formula in exact arithmetic */
/* What select compares is finite, and what the formula says, with any load in flight. */
static void check_cost(unsigned int i, unsigned int node)
{
	static const u32 loads[] = { 0, 1000, 1 << 20, LW_LOAD_LIMIT };
	const struct lw_path_info *m = &sel->member[i];
	struct lw_published p = {
		.base = sel->ticks[lw_row(sel, node, LW_OP_DATA) + i],
		.usual = sel->ticks[lw_row(sel, node, LW_OP_DATA) + i],
		.inv_knee = m->cost.inv_knee,
		.inv_ios = m->cost.inv_ios,
		.inv_most = sel->inv_most,
		.max_penalty = sel->config.max_penalty * LW_ONE,
		.block_cost = m->cost.block_cost,
	};
	static const s32 longer[] = { LW_DATA_MAX >> 8, 0, -(LW_DATA_MAX >> 8) };
	u32 own = lw_load(1, LW_DATA_MAX >> 12, p.block_cost), usual = p.base;
	unsigned int k;

	KERNEL_ASSERT(p.base >= 1);
	KERNEL_ASSERT(sel->usual_q4 <= LW_DATA_MAX >> 8);
	p.base = lw_own_base(usual, m->cost.block_ticks, longer[(i + node) % ARRAY_SIZE(longer)]);
	KERNEL_ASSERT(p.base > usual / 16 && p.base <= LW_TICKS_MAX);
	KERNEL_ASSERT(max3(p.inv_knee, p.inv_ios, p.inv_most) <= lw_inverse(LW_IO));
	KERNEL_ASSERT(p.block_cost <= LW_BLOCK_MAX);
	KERNEL_ASSERT(m->cost.hung <= LW_LOAD_LIMIT);
	for (k = 0; k < ARRAY_SIZE(loads); k++) {
		/* of any length */
		u32 ios = loads[k] / LW_IO >> (i + node) % 4;
		u64 cost = lw_cost(&p, loads[k], own, ios);

		KERNEL_ASSERT(cost == exact_cost(&p, loads[k], own, ios));
		KERNEL_ASSERT(cost && cost < LW_COST_LAST);
	}
}

static void check_little(const struct lw_little *q)
{
	KERNEL_ASSERT(q->held_ns < 1ULL << 60 && q->done_q8 < 1ULL << 48);
}

static void check_class(const struct lw_path_state *s, unsigned int c)
{
	const struct lw_class_latency *k = &s->latency.cls[c];

	KERNEL_ASSERT(k->lat_ns <= LW_NS_MAX);
	KERNEL_ASSERT(k->seen_ns <= s->counted.active_ns);
	KERNEL_ASSERT(s->counted.cls[c].blocks <= LW_DATA_MAX >> 12);
	check_little(&k->little);
}

/* All but the growth of the load are sums of what cannot be negative. */
static void check_means(const struct lw_means *m)
{
	unsigned int i;

	for (i = 0; i < LW_SUMS; i++) {
		KERNEL_ASSERT(m->sum[i] < 1LL << 55 && m->sum[i] > -(1LL << 55));
		KERNEL_ASSERT(m->sum[i] >= 0 || i == LW_GREW);
	}
}

/* Base and knee of a path, which are known together with the latency. */
static void check_bracket(const struct lw_path_state *s)
{
	KERNEL_ASSERT(!s->latency.lat_ns == !s->capacity.base_ns && !s->latency.lat_ns == !s->latency.load);
	if (!s->latency.lat_ns)
		return;
	/* An hour for a block may be the price of 4096. */
	KERNEL_ASSERT(max(s->latency.lat_ns, s->capacity.base_ns) <= LW_NS_MAX << 12);
	KERNEL_ASSERT(s->latency.load >= LW_IO && s->latency.load <= LW_LOAD_LIMIT);
	KERNEL_ASSERT(s->capacity.knee >= LW_KNEE_LEAST && s->capacity.knee <= LW_KNEE_MOST);
	KERNEL_ASSERT(!s->capacity.dip.left || s->capacity.dip.knee >= LW_IO);
	KERNEL_ASSERT(s->capacity.dip.pause >= 1 && s->capacity.dip.pause <= LW_DIP_MOST);
}

static void check_estimates(const struct lw_path_state *s)
{
	unsigned int c;

	for (c = 0; c < LW_CLASSES; c++)
		check_class(s, c);
	if (!s->w.elapsed_ns)
		return;			/* no window yet */
	check_means(&s->latency.means);
	check_means(&s->latency.pending);
	check_means(&s->capacity.trend.span);
	check_bracket(s);
	KERNEL_ASSERT(s->latency.noise_q16 <= 1 << 16);
	KERNEL_ASSERT(s->capacity.block_cost <= LW_BLOCK_MAX);
	KERNEL_ASSERT(s->kinds.size.usual_q4 <= LW_DATA_MAX >> 8);
	KERNEL_ASSERT(s->kinds.size.block_q4 <= LW_SIZE_BLOCK_MOST);
	KERNEL_ASSERT(s->kinds.size.sums.spread >= 0 && s->kinds.size.sums.weight >= 0);
	KERNEL_ASSERT(!(s->health.validated && s->health.resumes));
	KERNEL_ASSERT(s->w.writes.count <= s->w.stamped_data.count);
	KERNEL_ASSERT(s->w.writes.took_ns <= s->w.stamped_data.sum_ns);
	KERNEL_ASSERT(s->health.no_completion_ns <= s->counted.active_ns && s->latency.forgot_ns <= s->counted.active_ns);
	KERNEL_ASSERT(s->health.hung.ios <= s->w.inflight || !s->health.validated);
	KERNEL_ASSERT(s->health.hung.left_ns <= 1LL << 60 && s->health.hung.left_ns >= -(1LL << 60));
	/* Each start finds itself, and no more than all that ever were in flight. */
	KERNEL_ASSERT(abs(s->w.found) < 1LL << 32);
}

/* A path is under suspicion for a second, and may be so again only if it is faster still. */
static void check_suspicion(const struct lw_device *path)
{
	u64 since_ns = path->sums.closed.suspected_ns;

	KERNEL_ASSERT(path->line.suspect <= LW_SUSPECT_MAX);
	KERNEL_ASSERT(!since_ns || path->state.counted.active_ns - since_ns < LW_SUSPECT_NS);
}

/* promise numbers/shares: Shares add up to one */
/* The shares that status shows sum up to all of the traffic, but for the rounding of each. */
static void check_shares(void)
{
	unsigned int i, sum = 0, used = 0;

	for (i = 0; i < sel->nr; i++) {
		const struct lw_path_info *m = &sel->member[i];

		KERNEL_ASSERT(m->shown.weight <= 128 && (!m->shown.weight || m->use == LW_USE));
		sum += m->shown.weight;
		used += m->use == LW_USE;
	}
	if (used)
		KERNEL_ASSERT(abs((int)sum - 128) * 2 <= used);
	else
		KERNEL_ASSERT(!sum);
}

/* Of a window that comes late, no more counts than twice its length: the machine stood still. */
static void window_closed(void)
{
	s64 elapsed = world_now_ns - closed_ns;

	traffic_ns += clamp_t(s64, elapsed, 0, 2 * sel->config.window_ms * NSEC_PER_MSEC);
	closed_ns = world_now_ns;
}

/* promise output/report-once: A report is never made twice, and none of a path that stays slow is lost */
/*
 * Who was told that a path is slow was told once, and is told when it has recovered. In each
 * third second nothing can be told.
 */
static void check_reports(void)
{
	unsigned int i, slow = 0;

	for (i = 0; i < sel->nr; i++)
		slow += sel->member[i].path->shown.report.told.slow;
	KERNEL_ASSERT(kernel_notices.slow - kernel_notices.recovered == slow);
	kernel_refuses_notices = world_now_ns / NSEC_PER_SEC % 3 == 2;
}

void invariants_window(void)
{
	unsigned int i, node;

	window_closed();
	for (i = 0; i < sel->nr; i++) {
		KERNEL_ASSERT(!sel->member[i].path->lock.held);
		check_estimates(&sel->member[i].path->state);
		check_suspicion(sel->member[i].path);
		for (node = 0; node < nr_node_ids; node++)
			check_cost(i, node);
	}
	check_shares();
	check_reports();
}

void invariants_end(void)
{
	struct kernel_context was = kernel_enter_task(sel, 0);
	unsigned int i, c;

	for (i = 0; i < sel->nr; i++) {
		struct lw_device *path = sel->member[i].path;

		check_flight(i);
		mutex_lock(&path->lock);
		lw_counts_aggregate_all(path);
		mutex_unlock(&path->lock);
		for (c = 0; c < LW_CLASSES; c++)
			KERNEL_ASSERT(path->sums.counters[c].starts == path->sums.counters[c].ends);
	}
	kernel_leave(was);
}
