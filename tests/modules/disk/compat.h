/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The block layer's differences between Linux 5.10 and 7.2. The code is
 * written for the newest kernel; older ones get its names here. HAVE_* come
 * from Kbuild, which looks into the target's headers.
 */
#ifndef LW_TESTDISK_COMPAT_H
#define LW_TESTDISK_COMPAT_H

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/highmem.h>
#include <linux/hrtimer.h>

#define LWT_DISCARD_SECTORS	32768U	/* 16 MiB: bounds the work of one */
#define LWT_DISCARD_GRANULARITY	4096U

/*
 * An I/O of 1 MiB, in pages that lie anywhere, is one request. By the block
 * layer's defaults it would be ten.
 */
#define LWT_MAX_SECTORS		8192U
#define LWT_MAX_SEGMENTS	1024U

/* hrtimer_setup() came in 6.13, hrtimer_init() went in 6.15. */
#ifndef HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*fn)(struct hrtimer *),
				 clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = fn;
}
#endif

/* "bvec: add a bvec_kmap_local helper", 5.15 */
#ifndef HAVE_BVEC_KMAP_LOCAL
static inline void *bvec_kmap_local(struct bio_vec *bvec)
{
	return kmap_atomic(bvec->bv_page) + bvec->bv_offset;
}

static inline void lwt_kunmap(void *addr)
{
	kunmap_atomic(addr);
}
#else
static inline void lwt_kunmap(void *addr)
{
	kunmap_local(addr);
}
#endif

/* The flag went away in 6.14, where merging is always on. */
#ifdef HAVE_MQ_SHOULD_MERGE
#define LWT_MQ_FLAGS BLK_MQ_F_SHOULD_MERGE
#else
#define LWT_MQ_FLAGS 0
#endif

/* The NUMA node given to init_request() became signed in 7.x. */
#ifdef HAVE_SIGNED_NODE
typedef int lwt_node_t;
#else
typedef unsigned int lwt_node_t;
#endif

#ifdef HAVE_ALLOC_DISK_LIMITS

/* "block: pass a queue_limits argument to blk_mq_alloc_disk", 6.9 */
static inline struct gendisk *lwt_alloc_disk(struct blk_mq_tag_set *set,
					     void *queuedata)
{
	struct queue_limits lim = {
		.max_hw_sectors		= LWT_MAX_SECTORS,
		.max_segments		= LWT_MAX_SEGMENTS,
		.max_segment_size	= UINT_MAX,
		.max_hw_discard_sectors	= LWT_DISCARD_SECTORS,
		.discard_granularity	= LWT_DISCARD_GRANULARITY,
		.features		= BLK_FEAT_WRITE_CACHE | BLK_FEAT_FUA,
	};

	return blk_mq_alloc_disk(set, &lim, queuedata);
}

#else

#ifndef HAVE_MQ_ALLOC_DISK
/* "blk-mq: add the blk_mq_alloc_disk APIs", 5.14 */
static inline struct gendisk *blk_mq_alloc_disk(struct blk_mq_tag_set *set,
						void *queuedata)
{
	struct request_queue *q = blk_mq_init_queue_data(set, queuedata);
	struct gendisk *disk;

	if (IS_ERR(q))
		return ERR_CAST(q);
	disk = alloc_disk_node(0, set->numa_node);
	if (!disk) {
		blk_cleanup_queue(q);
		return ERR_PTR(-ENOMEM);
	}
	disk->flags |= GENHD_FL_EXT_DEVT;
	disk->queue = q;
	return disk;
}
#endif

static inline struct gendisk *lwt_alloc_disk(struct blk_mq_tag_set *set,
					     void *queuedata)
{
	struct gendisk *disk = blk_mq_alloc_disk(set, queuedata);

	if (IS_ERR(disk))
		return disk;
	blk_queue_write_cache(disk->queue, true, true);
	blk_queue_flag_set(QUEUE_FLAG_NONROT, disk->queue);
	blk_queue_max_hw_sectors(disk->queue, LWT_MAX_SECTORS);
	blk_queue_max_segments(disk->queue, LWT_MAX_SEGMENTS);
	blk_queue_max_segment_size(disk->queue, UINT_MAX);
	disk->queue->limits.discard_granularity = LWT_DISCARD_GRANULARITY;
	blk_queue_max_discard_sectors(disk->queue, LWT_DISCARD_SECTORS);
#ifdef QUEUE_FLAG_DISCARD /* until 5.18 */
	blk_queue_flag_set(QUEUE_FLAG_DISCARD, disk->queue);
#endif
	return disk;
}

#endif /* HAVE_ALLOC_DISK_LIMITS */

/* device_add_disk() reports failures since 5.15. */
static inline int lwt_add_disk(struct gendisk *disk,
			       const struct attribute_group **groups)
{
#ifdef HAVE_ADD_DISK_RESULT
	return device_add_disk(NULL, disk, groups);
#else
	device_add_disk(NULL, disk, groups);
	return 0;
#endif
}

/* Since 6.13 lockdep takes a freeze for a lock, which another task must not end. */
#ifdef HAVE_FREEZE_NON_OWNER
#define lwt_freeze_queue(q)	blk_freeze_queue_start_non_owner(q)
#define lwt_unfreeze_queue(q)	blk_mq_unfreeze_queue_non_owner(q)
#else
#define lwt_freeze_queue(q)	blk_freeze_queue_start(q)
#define lwt_unfreeze_queue(q)	blk_mq_unfreeze_queue(q)
#endif

/* Since 6.0 del_gendisk() does this. */
static inline void lwt_shutdown_queue(struct gendisk *disk)
{
#ifdef HAVE_CLEANUP_QUEUE
	blk_cleanup_queue(disk->queue);
#endif
}

#endif /* LW_TESTDISK_COMPAT_H */
