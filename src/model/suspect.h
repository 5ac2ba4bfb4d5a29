/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A path that suddenly is faster than ever. It may have a new cache, or fail each I/O at once with
 * an error of the target, which no selector learns of. For a second it gets only probes, unless
 * there is no other path. end_io() does not divide here.
 */
#ifndef LW_SUSPECT_H
#define LW_SUSPECT_H

#include "model/constants.h"
#include "model/math.h"

/**
 * lw_suspect_step() - update the score with a completion
 * @score: so far; LW_SUSPECT or more is a suspected path
 * @suspicious: it was too fast
 *
 * It takes more than half of the completions, so single cache hits do not count.
 */
static inline u32 lw_suspect_step(u32 score, bool suspicious)
{
	if (suspicious)
		return min(score + 1, LW_SUSPECT_MAX);
	return score ? score - 1 : 0;
}

/**
 * lw_suspect_clear() - is the path cleared, after a window?
 * @since_ns: its begin in lw_counted.active_ns, 0 for none
 * @score: see lw_suspect_step()
 * @active_ns: end of the window
 * Return: true if nothing is suspicious, or has been for a second. The caller then resets the
 * score and sets the bound by the least latency.
 */
static inline bool lw_suspect_clear(u64 *since_ns, u32 score, u64 active_ns)
{
	if (score && !*since_ns)
		*since_ns = active_ns;
	if (score && active_ns - *since_ns < LW_SUSPECT_NS)
		return false;
	*since_ns = 0;
	return true;
}

/**
 * lw_suspect_bound() - bound below which a latency is suspicious, 0 for none
 * @least: least latency so far, or U32_MAX
 * @active_ns: age of the path
 */
static inline u32 lw_suspect_bound(u32 least, u64 active_ns)
{
	return active_ns < LW_SUSPECT_NS || least == U32_MAX ? 0 : least / LW_SUSPECT_FASTER;
}

#endif
