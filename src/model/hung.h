/* SPDX-License-Identifier: GPL-2.0 */
/*
 * I/Os from before the last reinstatement of a path. They may hang until they time out, although
 * user space says that the path works, so they are no load, and nothing waits for them.
 *
 * An end tells by its time stamp that it is one of theirs. But SCSI aborts what times out and
 * starts it again, with a new time stamp. So they are also no more than what the latencies of all
 * others leave unexplained of the I/Os in flight.
 */
#ifndef LW_HUNG_H
#define LW_HUNG_H

#include "model/constants.h"
#include "model/math.h"

struct lw_hung {
	u64 ios;	/* how many are left */
	u64 were;	/* at the end of the last window */
	u64 blocks_q4;	/* mean length of one */
	u64 ends;	/* ends of theirs in the window, by their stamps */
	s64 left_ns;	/* I/O-nanoseconds that no latency explains */
	s64 hidden_ns;	/* the same, but without allowance for early stamps */
	u64 span_ns;	/* in so much time */
	u64 hidden_q8;	/* I/Os of hidden_ns in the last span, in Q8 */
};

/* A path is reinstated, with so many I/Os and blocks in flight. */
static inline void lw_hung_begin(struct lw_hung *h, u64 ios, u64 blocks)
{
	*h = (struct lw_hung){
		.ios = ios,
		.were = ios,
		.blocks_q4 = div64_u64(blocks << 4, max_t(u64, ios, 1)),
	};
}

/* I/O-nanoseconds in flight in a window without hung I/Os. */
static inline s64 lw_hung_without(const struct lw_hung *h, s64 held_ns, u64 elapsed_ns)
{
	u64 hung_ns = min_t(u64, h->were, 1 << 20) * min_t(u64, elapsed_ns, 1ULL << 36);

	return h->were ? max_t(s64, held_ns - (s64)hung_ns, 0) : held_ns;
}

/**
 * lw_hung_class() - I/O-nanoseconds of a class in a window, without hung I/Os
 * @h: hung I/Os, of any class
 * @held_ns: I/O-nanoseconds in flight
 * @elapsed_ns: length of the window
 * @took_ns: sum of the latencies of ends
 * @none: stamps work, but nothing ended; if this is false and @took_ns 0, there are no stamps
 *
 * By Little's law an I/O that hangs would make its class seem to take seconds.
 */
static inline s64 lw_hung_class(const struct lw_hung *h, s64 held_ns, u64 elapsed_ns,
				u64 took_ns, bool none)
{
	if (h->were && (took_ns || none))
		return took_ns;
	return lw_hung_without(h, held_ns, elapsed_ns);
}

/**
 * lw_hung_add() - add a window to the unexplained time
 * @h: hung I/Os
 * @held_ns: I/O-nanoseconds in flight
 * @took_ns: sum of the latencies of ends
 * @samples: how many ended
 * @elapsed_ns: length of the window
 *
 * From Linux 6.9 on, a request's stamp may be older than its start: a plug reads the clock once for
 * all that is flushed with it.
 */
static inline void lw_hung_add(struct lw_hung *h, s64 held_ns, u64 took_ns, u64 samples,
			       u64 elapsed_ns)
{
	const s64 most = 1LL << 60;

	h->hidden_ns = clamp_t(s64, h->hidden_ns + clamp_t(s64, held_ns, -most, most) -
				    (s64)min_t(u64, took_ns, most), -most, most);
	took_ns -= min(took_ns, min_t(u64, samples, 1ULL << 32) * LW_HUNG_EARLY_NS);
	h->left_ns = clamp_t(s64, h->left_ns + clamp_t(s64, held_ns, -most, most) -
				  (s64)min_t(u64, took_ns, most), -most, most);
	h->span_ns += elapsed_ns;
}

/**
 * lw_hung_step() - how many are left after a window
 * @h: hung I/Os
 * @inflight: I/Os in flight at its end
 * @lat_ns: latency of the path
 *
 * Of an I/O that spans two spans, held time and latency count in different ones: up to a part of
 * the I/Os in flight, as a span is LW_HUNG_LATENCIES long. Rather too many than too few: one that
 * hangs and is taken for a newer one keeps the path from being used. So without stamps no end is
 * taken for theirs.
 */
static inline void lw_hung_step(struct lw_hung *h, u64 inflight, u64 lat_ns)
{
	u64 span_ns = max_t(u64, LW_HUNG_SPAN_NS, LW_HUNG_LATENCIES * min(lat_ns, LW_NS_MAX));
	u64 left;

	h->were = h->ios;
	h->ios = min(h->ios - min(h->ios, h->ends), inflight);
	if (h->span_ns < span_ns)
		return;
	left = div64_u64(max_t(s64, h->left_ns, 0), h->span_ns);
	h->hidden_q8 = lw_quotient_q8(max_t(s64, h->hidden_ns, 0), h->span_ns);
	h->hidden_ns = 0;
	h->ios = min(h->ios, left + inflight / LW_HUNG_LATENCIES + 1);
	h->left_ns = 0;
	h->span_ns = 0;
}

#endif
