/* SPDX-License-Identifier: GPL-2.0 */
/* Does throughput follow the load, so that latency is distance, or does it stay, in a queue? */
#ifndef LW_TREND_H
#define LW_TREND_H

#include "model/constants.h"
#include "model/means.h"

/* Two spans of windows whose loads differ; in I/Os of any length, as prices change with it. */
struct lw_trend {
	struct lw_means span;	/* sums of the current span, which do not fade */
	unsigned int skip;	/* windows until it begins */
	unsigned int windows;	/* windows in it */
	u64 load;		/* load of the span before, in Q8; 0 for none */
	u64 lat_ns;		/* its latency */
};

/* Windows in a span: I/Os that start together also end together. */
static inline unsigned int lw_span_windows(unsigned int least, u64 lat_ns, u64 window_ns)
{
	return max_t(u64, least,
		     div64_u64(LW_SPAN_LATENCIES * min(lat_ns, LW_NS_MAX), window_ns));
}

/* Do two loads, or two latencies, differ by less than a quarter? */
static inline bool lw_near(u64 a, u64 b)
{
	return 4 * (max(a, b) - min(a, b)) < min(a, b);
}

/* Begin a span after so many windows; compare it with what was before only if @compare. */
static inline void lw_trend_begin(struct lw_trend *t, unsigned int skip, bool compare)
{
	t->span = (struct lw_means){ 0 };
	t->windows = 0;
	t->skip = skip;
	if (!compare)
		t->load = 0;
}

/**
 * lw_trend_base() - least base that two loads of a path allow
 * @lo: the smaller load, in Q8
 * @lat_lo: latency under it
 * @hi: the larger load
 * @lat_hi: latency under it
 * @even: I/Os are of one length
 *
 * If the latency grew by less than a quarter of what a queue would have added, the path was not
 * full under the smaller load, and what it took then is distance. If throughput grew by a quarter
 * at least, the path was partly idle then: rho, the part of the larger throughput, is its
 * utilisation, and of the latency only the wait of a server of even times is no distance: rho /
 * (2 (1 - rho)) services (M/D/1).
 *
 * Return: ns, 0 if they tell nothing.
 */
static inline u64 lw_trend_base(u64 lo, u64 lat_lo, u64 hi, u64 lat_hi, bool even)
{
	u64 rho = div64_u64(div64_u64(lo << 20, hi) * lat_hi, max_t(u64, lat_lo, 1)) >> 10, wait;

	if (lat_hi <= lat_lo || 4 * (lat_hi - lat_lo) * lo < lat_lo * (hi - lo))
		return lat_lo;
	if (rho >= LW_TREND_FOLLOWS || !even)
		return 0;
	wait = div64_u64(div64_u64(lat_hi << 8, hi) * rho, 2 * (1024 - rho));
	return lat_lo - min(wait, lat_lo);
}

/**
 * lw_trend_add() - add a window
 * @t: the trend
 * @w: its sums
 * @windows: lw_span_windows()
 * @even: I/Os are of one length
 * @of: out: sums of a span that is complete; else as it was
 * Return: least latency without load that the trend allows, 0 if it tells nothing.
 */
static inline u64 lw_trend_add(struct lw_trend *t, const struct lw_means *w, unsigned int windows,
			       bool even, struct lw_means *of)
{
	u64 load, lat_ns, was = t->load, was_ns = t->lat_ns;
	bool near;

	if (t->skip) {
		t->skip--;
		return 0;
	}
	lw_means_add(&t->span, w);
	if (++t->windows < windows || !t->span.sum[LW_STARTS])
		return 0;
	load = min_t(u64, LW_LOAD_LIMIT,
		     lw_quotient_q8(t->span.sum[LW_SEEN_IOS], t->span.sum[LW_STARTS]));
	lat_ns = lw_means_little_ns(&t->span);
	*of = t->span;
	t->span = (struct lw_means){ 0 };
	t->windows = 0;
	/* A load that drifts is compared with where it began; a path that changed is another. */
	near = was && lw_near(load, was);
	if (near && lw_near(lat_ns, was_ns))
		return 0;
	t->load = near ? 0 : load;
	t->lat_ns = lat_ns;
	if (!was || near)
		return 0;
	return load < was ? lw_trend_base(load, lat_ns, was, was_ns, even) :
			    lw_trend_base(was, was_ns, load, lat_ns, even);
}

/*
 * Lowers the load for a while, as a constant one tells nothing: if throughput falls with it, there
 * is no queue; if not, latency does, and the base with it. More load instead would cost latency.
 */
struct lw_dip {
	unsigned int left;	/* windows until the dip ends, 0 for none */
	unsigned int span;	/* windows of it that are measured */
	unsigned int wait;	/* windows so far without one */
	unsigned int pause;	/* windows between dips; grows while dips only confirm the base */
	unsigned int flat;	/* windows since the last dip */
	bool scouts;		/* a small one: is what seems flat a queue after all? */
	u64 knee;		/* limit of the knee during the dip, in usual I/Os */
	u64 base_ns;		/* base at its begin; 0 between dips */
	u64 tested_ns;		/* base at the end of the last one, */
	bool confirmed;		/* which it confirmed: the load fell, and latency stayed there */
	u64 was_load;		/* load at its begin */
	u64 was_ns;		/* latency at its begin */
	u64 lat_ns;		/* latency during it; 0 for unknown */
	u64 load;		/* load during it */
};

/*
 * Did latency fall with the load, by half of its part at least? Then the rest may be a queue,
 * too. A queue of more than the base needs too deep a dip, which others would suffer from.
 */
static inline bool lw_dip_left_queue(const struct lw_dip *d, u64 base_ns)
{
	u64 left_q8 = lw_quotient_q8(d->lat_ns, d->was_ns);

	if (16 * d->load > 15 * d->was_load || d->knee <= 2 * LW_IO ||
	    256 * d->lat_ns > LW_LEAP * base_ns)
		return false;
	return 2 * left_q8 <= 256 + lw_quotient_q8(d->load, d->was_load);
}

static inline bool lw_dip_confirms(const struct lw_dip *d, u64 base_ns)
{
	return 8 * d->load <= 7 * d->was_load && 16 * d->lat_ns >= 15 * d->base_ns &&
	       16 * base_ns >= 15 * d->base_ns && 256 * d->lat_ns <= LW_FLAT * base_ns &&
	       !lw_dip_left_queue(d, base_ns);
}

/**
 * lw_dip_window() - a window ends
 * @d: the dip
 * @wants: the load may be a queue, so it counts for the next dip
 * @base_ns: base of the path
 *
 * A dip that lowers the base, or that leaves a queue, is followed by the next at once, until one
 * has left none. Those that only confirm the base, or lower no load, become rare.
 */
static inline void lw_dip_window(struct lw_dip *d, bool wants, u64 base_ns)
{
	if (d->left && --d->left)
		return;
	if (d->base_ns) {
		if (8 * base_ns < 7 * d->base_ns || lw_dip_left_queue(d, base_ns))
			d->wait = d->pause + 1;
		else if (15 * base_ns > 16 * d->base_ns)
			d->pause = LW_DIP_FIRST;
		else if (!d->scouts)
			d->pause = min(LW_DIP_GROWS * d->pause, LW_DIP_MOST);
		d->confirmed = lw_dip_confirms(d, base_ns);
		d->base_ns = 0;
		d->tested_ns = base_ns;
	}
	d->wait += wants;
	d->flat++;
}

#endif
