/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When a path that is not used, or not trusted, gets an I/O to find out. Over plain
 * structs, after the steps of model/estimate.h and model/knee.h.
 */
#ifndef LW_PROBE_H
#define LW_PROBE_H

#include "model/path_state.h"

/**
 * struct lw_probing - what goes on, and limits of probing, for a selector
 * @min_ms: shortest period
 * @max_ms: longest period
 * @unused: number of paths that are not used: they share the 1/64
 * @inflight: I/Os in flight on all its paths
 * @recent_q8: sum of lw_path_state.recent_q8 of all of them
 * @usual_q4: usual length of their I/Os, in blocks, in Q4; 0 for unknown
 */
struct lw_probing {
	unsigned int min_ms;
	unsigned int max_ms;
	unsigned int unused;
	u64 inflight;
	u64 recent_q8;
	u64 usual_q4;
};

/* Less than 1/64 of the traffic: the path lives on probes. */
static inline bool lw_path_unused(const struct lw_path_state *s, u64 recent_q8)
{
	return s->recent_q8 < recent_q8 >> 6;
}

/* A path is not judged by a single window: the first I/O may have met a pause. */
#define LW_PROBE_SOON	4U

/* With so many I/Os in flight on all paths, one more that may hang is 1/64 of them. */
#define LW_PROBE_AROUND	64U

/* How long the path rests between two probes, ns of active time. */
static inline u64 lw_probe_period_ns(const struct lw_path_state *s, const struct lw_probing *p)
{
	u64 lat = lw_path_lat(s) * (lw_path_unused(s, p->recent_q8) ? max(p->unused, 1U) : 4);

	if (s->seen_windows < LW_PROBE_SOON)
		return p->min_ms * 1000000ULL;
	return lw_probe_period_ms(lat, p->inflight, p->min_ms, p->max_ms) * 1000000ULL;
}

/* When any class was seen last. */
static inline u64 lw_path_seen_ns(const struct lw_path_state *s)
{
	u64 seen = 0;
	unsigned int c;

	lw_for_each_class(c, s)
		seen = max(seen, s->cls[c].seen_ns);
	return seen;
}

/**
 * lw_probe_wanted() - does the path want a probe?
 * @s: the path
 * @p: the map's limits
 *
 * Periods count time with traffic only, so that an I/O now and then is not
 * always a probe.
 *
 * A path with work in flight that completes nothing is not probed: the work in
 * flight is the probe, and each further I/O would be stuck like it. But a single one may be
 * lost, which times out after half a minute while the path works; so if many others are in
 * flight, that is if the path is missed, a second one finds out.
 */
static inline bool lw_probe_wanted(const struct lw_path_state *s, const struct lw_probing *p)
{
	if (s->inflight && (s->stalled || !s->proven || !s->ends))
		return s->stalled && s->inflight == 1 && p->inflight >= LW_PROBE_AROUND;
	return !s->proven || s->active_ns - lw_path_seen_ns(s) >= lw_probe_period_ns(s, p);
}

#endif
