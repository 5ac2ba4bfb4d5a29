/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A path that runs dry. The knee is what a path holds before I/Os wait for each other,
 * and where that is reached the next path is worth its distance: with as many I/Os in
 * flight as all knees together, all paths are busy and throughput is at its best. But
 * a program may wait for the last of several I/Os that it began together. Then all
 * that counts is when the last one is back, and a path that has done its part and rests
 * while others still work had too small a part. That is the sign: its knee is
 * stretched until it no longer rests.
 *
 * An example: nine I/Os of 124 KiB together, on a path of 5 ms and one of 35 ms, each of
 * 25 MB/s. The knees are 2 and 7; so the far path's last I/O is back after 30 + 7 * 5 =
 * 65 ms, when the near one has rested for 55. With seven and two both take 35 to 40 ms.
 *
 * Plain values, like model/choose.h.
 */
#ifndef LW_STRETCH_H
#define LW_STRETCH_H

#include "model/path_state.h"

#define LW_STRETCH_MAX	(8 * LW_ONE)
#define LW_STRETCH_REST	(LW_ONE / 8)	/* rests this short are chance */

/**
 * lw_stretch_step() - one window has gone by
 * @stretch: so far, in Q10; LW_ONE at first
 * @s: the path
 * @busiest: what part of the window the selector's busiest path was in use, in Q10
 *
 * The longer the rest, the faster it grows: by up to a quarter a window. It shrinks by
 * a 32nd a window, since the load may be another one by now. A path that is not at its
 * knee rests because it is not wanted.
 *
 * Return: how much larger the knee is to be shown, in Q10: LW_ONE .. LW_STRETCH_MAX.
 */
static inline u32 lw_stretch_step(u32 stretch, const struct lw_path_state *s, u32 busiest)
{
	u32 rest = busiest - min(busiest, s->busy);

	if (s->ends && rest > LW_STRETCH_REST && 4 * s->load >= 3 * s->knee)
		return min_t(u32, stretch + (stretch * rest >> 12), LW_STRETCH_MAX);
	return max_t(u32, stretch - (stretch >> 5), LW_ONE);
}

#endif
