/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Base and knee of a path, from its latency L and the load N that I/Os find when they start. Behind
 * any delay a single server obeys
 *
 *	L / N <= base <= L
 *
 * so the base stays as it is unless this forces it. What is not flat queues, and the knee becomes
 * what would do without a queue. If it did not queue after all, load leaves with the knee, until
 * at one I/O both sides meet and base = L is exact: a wrong belief ends what it was based on.
 */
#ifndef LW_BRACKET_H
#define LW_BRACKET_H

#include "model/constants.h"
#include "model/path_state.h"

/* Additional latency if this part of the I/Os are writes, over the usual part. */
static inline s64 lw_writes_longer_ns(const struct lw_kinds *k, u32 writes_q16)
{
	return (((s64)writes_q16 - k->writes_q16) * k->write.longer_ns) >> 16;
}

/* Additional latency of an operation over the usual mix. */
static inline s64 lw_op_longer_ns(const struct lw_kinds *k, enum lw_op op)
{
	if (op == LW_OP_DATA)
		return 0;
	if (op == LW_OP_OTHER)
		return k->other.longer_ns;
	return lw_writes_longer_ns(k, op == LW_OP_WRITE ? LW_WRITES_ALL : 0);
}

/* Latency of an idle path for an operation, from that of the usual mix. */
static inline u64 lw_op_base(const struct lw_kinds *k, enum lw_op op, u64 usual_ns)
{
	return max_t(s64, (s64)usual_ns + lw_op_longer_ns(k, op), usual_ns / 64 + 1);
}

/* Mean length of completions, in Q4 blocks. */
static inline u64 lw_mean_q4(const struct lw_means *m)
{
	const s64 *sum = m->sum;

	return clamp_t(u64, lw_quotient_q8(max_t(s64, sum[LW_BLOCKS], 0), sum[LW_DONE]) >> 4,
		       1, LW_DATA_MAX >> 8);
}

/* Part of writes among them; the usual one if it is unknown. */
static inline u32 lw_mean_writes(const struct lw_path_state *s, const struct lw_means *m)
{
	const s64 *sum = m->sum;

	if (!s->w.writes_known || sum[LW_STAMPED] <= 0)
		return s->kinds.writes_q16;
	return min_t(u64, div64_u64((u64)max_t(s64, sum[LW_WRITES], 0) << 16, sum[LW_STAMPED]),
		     LW_WRITES_ALL);
}

/* The usual latency grew, so the operation exceeds it by that much less. */
static inline void lw_op_lengthen(struct lw_op_latency *o, s64 by)
{
	if (!o->weight)
		return;
	by = clamp_t(s64, by, -LW_OP_LONGEST, LW_OP_LONGEST);
	o->sum -= by * o->weight;
	o->longer_ns -= by;
}

/*
 * Let latency refer to I/Os of this length, with this part of writes. Return by how much
 * longer these take; see lw_base_lengthen().
 */
static inline s64 lw_refer_to(struct lw_kinds *k, u64 usual_q4, u32 writes_q16)
{
	s64 by = lw_size_longer_ns(&k->size, usual_q4) + lw_writes_longer_ns(k, writes_q16);

	k->size.usual_q4 = usual_q4;
	k->writes_q16 = writes_q16;
	lw_op_lengthen(&k->other, by);
	return by;
}

/* A latency that is kept, 0 for unknown. */
static inline void lw_lengthen(u64 *ns, s64 by)
{
	*ns = *ns ? max_t(s64, (s64)*ns + by, *ns / 2 + 1) : 0;
}

/*
 * Usual I/Os take longer now, see lw_refer_to(), so a known base does. If that is by their part of
 * writes, it asks for no small dip: dips themselves bring other paths I/Os of the wrong operation.
 */
static inline void lw_base_lengthen(struct lw_capacity *cap, s64 by, s64 by_writes)
{
	lw_lengthen(&cap->base_ns, by);
	lw_lengthen(&cap->dip.tested_ns, by_writes);
}

/* Latency of a usual I/O, from that of such a mixture. */
static inline u64 lw_of_usual(const struct lw_path_state *s, const struct lw_means *m, u64 ns)
{
	s64 longer = lw_size_longer_ns(&s->kinds.size, lw_mean_q4(m)) +
		     lw_writes_longer_ns(&s->kinds, lw_mean_writes(s, m));

	return max_t(s64, (s64)ns - longer, ns / 16 + 1);
}

/* The sums do not span a latency or two yet, which Little's law needs. */
static inline bool lw_too_fresh(const struct lw_path_state *s)
{
	return s->counted.active_ns - s->latency.forgot_ns < 2 * s->capacity.base_ns;
}

/*
 * Mean latency: by Little's law, which has waits before the stamp, too, or by stamps where that
 * does not hold: if the load grew or shrank, or if so few ended that the I/Os in flight, whose time
 * is not over, distort the quotient. But if stamps tell of less than half of the I/Os in flight,
 * the others waited before the stamp.
 */
static inline u64 lw_mean_lat_ns(const struct lw_path_state *s, const struct lw_means *m)
{
	u64 stamped = lw_means_stamped_ns(m), little = lw_means_little_ns(m);
	bool holds = !lw_too_fresh(s) && lw_means_steady(m) &&
		     (m->sum[LW_DONE] >= (s64)(LW_LITTLE_ENDS * s->latency.load) ||
		      2 * stamped < little);

	return stamped && !holds ? stamped : little;
}

/* Latency of a usual I/O. */
static inline void lw_estimate_lat(struct lw_latency *l, const struct lw_path_state *s)
{
	u64 was = l->lat_ns, off;

	l->lat_ns = lw_of_usual(s, &l->means, lw_mean_lat_ns(s, &l->means));
	off = was ? abs((s64)(l->lat_ns - was)) : 0;
	off = div64_u64(min_t(u64, off, LW_NS_MAX) << 16, max_t(u64, was, 1));
	l->noise_q16 = lw_ewma(l->noise_q16, min_t(u64, off, 1 << 16), LW_NOISE_SHIFT);
}

/**
 * lw_estimate_base() - step 5: base latency
 * @cap: the path's capacity
 * @s: the path, with valid completions of data in this window
 * @first_ns: latency of the I/O that started first since the path was invalidated; without stamps,
 *	time from the first start to the first end; 0 if unknown. That I/O queued behind fewer
 *	others than any later one, so the base of a new path begins with it.
 */
static inline void lw_estimate_base(struct lw_capacity *cap, const struct lw_path_state *s,
				    u64 first_ns)
{
	const struct lw_latency *l = &s->latency;
	u64 least = 0;

	if (cap->fresh || !cap->base_ns)
		cap->base_ns = first_ns ? first_ns : l->lat_ns;
	if (lw_too_fresh(s) && !s->health.stamped)
		return;
	/* While the load shrinks, I/Os that end found more of it than those that start. */
	if (l->means.sum[LW_GREW] >= 0 || lw_means_steady(&l->means))
		least = div64_u64(l->lat_ns * LW_IO, l->load);
	cap->base_ns = clamp_t(u64, cap->base_ns, least, l->lat_ns);
}

static inline void lw_knee_step(struct lw_capacity *cap, u64 load, u64 inflation)
{
	/* Load that would make the same throughput without a queue, with headroom. */
	u64 needed = div64_u64(LW_HEADROOM * load, max_t(u64, inflation, 1));
	u64 reach = load + load / 3, knee = cap->knee;

	if (!cap->queues && reach + LW_IO / 2 >= knee)
		knee = max(load, knee + (inflation <= LW_VERY_FLAT ? knee :
					 max_t(u64, knee / 16, LW_IO / 2)));
	else if (cap->queues)
		knee = inflation > LW_LEAP ? needed : (knee + needed) / 2;
	cap->knee = clamp_t(u64, knee, LW_KNEE_LEAST, LW_KNEE_MOST);
}

/**
 * lw_estimate_knee() - step 6: trend and knee
 * @cap: the path's capacity
 * @s: the path, with valid completions of data in this window
 * @w: sums of the window
 * @window_ns: length of a window
 */
static inline void lw_estimate_knee(struct lw_capacity *cap, const struct lw_path_state *s,
				    const struct lw_means *w, u64 window_ns)
{
	u64 inflation, least, load = s->latency.load, lat_ns = s->latency.lat_ns;
	bool even = lw_size_even(&s->kinds.size.sums);
	struct lw_means span = { 0 };
	unsigned int windows;

	if (cap->fresh) {
		cap->fresh = false;
		cap->knee = 2 * LW_IO;
		cap->dip = (struct lw_dip){ .pause = LW_DIP_FIRST };
	}
	if (lw_too_fresh(s) && !s->health.stamped)
		return;
	windows = cap->dip.left ? cap->dip.span :
				  lw_span_windows(LW_SPAN_WINDOWS, lat_ns, window_ns);
	least = lw_trend_add(&cap->trend, w, windows, even, &span);
	if (!even && span.sum[LW_DONE] < LW_SPAN_MIXED * LW_IO)
		least = 0;
	cap->base_ns = max(cap->base_ns, least);
	if (span.sum[LW_DONE]) {
		cap->dip.load = load;
		cap->dip.lat_ns = lw_of_usual(s, &span, lw_mean_lat_ns(s, &span));
		cap->base_ns = min(cap->base_ns, max(cap->dip.lat_ns, least));
	}
	inflation = div64_u64(lat_ns << 8, max_t(u64, cap->base_ns, 1));
	cap->queues = inflation > LW_FLAT;
	lw_knee_step(cap, load, inflation);
	cap->block_cost = lw_block_cost(&s->kinds.size, div64_u64(cap->base_ns << 8, cap->knee));
	lw_dip_window(&cap->dip, inflation > LW_SLACK && load > 2 * LW_IO, cap->base_ns);
}

/* Windows between small dips: a base that has moved since it was tested is tested soon. */
static inline unsigned int lw_scout_pause(const struct lw_dip *d, u64 base_ns)
{
	if (8 * base_ns < 7 * d->tested_ns || 7 * base_ns > 8 * d->tested_ns)
		return LW_SCOUT_SOON;
	return d->confirmed ? LW_SCOUT_RARE : LW_SCOUT_AGAIN;
}

/* Not where a dip would take too long, nor at a load too small to be a queue. */
static inline bool lw_dip_wanted(const struct lw_capacity *cap, const struct lw_latency *l)
{
	const struct lw_dip *d = &cap->dip;

	if (d->left || l->load <= 2 * LW_IO || l->lat_ns >= LW_DIP_FAR_NS)
		return false;
	return d->wait > d->pause || d->flat > lw_scout_pause(d, cap->base_ns);
}

/*
 * Eighths of the load that a dip leaves: so few that a queue would end below the base. Above the
 * knee the load falls less than the knee does.
 */
static inline unsigned int lw_dip_eighths(const struct lw_capacity *cap, const struct lw_latency *l)
{
	if (8 * l->load > 9 * cap->knee)
		return 4;
	/* What looks flat is only looked at. */
	return cap->dip.scouts && 256 * l->lat_ns <= LW_SLACK * cap->base_ns ? 6 : 5;
}

/* Begin a dip; a short one if lengths are mixed, which other paths then have to learn. */
static inline void lw_dip_start(struct lw_capacity *cap, const struct lw_latency *l, bool even,
				u64 window_ns)
{
	unsigned int least = even ? LW_SPAN_WINDOWS : LW_DIP_MIXED;
	struct lw_dip *d = &cap->dip;
	unsigned int skip = 1 + div64_u64(2 * l->lat_ns, window_ns);
	u64 most = min(cap->knee, l->load);

	d->scouts = d->wait <= d->pause;
	d->knee = max_t(u64, lw_dip_eighths(cap, l) * most / 8, LW_IO);
	d->base_ns = cap->base_ns;
	d->was_load = l->load;
	d->was_ns = l->lat_ns;
	d->span = d->scouts ? LW_SCOUT_SPAN : lw_span_windows(least, l->lat_ns, window_ns);
	d->left = skip + d->span;
	d->wait = d->scouts ? d->wait : 0;
	d->flat = 0;
	lw_trend_begin(&cap->trend, skip, true);
}

/* Limit of the knee, in I/Os without data. */
static inline u64 lw_dip_knee(const struct lw_path_state *s)
{
	const struct lw_dip *d = &s->capacity.dip;

	return d->left ? d->knee * lw_usual_load(s) / LW_IO : U64_MAX;
}

#endif
