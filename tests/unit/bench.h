/* SPDX-License-Identifier: GPL-2.0 */
/* A path whose every I/O the test decides, and the windows over it. */
#ifndef BENCH_H
#define BENCH_H

#include "unit.h"
#include "lw_estimate.h"
#include "lw_knee.h"
#include "lw_probe.h"

#define WINDOW (20 * MS)
#define C LW_CLASS_32K

/* A path, its counts, and the clock. */
struct bench {
	struct lw_path_state s;
	struct lw_flow flow[LW_CLASSES];
	struct lw_seen seen;		/* stamped samples of this window */
	u64 first_start[LW_CLASSES];	/* of the I/O started first since distrusted */
	u32 first[LW_CLASSES];		/* its latency */
	u64 now;
	u64 believe_after;
	u64 inflight;
	u64 idle_since;			/* while nothing is in flight */
	u64 idle;
	bool stamps;
};

static inline void forget_first(struct bench *b)
{
	for (unsigned int c = 0; c < LW_CLASSES; c++) {
		b->first_start[c] = U64_MAX;
		b->first[c] = 0;
	}
}

static inline struct bench bench(bool stamps)
{
	struct bench b = {
		.now = 1000 * SEC,
		.idle_since = 1000 * SEC,
		.stamps = stamps,
	};

	forget_first(&b);
	b.s.closed_ns = b.now;
	b.s.clean = true;
	b.s.patience_ns = LW_PATIENCE_NS;
	return b;
}

/* What starts at the very moment at which the last one ends keeps the path in use. */
static inline void start_at(struct bench *b, u64 t)
{
	if (!b->inflight++)
		b->idle += t - b->idle_since;
	b->flow[C].starts++;
	b->flow[C].start_ns += t;
	b->flow[C].work += lw_work(4096);
}

/* As lw_end_io() does it. */
static inline void end_at(struct bench *b, u64 started, u64 t)
{
	b->flow[C].ends++;
	b->flow[C].end_ns += t;
	if (!--b->inflight)
		b->idle_since = t;
	if (b->stamps && started < b->believe_after)
		return;
	b->flow[C].done++;
	if (!b->stamps)
		return;
	lw_seen_add(&b->seen, t - started, 1);
	if (started < b->first_start[C]) {
		b->first_start[C] = started;
		b->first[C] = lw_ticks(t - started);
	}
}

/* As lw_path_close() does it. */
static inline void close_window(struct bench *b)
{
	s64 held[LW_CLASSES];
	bool fresh;

	b->now += WINDOW;
	lw_estimate_flow(&b->s, b->flow, held,
			 b->idle + (b->inflight ? 0 : b->now - b->idle_since), WINDOW,
			 b->now);
	if (lw_estimate_stall(&b->s, WINDOW))
		b->believe_after = b->now;
	fresh = lw_estimate_proof(&b->s, b->seen.count);
	for (unsigned int c = 0; c < LW_CLASSES; c++)
		lw_estimate_class(&b->s, c, &b->flow[c], held[c],
				  c == C ? &b->seen : &(struct lw_seen){ 0 },
				  fresh);
	lw_estimate_knee(&b->s, lw_estimate_base(&b->s, b->first, fresh), fresh);
	if (!b->s.proven)
		forget_first(b);
	b->s.closed_ns = b->now;
	b->seen = (struct lw_seen){ 0 };
}

/* @n windows with @ios I/Os of @lat each, one after the other. */
static inline void traffic(struct bench *b, int n, int ios, u64 lat)
{
	while (n--) {
		for (int i = 0; i < ios; i++) {
			start_at(b, b->now + i * MS);
			end_at(b, b->now + i * MS, b->now + i * MS + lat);
		}
		close_window(b);
	}
}

/*
 * A closed loop of @depth 4k I/Os on a path with a FIFO server of @service and
 * then a delay: what is in flight longest ends first. Runs @n windows.
 */
struct loop {
	u64 started[64];	/* start of each I/O in flight, oldest first */
	u64 due[64];
	int depth;
	u64 server_free;
};

static inline void loop_start(struct bench *b, struct loop *l, int i, u64 t, u64 service,
		       u64 delay)
{
	l->server_free = max(l->server_free, t) + service;
	l->started[i] = t;
	l->due[i] = l->server_free + delay;
	start_at(b, t);
}

static inline void closed_loop(struct bench *b, struct loop *l, int n, int depth,
			u64 service, u64 delay)
{
	while (n--) {
		u64 until = b->now + WINDOW;

		for (; l->depth < depth; l->depth++)
			loop_start(b, l, l->depth, b->now, service, delay);
		while (l->depth && l->due[0] <= until) {
			u64 t = l->due[0];

			end_at(b, l->started[0], t);
			l->depth--;
			memmove(l->started, l->started + 1, l->depth * sizeof(u64));
			memmove(l->due, l->due + 1, l->depth * sizeof(u64));
			if (l->depth < depth)
				loop_start(b, l, l->depth++, t, service, delay);
		}
		close_window(b);
	}
}

/* The same, with the load varied as the selector does it if the path wants it. */
static inline void nudged_loop(struct bench *b, struct loop *l, int n, int depth,
			       u64 service, u64 delay)
{
	while (n--) {
		closed_loop(b, l, 1, lw_nudge_knee(&b->s.nudge, depth), service, delay);
		if (b->s.nudge.wanted)
			lw_nudge_start(&b->s.nudge, b->s.mean_ns, WINDOW);
	}
}

/* The probes that the path of the bench wants, if it is the only unused one. */
static inline unsigned int wanted(struct bench *b, u64 inflight, u64 recent_q8)
{
	struct lw_probing p = {
		.min_ms = 100,
		.max_ms = 5000,
		.unused = 1,
		.inflight = inflight,
		.recent_q8 = recent_q8,
	};

	return lw_probes_wanted(&b->s, &p);
}

#endif
