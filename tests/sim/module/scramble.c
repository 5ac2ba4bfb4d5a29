// SPDX-License-Identifier: GPL-2.0
/*
 * One line for each field of the module's structs that is learned, and by what chance it is
 * replaced. Not here: counts, what is in flight, clocks, and what a window computes from these
 * alone, as those are true whatever was learned.
 */
#include "scramble.h"

#include "selector.h"

#define WIDEST	30.0	/* times, and parts */

double exp2(double x);
double log2(double x);

static uint64_t state;

/* splitmix64, as in random.h */
static uint64_t chance(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* From 1 / WIDEST to WIDEST; its logarithm is uniform. */
static double factor(void)
{
	return exp2(log2(WIDEST) * (2 * ((chance() >> 11) * 0x1p-53) - 1));
}

/* An estimate, within what the module allows; what is 0 is unknown and stays so. */
#define TIMES(x, least, most) do {						\
	double scrambled = (double)(x) * factor();				\
										\
	if (x)									\
		(x) = scrambled < (least) ? (least) :				\
		      scrambled > (most) ? (most) : scrambled;			\
} while (0)
#define LATENCY(x)	TIMES(x, 1, LW_NS_MAX)
#define SUM(x)		TIMES(x, 1, BIT_ULL(50))
#define SIGNED(x)	TIMES(x, -(double)BIT_ULL(50), (double)BIT_ULL(50))
/* From 0 to most. */
#define ANY(x, most)	((x) = chance() % ((most) + 1ULL))
#define FLAG(x)		((x) = chance() & 1)

static void scramble_class(struct lw_class_latency *c, struct lw_class_counts *counts)
{
	LATENCY(c->lat_ns);
	TIMES(counts->blocks, 1, 1 << 18);
	SUM(c->little.held_ns);
	SUM(c->little.done_q8);
	SUM(c->little.pending_ns);
}

static void scramble_sums(struct lw_means *m)
{
	unsigned int i;

	for (i = 0; i < LW_SUMS; i++)
		SIGNED(m->sum[i]);
}

static void scramble_sizes(struct lw_path_state *s)
{
	TIMES(s->kinds.size.usual_q4, 16, 1 << 22);
	SUM(s->kinds.size.sums.weight);
	SUM(s->kinds.size.sums.spread);
	SIGNED(s->kinds.size.sums.with);
	TIMES(s->kinds.size.block_q4, 1, LW_SIZE_BLOCK_MOST);
	TIMES(s->capacity.block_cost, 1, LW_BLOCK_MAX);
}

static void scramble_operations(struct lw_path_state *s)
{
	SIGNED(s->kinds.other.sum);
	SIGNED(s->kinds.other.weight);
	SIGNED(s->kinds.other.longer_ns);
	SIGNED(s->kinds.write.sum);
	SIGNED(s->kinds.write.weight);
	SIGNED(s->kinds.write.longer_ns);
	TIMES(s->kinds.writes_q16, 1, 1 << 16);
}

static void scramble_knee(struct lw_path_state *s)
{
	TIMES(s->latency.load, LW_IO, LW_KNEE_MOST);
	TIMES(s->capacity.knee, LW_KNEE_LEAST, LW_KNEE_MOST);
	scramble_sums(&s->capacity.trend.span);
	ANY(s->capacity.trend.skip, 16);
	ANY(s->capacity.trend.windows, 6);
	TIMES(s->capacity.trend.load, 1, LW_KNEE_MOST);
	LATENCY(s->capacity.trend.lat_ns);
	ANY(s->capacity.dip.left, 16);
	TIMES(s->capacity.dip.wait, 1, LW_DIP_MOST);
	TIMES(s->capacity.dip.pause, LW_DIP_FIRST, LW_DIP_MOST);
	TIMES(s->capacity.dip.knee, LW_KNEE_LEAST, LW_KNEE_MOST);
	LATENCY(s->capacity.dip.base_ns);
	LATENCY(s->capacity.dip.was_ns);
	LATENCY(s->capacity.dip.lat_ns);
	LATENCY(s->capacity.dip.tested_ns);
	FLAG(s->capacity.dip.confirmed);
	TIMES(s->capacity.dip.load, 1, LW_KNEE_MOST);
	TIMES(s->capacity.dip.was_load, 1, LW_KNEE_MOST);
	ANY(s->capacity.dip.flat, 100);
	FLAG(s->capacity.dip.scouts);
}

static void scramble_latency(struct lw_path_state *s)
{
	scramble_sums(&s->latency.means);
	scramble_sums(&s->latency.pending);
	LATENCY(s->latency.lat_ns);
	LATENCY(s->capacity.base_ns);
	TIMES(s->latency.noise_q16, 1, 1 << 20);
	LATENCY(s->health.stall_timeout_ns);
	LATENCY(s->health.retry_ns);
	ANY(s->latency.seen_windows, 100);
	TIMES(s->counted.recent_q8, 1, BIT_ULL(40));
	SUM(s->capacity.outliers.ended);
	SUM(s->capacity.outliers.excess_ns);
	SUM(s->capacity.outliers.event_ns);
	SUM(s->capacity.outliers.worst_ns);
	SUM(s->capacity.outliers.above_ns);
}

static void scramble_flags(struct lw_path_state *s)
{
	FLAG(s->capacity.queues);
	FLAG(s->health.stamped);
	FLAG(s->health.validated);
	FLAG(s->health.stalled);
	FLAG(s->health.resumes);
	FLAG(s->health.lives);
}

static void scramble_device(struct lw_device *path)
{
	struct lw_path_state *s = &path->state;
	unsigned int i;

	scramble_sizes(s);
	scramble_operations(s);
	scramble_knee(s);
	scramble_latency(s);
	scramble_flags(s);
	for (i = 0; i < LW_CLASSES; i++)
		scramble_class(&s->latency.cls[i], &s->counted.cls[i]);
	for (i = 0; i < nr_node_ids; i++)
		LATENCY(path->nodes.of[i].lat_ns);
	TIMES(path->line.least_ticks, 1, LW_TICKS_MAX);
	TIMES(path->line.bound_ticks, 1, LW_TICKS_MAX);
	ANY(path->line.suspect, LW_SUSPECT_MAX);
	if (chance() & 1)
		path->line.full = 1 + chance() % 64;
	SUM(path->shown.traffic.ios_q16);
	for (i = 0; i < nr_node_ids; i++)
		ANY(path->nodes.of[i].away, LW_NODE_AWAY);
}

void scramble_selector(struct path_selector *ps, uint64_t seed)
{
	struct lw_selector *sel = ps->context;
	unsigned int i, node;

	state = seed;
	for (i = 0; i < sel->nr; i++) {
		mutex_lock(&sel->member[i].path->lock);
		scramble_device(sel->member[i].path);
		TIMES(sel->member[i].compared.gain, LW_ONE, LW_KNEE_GAIN_MAX);
		mutex_unlock(&sel->member[i].path->lock);
	}
	/* Last, so that what came before has the chance that it always had. */
	for (i = 0; i < sel->nr; i++) {
		SUM(sel->member[i].path->state.capacity.outliers.number);
		for (node = 0; node < nr_node_ids; node++)
			TIMES(sel->member[i].path->nodes.of[node].weight, 1, 1 << 20);
	}
}
