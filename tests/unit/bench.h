/* SPDX-License-Identifier: GPL-2.0 */
/* A path whose every I/O the test decides, and the windows over it. */
#ifndef BENCH_H
#define BENCH_H

#include "unit.h"
#include "model/bracket.h"
#include "model/estimate.h"
#include "model/probe.h"
#include "model/shown.h"
#include "model/stall.h"

#define WINDOW (20 * MS)
#define C LW_CLASS_32K

/* A path, its counts, and the clock. */
struct bench {
	struct lw_path_state s;
	struct lw_counters counters[LW_CLASSES];
	u64 first_start;		/* of the data I/O started first since valid_from */
	u32 first;			/* its latency */
	u64 sent;			/* when the first data I/O since then was started */
	u64 now;
	u64 valid_from;
	u64 old_ends;			/* of I/Os from before that, in the window */
	u64 inflight;
	u64 blocks;			/* theirs */
	u64 found;			/* by the starts of the window */
	u64 idle_since;			/* while nothing is in flight */
	u64 idle;
	bool stamps;
	bool by_op;
	u64 late;		/* each window, by this */
	bool outliers;		/* I/Os of eight times the base are outliers */
	struct lw_op_samples writes;	/* of the window */
};

static inline void forget_first(struct bench *b)
{
	b->first_start = U64_MAX;
	b->first = 0;
}

static inline struct bench bench(bool stamps)
{
	struct bench b = {
		.now = 1000 * SEC,
		.idle_since = 1000 * SEC,
		.stamps = stamps,
	};

	forget_first(&b);
	b.s.counted.closed_ns = b.now;
	b.s.health.stall_timeout_ns = LW_STALL_TIMEOUT_NS;
	b.s.w.ewma_shift = 2;
	b.s.counted.classes = (1UL << LW_CLASSES) - 1;
	return b;
}

/* What starts at the very moment at which the last one ends keeps the path in use. */
static inline void start_sized(struct bench *b, size_t bytes, u64 t)
{
	struct lw_counters *counters = &b->counters[lw_class(bytes)];

	if (!b->inflight++)
		b->idle += t - b->idle_since;
	b->blocks += lw_blocks(bytes);
	b->found += b->inflight;
	counters->starts++;
	counters->sum_ns -= t;
	counters->blocks += lw_blocks(bytes);
	if (lw_class_is_data(lw_class(bytes)) && !b->sent)
		b->sent = t;
}

/* As lw_note_first_end() and lw_note_first_end_unstamped() do it. */
static inline void note_first(struct bench *b, u64 started, u64 t)
{
	if (!b->stamps && !b->first && b->sent && t > b->sent)
		b->first = lw_ticks(t - b->sent);
	if (!b->stamps || started >= b->first_start)
		return;
	b->first_start = started;
	b->first = lw_ticks(t - started);
}

/* As lw_count_outlier() does it, if the test has outliers. */
static inline u64 outlier(struct bench *b, u64 took_ns)
{
	u64 above_ns = b->outliers ? took_ns - b->s.capacity.base_ns : 0;

	if (took_ns < 8 * b->s.capacity.base_ns || !above_ns)
		return 0;
	b->s.w.outliers.number++;
	b->s.w.outliers.of_samples_ns += above_ns;
	return above_ns;
}

/* As lw_end_io() does it. */
static inline void end_op(struct bench *b, enum lw_op op, size_t bytes, u64 started, u64 t)
{
	struct lw_counters *counters = &b->counters[lw_class(bytes)];

	counters->ends++;
	counters->sum_ns += t;
	b->blocks -= lw_blocks(bytes);
	if (!--b->inflight)
		b->idle_since = t;
	if (b->stamps && started < b->valid_from) {
		b->old_ends++;
		return;
	}
	counters->done++;
	counters->took_ns += b->stamps ? t - started - outlier(b, t - started) : 0;
	if (!lw_class_is_data(lw_class(bytes)))
		return;
	note_first(b, started, t);
	if (op != LW_OP_WRITE || !b->by_op)
		return;
	b->writes.count++;
	b->writes.blocks += lw_blocks(bytes);
	b->writes.took_ns += t - started;
}

static inline void end_sized(struct bench *b, size_t bytes, u64 started, u64 t)
{
	end_op(b, LW_OP_READ, bytes, started, t);
}

static inline void start_at(struct bench *b, u64 t)
{
	start_sized(b, 4096, t);
}

static inline void end_at(struct bench *b, u64 started, u64 t)
{
	end_sized(b, 4096, started, t);
}

/* As lw_device_close() does it. */
static inline void close_window(struct bench *b)
{
	struct lw_class_window classes[LW_CLASSES];
	struct lw_means window;
	bool seen;

	b->now += WINDOW + b->late;
	b->s.health.hung.ends = b->old_ends;
	b->old_ends = 0;
	b->s.w.writes = b->writes;
	b->s.w.writes_known = b->by_op;
	b->writes = (struct lw_op_samples){ 0 };
	b->s.w.found = b->found;
	b->found = 0;
	lw_estimate_load(&b->s.w, &b->s.counted, b->counters, classes,
			 b->idle + (b->inflight ? 0 : b->now - b->idle_since), WINDOW,
			 b->now, b->s.latency.lat_ns);
	if (lw_estimate_stall(&b->s, WINDOW))
		b->valid_from = b->now;
	b->s.capacity.fresh |= lw_estimate_validity(&b->s) == LW_VALIDATED_NEW;
	seen = lw_estimate_latency(&b->s, classes, &window);
	if (seen) {
		lw_estimate_base(&b->s.capacity, &b->s, (u64)b->first << LW_TICK_SHIFT);
		lw_estimate_knee(&b->s.capacity, &b->s, &window, WINDOW);
	}
	lw_estimate_operations(&b->s.kinds, &b->s, seen);
	lw_outliers_add(&b->s.capacity.outliers, b->s.w.ends, &b->s.w.outliers,
			b->s.capacity.base_ns, b->s.latency.lat_ns, false);
	b->s.w.outliers = (struct lw_outlier_ends){ 0 };
	if (!b->s.health.validated)
		forget_first(b);
	if (!b->s.health.validated && (b->s.health.stalled || b->s.health.mixed || b->s.health.old))
		b->sent = 0;
}

/* As lw_reinstate_path() and the next window do it. */
static inline void reinstate(struct bench *b)
{
	lw_path_restart(&b->s, b->inflight, b->blocks);
	b->valid_from = b->now;
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

/* For longer than a probe is ever waited for nothing comes: then one I/O. */
static inline void probe(struct bench *b, u64 lat)
{
	b->now += 100 * MS;
	close_window(b);
	traffic(b, 1, 1, lat);
}

/*
 * A closed loop of @depth I/Os on a path with a FIFO server of @service, and so much more
 * for each block, and then a delay: what is in flight longest ends first. Of 4k, unless
 * @sizes says otherwise. Runs @n windows.
 */
struct loop {
	u64 started[64];	/* start of each I/O in flight, oldest first */
	u64 due[64];
	size_t bytes[64];
	int depth;
	u64 server_free;
	size_t (*size)(struct loop *l);
	u64 per_block;
	unsigned int seed;
};

static inline void loop_start(struct bench *b, struct loop *l, int i, u64 t, u64 service,
			      u64 delay)
{
	size_t bytes = l->size ? l->size(l) : 4096;

	l->server_free = max(l->server_free, t) + service + lw_blocks(bytes) * l->per_block;
	l->started[i] = t;
	l->due[i] = l->server_free + delay;
	l->bytes[i] = bytes;
	start_sized(b, bytes, t);
}

static inline u64 loop_end(struct bench *b, struct loop *l)
{
	u64 t = l->due[0];

	end_sized(b, l->bytes[0], l->started[0], t);
	l->depth--;
	memmove(l->started, l->started + 1, l->depth * sizeof(u64));
	memmove(l->due, l->due + 1, l->depth * sizeof(u64));
	memmove(l->bytes, l->bytes + 1, l->depth * sizeof(size_t));
	return t;
}

static inline void closed_loop(struct bench *b, struct loop *l, int n, int depth,
			       u64 service, u64 delay)
{
	while (n--) {
		u64 until = b->now + WINDOW + b->late;

		for (; l->depth < depth; l->depth++)
			loop_start(b, l, l->depth, b->now, service, delay);
		while (l->depth && l->due[0] <= until) {
			u64 t = loop_end(b, l);

			if (l->depth < depth)
				loop_start(b, l, l->depth++, t, service, delay);
		}
		close_window(b);
	}
}

/* The same, with the load varied as the selector does it if the path wants it. */
static inline void steered_loop(struct bench *b, struct loop *l, int n, u64 depth, bool spills,
				u64 service, u64 delay)
{
	while (n--) {
		u64 most = depth * LW_IO;

		if (b->s.capacity.dip.left)
			most = min(most, b->s.capacity.dip.knee);
		if (spills)
			most = min(most, b->s.capacity.knee);
		closed_loop(b, l, 1, max_t(u64, most / LW_IO, 1), service, delay);
		if (lw_dip_wanted(&b->s.capacity, &b->s.latency))
			lw_dip_start(&b->s.capacity, &b->s.latency,
				     lw_size_even(&b->s.kinds.size.sums), WINDOW);
	}
}

/* Nothing can take the load but in a dip. */
static inline void dipped_loop(struct bench *b, struct loop *l, int n, int depth,
			       u64 service, u64 delay)
{
	steered_loop(b, l, n, depth, false, service, delay);
}

/* Another path takes what is above the knee. */
static inline void spilling_loop(struct bench *b, struct loop *l, int n, int depth,
				 u64 service, u64 delay)
{
	steered_loop(b, l, n, depth, true, service, delay);
}

/* Nothing completes for so long; then the path goes on with what it has. */
static inline void loop_pause(struct loop *l, u64 ns)
{
	for (int i = 0; i < l->depth; i++)
		l->due[i] += ns;
	l->server_free += ns;
}

/* Does the path of the bench want a probe, if it is the only unused one? */
static inline bool wanted(struct bench *b, u64 inflight, u64 recent_q8)
{
	struct lw_probing p = {
		.min_ms = 100,
		.max_ms = 5000,
		.unused = 1,
		.inflight = inflight,
		.recent_q8 = recent_q8,
	};

	return lw_probe_wanted(&b->s, &p);
}

/* What it has in flight does not complete for so many windows. */
static inline void stall(struct bench *b, int windows)
{
	start_at(b, b->now + 1);
	while (windows--)
		close_window(b);
}

/* Those that were held end; none of them is a sample. */
static inline void release(struct bench *b, u64 started)
{
	while (b->inflight)
		end_at(b, started, b->now + MS);
	close_window(b);
}

#endif
