/* SPDX-License-Identifier: GPL-2.0 */
/* An I/O that is to be placed, and what its paths are like right now; for whoever chooses. */
#ifndef LW_ASK_H
#define LW_ASK_H

#include "selector.h"

/* The I/O to be placed. */
struct lw_ask {
	u32 op_bit;		/* of its operation */
	u32 blocks;		/* its length */
	s32 longer_q4;		/* blocks (Q4) by which it exceeds the usual length */
	const u32 *ticks;	/* base latencies for this node and operation, of usual length */
	u32 inv_most;		/* as in struct lw_published */
	u32 max_penalty;	/* as in struct lw_published */
};

/* Eligibility of a path that may be full or suspected. Not inlined, as it is rare. */
static noinline enum lw_use lw_use_limited(const struct lw_device *path, u64 flight)
{
	if (lw_flight_is_full(flight, READ_ONCE(path->line.full), READ_ONCE(path->line.tags)))
		return LW_FULL;
	return READ_ONCE(path->line.suspect) >= LW_SUSPECT ? LW_SUSPECTED : LW_USE;
}

/* Current eligibility of a member. */
static __always_inline enum lw_use lw_use_now(const struct lw_path_info *m, u64 flight)
{
	enum lw_use use = READ_ONCE(m->use);

	/* The limit shares the cache line of the work in flight. */
	if (use == LW_USE && unlikely(lw_flight_ios(flight) >= READ_ONCE(m->path->line.limit)))
		return lw_use_limited(m->path, flight);
	return use;
}

static __always_inline
struct lw_published lw_published_of(const struct lw_path_info *m, const struct lw_ask *ask,
				    u32 base, u32 usual)
{
	return (struct lw_published){
		.base = base,
		.usual = usual,
		.inv_knee = READ_ONCE(m->cost.inv_knee),
		.inv_ios = READ_ONCE(m->cost.inv_ios),
		.inv_most = ask->inv_most,
		.max_penalty = ask->max_penalty,
		.block_cost = READ_ONCE(m->cost.block_cost),
		.hung = READ_ONCE(m->cost.hung),
		.hung_ios = READ_ONCE(m->cost.hung_ios),
	};
}

#endif
