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
static inline s64 lw_writes_longer_ns(const struct lw_path_state *s, u32 writes_q16)
{
	return (((s64)writes_q16 - s->writes_q16) * s->write.longer_ns) >> 16;
}

/* Additional latency of an operation over the usual mix. */
static inline s64 lw_op_longer_ns(const struct lw_path_state *s, enum lw_op op)
{
	if (op == LW_OP_DATA)
		return 0;
	if (op == LW_OP_OTHER)
		return s->other.longer_ns;
	return lw_writes_longer_ns(s, op == LW_OP_WRITE ? LW_WRITES_ALL : 0);
}

/* Latency of an idle path for an operation, from that of the usual mix. */
static inline u64 lw_op_base(const struct lw_path_state *s, enum lw_op op, u64 usual_ns)
{
	return max_t(s64, (s64)usual_ns + lw_op_longer_ns(s, op), usual_ns / 64 + 1);
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

	if (!s->writes_known || sum[LW_STAMPED] <= 0)
		return s->writes_q16;
	return min_t(u64, div64_u64((u64)max_t(s64, sum[LW_WRITES], 0) << 16, sum[LW_STAMPED]),
		     LW_WRITES_ALL);
}

/* Adjust a known latency to a longer usual length. */
static inline u64 lw_lengthened(u64 ns, s64 by)
{
	return ns ? max_t(s64, (s64)ns + by, ns / 2 + 1) : 0;
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

/* Let latency and base refer to I/Os of this length, of which this part are writes. */
static inline void lw_refer_to(struct lw_path_state *s, u64 usual_q4, u32 writes_q16)
{
	s64 by = lw_size_longer_ns(&s->size, usual_q4) + lw_writes_longer_ns(s, writes_q16);

	s->size.usual_q4 = usual_q4;
	s->writes_q16 = writes_q16;
	s->base_ns = lw_lengthened(s->base_ns, by);
	lw_op_lengthen(&s->other, by);
}

/* Latency of a usual I/O, from that of such a mixture. */
static inline u64 lw_of_usual(const struct lw_path_state *s, const struct lw_means *m, u64 ns)
{
	s64 longer = lw_size_longer_ns(&s->size, lw_mean_q4(m)) +
		     lw_writes_longer_ns(s, lw_mean_writes(s, m));

	return max_t(s64, (s64)ns - longer, ns / 16 + 1);
}

/* The sums do not span a latency or two yet, which Little's law needs. */
static inline bool lw_too_fresh(const struct lw_path_state *s)
{
	return s->active_ns - s->forgot_ns < 2 * s->base_ns;
}

/*
 * Mean latency: by Little's law, which has waits before the stamp, too, or by stamps where that
 * does not hold: if the load grew or shrank, or if so few ended in the time that the sums span that
 * the I/Os in flight decide.
 */
static inline u64 lw_mean_lat_ns(const struct lw_path_state *s, const struct lw_means *m)
{
	u64 stamped = lw_means_stamped_ns(m);
	bool little = !lw_too_fresh(s) && lw_means_steady(m) &&
		      m->sum[LW_DONE] >= (s64)(LW_LITTLE_ENDS * s->load);

	return stamped && !little ? stamped : lw_means_little_ns(m);
}

/* Latency of a usual I/O. */
static inline void lw_estimate_lat(struct lw_path_state *s)
{
	u64 was = s->lat_ns, off;

	s->lat_ns = lw_of_usual(s, &s->means, lw_mean_lat_ns(s, &s->means));
	off = was ? abs((s64)(s->lat_ns - was)) : 0;
	off = div64_u64(min_t(u64, off, LW_NS_MAX) << 16, max_t(u64, was, 1));
	s->noise_q16 = lw_ewma(s->noise_q16, min_t(u64, off, 1 << 16), LW_NOISE_SHIFT);
}

/**
 * lw_estimate_base() - step 5: base latency
 * @s: the path, with valid completions of data in this window
 * @first_ns: latency of the I/O that started first since the path was invalidated; without stamps,
 *	time from the first start to the first end; 0 if unknown. That I/O queued behind fewer
 *	others than any later one, so the base of a new path begins with it.
 */
static inline void lw_estimate_base(struct lw_path_state *s, u64 first_ns)
{
	if (s->fresh || !s->base_ns)
		s->base_ns = first_ns ? first_ns : s->lat_ns;
	if (lw_too_fresh(s) && !s->stamped)
		return;
	s->base_ns = clamp_t(u64, s->base_ns, div64_u64(s->lat_ns * LW_IO, s->load), s->lat_ns);
}

/* Load that would make the same throughput without a queue, with headroom. */
static inline u64 lw_knee_needed(const struct lw_path_state *s, u64 inflation)
{
	return div64_u64(LW_HEADROOM * s->load, inflation);
}

static inline void lw_knee_step(struct lw_path_state *s, u64 inflation)
{
	u64 reach = s->load + s->load / 3, needed = lw_knee_needed(s, max_t(u64, inflation, 1));

	if (!s->queues && reach + LW_IO / 2 >= s->knee)
		s->knee = max(s->load, s->knee + (inflation <= LW_VERY_FLAT ? s->knee :
						  max_t(u64, s->knee / 16, LW_IO / 2)));
	else if (s->queues && (needed < s->knee || reach > s->knee))
		s->knee = inflation > LW_LEAP ? needed : (s->knee + needed) / 2;
	s->knee = clamp_t(u64, s->knee, LW_KNEE_LEAST, LW_KNEE_MOST);
}

/**
 * lw_estimate_knee() - step 6: trend and knee
 * @s: the path, with valid completions of data in this window
 * @w: sums of the window
 * @window_ns: length of a window
 */
static inline void lw_estimate_knee(struct lw_path_state *s, const struct lw_means *w,
				    u64 window_ns)
{
	struct lw_means span = { 0 };
	unsigned int windows;
	u64 inflation, least;

	if (s->fresh) {
		s->fresh = false;
		s->knee = 2 * LW_IO;
		lw_dip_reset(&s->dip);
	}
	if (lw_too_fresh(s) && !s->stamped)
		return;
	windows = lw_span_windows(s->lat_ns, window_ns);
	if (s->dip.left && s->dip.scouts)
		windows = LW_SCOUT_SPAN;
	least = lw_trend_add(&s->trend, w, windows, lw_size_even(&s->size), &span);
	if (!lw_size_even(&s->size) && span.sum[LW_DONE] < LW_SPAN_MIXED * LW_IO)
		least = 0;
	s->base_ns = max(s->base_ns, least);
	if (span.sum[LW_DONE]) {
		s->dip.load = s->load;
		s->dip.lat_ns = lw_of_usual(s, &span, lw_mean_lat_ns(s, &span));
		s->base_ns = min(s->base_ns, max(s->dip.lat_ns, least));
	}
	inflation = div64_u64(s->lat_ns << 8, max_t(u64, s->base_ns, 1));
	s->queues = inflation > LW_FLAT;
	lw_knee_step(s, inflation);
	s->block_cost = lw_block_cost(&s->size, div64_u64(s->base_ns << 8, s->knee));
	lw_dip_window(&s->dip, inflation > LW_SLACK && s->load > 2 * LW_IO, s->base_ns);
}

/* Windows between small dips: a base that has moved since it was tested is tested soon. */
static inline unsigned int lw_scout_pause(const struct lw_dip *d, u64 base_ns)
{
	if (8 * base_ns < 7 * d->tested_ns || 7 * base_ns > 8 * d->tested_ns)
		return LW_SCOUT_SOON;
	return d->confirmed ? LW_SCOUT_RARE : LW_SCOUT_AGAIN;
}

/* Not where a dip would take too long, nor at a load too small to be a queue. */
static inline bool lw_dip_wanted(const struct lw_path_state *s)
{
	const struct lw_dip *d = &s->dip;

	if (d->left || s->load <= 2 * LW_IO || s->lat_ns >= LW_DIP_FAR_NS)
		return false;
	return d->wait > d->pause || d->flat > lw_scout_pause(d, s->base_ns);
}

/*
 * Eighths of the load that a dip leaves: so few that a queue would end below the base. Above the
 * knee the load falls less than the knee does.
 */
static inline unsigned int lw_dip_eighths(const struct lw_path_state *s)
{
	if (8 * s->load > 9 * s->knee)
		return 4;
	return s->dip.scouts && 256 * s->lat_ns <= LW_SLACK * s->base_ns ? 6 : 5;
}

/* Begin a dip; a deep one that follows at once is deeper still. */
static inline void lw_dip_start(struct lw_path_state *s, u64 window_ns)
{
	struct lw_dip *d = &s->dip;
	unsigned int skip = 1 + div64_u64(2 * s->lat_ns, window_ns);
	u64 most = min(s->knee, s->load);

	d->scouts = d->wait <= d->pause;
	if (!d->scouts && d->flat <= 1)
		most = min(most, d->knee);
	d->knee = max_t(u64, lw_dip_eighths(s) * most / 8, LW_IO);
	d->base_ns = s->base_ns;
	d->was_load = s->load;
	d->left = skip + (d->scouts ? LW_SCOUT_SPAN : lw_span_windows(s->lat_ns, window_ns));
	d->wait = d->scouts ? d->wait : 0;
	d->flat = 0;
	lw_trend_begin(&s->trend, skip, true);
}

/* Limit of the knee, in I/Os without data. */
static inline u64 lw_dip_knee(const struct lw_path_state *s)
{
	return s->dip.left ? s->dip.knee * lw_usual_load(s) / LW_IO : U64_MAX;
}

#endif
