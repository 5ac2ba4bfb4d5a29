/* SPDX-License-Identifier: GPL-2.0 */
/* Devices have only what a selector may look at. */
#ifndef SHIM_LINUX_BLKDEV_H
#define SHIM_LINUX_BLKDEV_H

#include <linux/kernel.h>
#include <linux/types.h>

#define SECTOR_SHIFT	9
#define DISK_NAME_LEN	32
#define BDEVNAME_SIZE	32

#define MINORBITS	20
#define MINORMASK	((1U << MINORBITS) - 1)
#define MKDEV(ma, mi)	((dev_t)(ma) << MINORBITS | (mi))
#define MAJOR(dev)	((unsigned int)((dev) >> MINORBITS))
#define MINOR(dev)	((unsigned int)((dev) & ((1U << MINORBITS) - 1)))

/**
 * struct request_queue - queue of a device
 * @mq_ops: not NULL: has requests
 * @nr_requests: tags of a hardware queue
 * @nr_hw_queues: hardware queues
 * @max_sectors: of the longest request
 * @rq_qos: not NULL: is throttled, and the throttling asked for time stamps, too
 * @stat_users: who else asked for time stamps
 * @stamps: requests have them
 */
struct request_queue {
	const void *mq_ops;
	unsigned int nr_requests;
	unsigned int nr_hw_queues;
	unsigned int max_sectors;
	const void *rq_qos;
	unsigned int stat_users;
	bool stamps;
};

struct gendisk {
	struct request_queue *queue;
	char disk_name[32];
};

struct block_device {
	dev_t bd_dev;
	struct gendisk *bd_disk;
};

#define SECTOR_SHIFT	9
#define queue_max_sectors(q)	READ_ONCE((q)->max_sectors)
#define queue_is_mq(q)	((q)->mq_ops != NULL)

static inline struct request_queue *bdev_get_queue(struct block_device *bdev)
{
	return bdev->bd_disk->queue;
}

#endif
