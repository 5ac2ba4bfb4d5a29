/* SPDX-License-Identifier: GPL-2.0 */
/* Exported by the kernel but declared in block/blk-stat.h, which no headers package ships. */
#ifndef LW_COMPAT_BLK_STAT_H
#define LW_COMPAT_BLK_STAT_H

struct request_queue;

void blk_stat_enable_accounting(struct request_queue *q);

#ifdef LW_HAS_STAT_DISABLE
void blk_stat_disable_accounting(struct request_queue *q);
#else
/* Without it, accounting stays on until the device goes. */
static inline void blk_stat_disable_accounting(struct request_queue *q) { }
#endif

#endif
