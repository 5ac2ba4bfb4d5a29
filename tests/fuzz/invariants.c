// SPDX-License-Identifier: GPL-2.0
#include "invariants.h"

#include "everything.h"

#include "kernel/dm.h"
#include "lw.h"

#define MOST_PATHS	16

/**
 * struct watched - what is known of a path from outside
 * @ios: I/Os in flight
 * @work: their work
 * @waits_since: since when nothing stands in the way of a probe, by active_ns
 * @passed_over: I/Os that could have been its probe, since one was due
 */
struct watched {
	u64 ios;
	u64 work;
	u64 waits_since;
	unsigned int passed_over;
};

static struct lw_selector *sel;
static struct watched watched[MOST_PATHS];

/* As if each CPU had started and ended nearly as many I/Os as can be counted. */
static void wear_out(struct lw_path *path)
{
	struct lw_flow worn = { .starts = -1000, .ends = -1000, .done = -1000, .work = -5000,
				.start_ns = -7, .end_ns = -7 };
	unsigned int cpu, c;

	for_each_possible_cpu(cpu)
		for (c = 0; c < LW_CLASSES; c++) {
			struct lw_flow *was = &path->state.cls[c].was;

			per_cpu_ptr(path->counts, cpu)->cell[c].flow = worn;
			path->was_done[cpu * LW_CLASSES + c] = worn.done;
			was->starts += worn.starts;
			was->start_ns += worn.start_ns;
			was->ends += worn.ends;
			was->end_ns += worn.end_ns;
			was->done += worn.done;
			was->work += worn.work;
		}
}

void invariants_begin(struct dm_group *group, bool worn)
{
	unsigned int i;

	sel = dm_group_selector(group)->context;
	KERNEL_ASSERT(sel->nr <= MOST_PATHS);
	memset(watched, 0, sizeof(watched));
	for (i = 0; worn && i < sel->nr; i++)
		wear_out(sel->member[i].path);
}

/* Nothing of what was counted got lost, and neither half of the word borrowed. */
static void check_flight(unsigned int i)
{
	u64 flight = atomic64_read(&sel->member[i].path->work);

	KERNEL_ASSERT(lw_flight_ios(flight) == watched[i].ios);
	KERNEL_ASSERT(lw_flight_work(flight) == watched[i].work);
}

static u64 active_ns(unsigned int i)
{
	return sel->member[i].path->state.active_ns;
}

/* The longest time for which a path that waits for a probe may have none wanted. */
static u64 patience_ns(void)
{
	return (sel->config.probe_max_ms + 6ULL * sel->config.window_ms) * NSEC_PER_MSEC;
}

/* Nothing in flight, and neither failed, nor at rest after failures. */
static bool may_be_probed(unsigned int i)
{
	int use = sel->member[i].use;

	return !watched[i].ios && use != LW_FAILED && use != LW_REST;
}

/*
 * No path starves: once it was not used for the longest period of probing, it has its turn
 * within as many I/Os of each CPU as there are paths. A flush is no probe.
 */
static void check_turns(size_t bytes, int path)
{
	unsigned int i;

	for (i = 0; i < sel->nr; i++) {
		struct watched *w = &watched[i];

		if (!may_be_probed(i) || i == path) {
			w->waits_since = active_ns(i);
			w->passed_over = 0;
		} else if (bytes && active_ns(i) - w->waits_since > patience_ns()) {
			KERNEL_ASSERT(++w->passed_over <= sel->nr * world_cpus);
		}
	}
}

void invariants_selected(size_t bytes, int path)
{
	unsigned int i, usable = 0;

	for (i = 0; i < sel->nr; i++)
		usable += sel->member[i].use != LW_FAILED;
	KERNEL_ASSERT((path >= 0) == (usable > 0));
	KERNEL_ASSERT(path < 0 || sel->member[path].use != LW_FAILED);
	check_turns(bytes, path);
}

void invariants_started(int path, size_t bytes)
{
	watched[path].ios++;
	watched[path].work += lw_work(bytes);
	check_flight(path);
}

void invariants_ended(int path, size_t bytes)
{
	watched[path].ios--;
	watched[path].work -= lw_work(bytes);
	watched[path].waits_since = active_ns(path);
	check_flight(path);
}

/* lw_cost() in numbers that cannot overflow, as its comment has it. */
static unsigned __int128 exact_cost(const struct lw_price *p, u32 inflight, u32 work)
{
	typedef unsigned __int128 wide;
	wide sum = (wide)inflight + work;
	wide x = min_t(wide, sum * p->inv_path >> 10, 1 << 24);
	wide z = min_t(wide, min_t(wide, sum * p->inv_knee >> 10, 1 << 24), LW_LOAD_SPILL);
	wide z2 = z * z >> 10, z4 = z2 * z2 >> 10, spill = min_t(wide, z4 * z4 >> 10, p->spill);
	wide latency = p->base + (x > LW_ONE ? p->slope * (x - LW_ONE) >> 10 : 0);
	wide most = min_t(wide, (wide)inflight * p->inv_most >> 10, 1 << 24);

	return min_t(wide, latency, LW_COST_TICKS) * (LW_ONE + spill) +
	       max(p->base, p->slope) * most;
}

/* What select compares is finite, and what the formula says, with any work in flight. */
static void check_cost(unsigned int i, unsigned int node, unsigned int c)
{
	static const u32 loads[] = { 0, 1000, 1 << 20, S32_MAX };
	const struct lw_member *m = &sel->member[i];
	struct lw_price p = {
		.base = sel->ticks[lw_row(sel, node, c) + i],
		.slope = m->slope,
		.inv_path = m->inv_path,
		.inv_knee = sel->inv_knee[c * sel->nr + i],
		.inv_most = sel->inv_most,
		.spill = sel->config.spill * LW_ONE,
	};
	unsigned int k;

	KERNEL_ASSERT(p.base >= 1);
	KERNEL_ASSERT(max3(p.inv_path, p.inv_knee, p.inv_most) <= (1 << 20) / LW_WORK_MIN);
	for (k = 0; k < ARRAY_SIZE(loads); k++) {
		u64 cost = lw_cost(&p, loads[k], LW_WORK_MAX);

		KERNEL_ASSERT(cost == exact_cost(&p, loads[k], LW_WORK_MAX));
		KERNEL_ASSERT(cost && cost < LW_COST_LAST);
	}
}

static void check_class(const struct lw_path_state *s, const struct lw_class_state *k)
{
	KERNEL_ASSERT(k->lat_ns <= LW_NS_MAX && k->window_ns <= 2 * LW_NS_MAX);
	KERNEL_ASSERT(k->base_ns <= LW_NS_MAX && k->usual_ns <= LW_NS_MAX);
	KERNEL_ASSERT(k->work <= LW_WORK_MAX);
	KERNEL_ASSERT(k->seen_ns <= s->active_ns && k->unusual_ns <= s->active_ns);
	KERNEL_ASSERT(k->little.held_ns < 1ULL << 58 && k->little.done_q4 < 1ULL << 40);
}

static void check_estimates(const struct lw_path_state *s)
{
	unsigned int c;

	for (c = 0; c < LW_CLASSES; c++)
		check_class(s, &s->cls[c]);
	if (!s->elapsed_ns)
		return;			/* no window yet */
	KERNEL_ASSERT(s->least >= LW_WORK_MIN && s->least <= 2 * LW_WORK_MAX);
	KERNEL_ASSERT(s->knee >= s->least && s->knee <= LW_KNEE_MAX);
	KERNEL_ASSERT(s->mean_base_ns <= 1ULL << 38 && s->mean_ns <= 1ULL << 38);
	KERNEL_ASSERT(s->silence_ns <= s->active_ns);
}

/* The shares that status shows sum up to all of the traffic, but for rounding. */
static void check_shares(void)
{
	unsigned int i, sum = 0, used = 0;

	for (i = 0; i < sel->nr; i++) {
		const struct lw_member *m = &sel->member[i];

		KERNEL_ASSERT(m->weight <= 128 && (!m->weight || m->use == LW_USE));
		sum += m->weight;
		used += m->use == LW_USE;
	}
	if (used)
		KERNEL_ASSERT(sum + sel->nr >= 128 && sum <= 128 + sel->nr);
	else
		KERNEL_ASSERT(!sum);
}

void invariants_window(void)
{
	unsigned int i, c, node;

	for (i = 0; i < sel->nr; i++) {
		KERNEL_ASSERT(!sel->member[i].path->lock.held);
		check_estimates(&sel->member[i].path->state);
		for (node = 0; node < nr_node_ids; node++)
			for (c = 0; c < LW_CLASSES; c++)
				check_cost(i, node, c);
	}
	check_shares();
}

void invariants_end(void)
{
	unsigned int i, c;

	for (i = 0; i < sel->nr; i++) {
		check_flight(i);
		for (c = 0; c < LW_CLASSES; c++) {
			struct lw_flow flow = { 0 };

			lw_count_flow(sel->member[i].path, c, &flow);
			KERNEL_ASSERT(flow.starts == flow.ends);
		}
	}
}
