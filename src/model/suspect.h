/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A path that is suddenly faster than it ever was. It may have a new cache; or it fails
 * each I/O at once with an error that is the target's and not the path's, of which no
 * selector is told. So for a second it is used only if there is no other, and probed.
 *
 * Plain values; end_io() does not divide here.
 */
#ifndef LW_SUSPECT_H
#define LW_SUSPECT_H

#include "model/math.h"

#define LW_SUSPECT_FASTER	4U		/* times as fast as any I/O before is suspicious */
#define LW_SUSPECT_NS		1000000000ULL	/* for so long; and so long a new path is learned */
#define LW_SUSPECT		4U		/* suspicious completions, less others, to count */
#define LW_SUSPECT_MAX		16U

/**
 * lw_suspect_step() - a completion
 * @score: so far; LW_SUSPECT and more is a path under suspicion
 * @suspicious: it was too fast
 *
 * It takes more than half of the completions: single ones that a cache answers do not
 * count.
 */
static inline u32 lw_suspect_step(u32 score, bool suspicious)
{
	if (suspicious)
		return min(score + 1, LW_SUSPECT_MAX);
	return score ? score - 1 : 0;
}

/**
 * struct lw_suspicion - the window's part of it
 * @since_ns: since when the path is under suspicion, by lw_path_state.active_ns; 0 for
 *	it is not
 */
struct lw_suspicion {
	u64 since_ns;
};

/**
 * lw_suspect_clear() - a window has gone by: is the path what it seems to be?
 * @s: the suspicion
 * @score: see lw_suspect_step()
 * @active_ns: end of the window
 *
 * Return: true if nothing is suspicious, or has been for a second: then the bound follows
 * the least latency, and the score begins anew.
 */
static inline bool lw_suspect_clear(struct lw_suspicion *s, u32 score, u64 active_ns)
{
	if (score && !s->since_ns)
		s->since_ns = active_ns;
	if (score && active_ns - s->since_ns < LW_SUSPECT_NS)
		return false;
	s->since_ns = 0;
	return true;
}

/**
 * lw_suspect_bound() - below which latency a completion is suspicious, 0 for none
 * @least: least latency so far, U32_MAX for none
 * @active_ns: age of the path
 */
static inline u32 lw_suspect_bound(u32 least, u64 active_ns)
{
	return active_ns < LW_SUSPECT_NS || least == U32_MAX ? 0 : least / LW_SUSPECT_FASTER;
}

#endif
