/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Larger knees for paths that run dry. A program may wait for the last of several I/Os that it
 * began together; a path that is idle while others still work then had too small a share. Its knee
 * is published larger until it is no longer idle.
 *
 * Example: nine I/Os of 124 KiB over paths of 5 and 35 ms, both 25 MB/s. With the knees, 2 and 7,
 * the far path takes 30 + 7 * 5 = 65 ms, the near one 10. With shares of 7 and 2, both take 35 to
 * 40 ms.
 */
#ifndef LW_KNEE_GAIN_H
#define LW_KNEE_GAIN_H

#include "model/constants.h"
#include "model/path_state.h"

/**
 * lw_knee_gain_step() - update the gain of a knee after a window
 * @gain: gain so far, in Q10
 * @s: the path
 * @busiest: part of the window in which the busiest path was in use, in Q10
 *
 * It grows with the idle time by up to a quarter, and shrinks by 1/32, as the load may change. A
 * path not at its knee is idle because it is not wanted.
 *
 * Return: gain in Q10, LW_ONE .. LW_KNEE_GAIN_MAX.
 */
static inline u32 lw_knee_gain_step(u32 gain, const struct lw_path_state *s, u32 busiest)
{
	u32 rest = busiest - min(busiest, s->w.busy_q10);

	if (s->w.ends && rest > LW_KNEE_GAIN_IDLE && 4 * s->latency.load >= 3 * s->capacity.knee)
		return min_t(u32, gain + (gain * rest >> 12), LW_KNEE_GAIN_MAX);
	return max_t(u32, gain - (gain >> 5), LW_ONE);
}

#endif
