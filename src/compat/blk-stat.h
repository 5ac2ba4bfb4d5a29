/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Time stamps of requests. The kernel exports these two for modules under the
 * GPL but declares them in block/blk-stat.h, which no headers package ships.
 */
#ifndef LW_COMPAT_BLK_STAT_H
#define LW_COMPAT_BLK_STAT_H

struct request_queue;

void blk_stat_enable_accounting(struct request_queue *q);

#ifdef LW_HAS_STAT_DISABLE
void blk_stat_disable_accounting(struct request_queue *q);
#else
/* There accounting stays on until the device goes. */
static inline void blk_stat_disable_accounting(struct request_queue *q) { }
#endif

#endif
