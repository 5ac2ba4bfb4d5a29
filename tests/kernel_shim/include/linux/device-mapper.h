/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_DEVICE_MAPPER_H
#define SIM_LINUX_DEVICE_MAPPER_H

#include <linux/blkdev.h>
#include <linux/kernel.h>
#include <linux/types.h>

#define DM_NAME		"device-mapper"

typedef enum { STATUSTYPE_INFO, STATUSTYPE_TABLE, STATUSTYPE_IMA } status_type_t;

struct dm_dev {
	struct block_device *bdev;
	char name[16];
};

#define __DM_LOG(format, ...)						\
	kernel_log(DM_NAME ": " DM_MSG_PREFIX ": " format "\n", ##__VA_ARGS__)
#define DMCRIT		__DM_LOG
#define DMERR		__DM_LOG
#define DMERR_LIMIT	__DM_LOG
#define DMWARN		__DM_LOG
#define DMWARN_LIMIT	__DM_LOG
#define DMINFO		__DM_LOG
#define DMDEBUG(...)	do { } while (0)

#define DMEMIT(...)							\
	(sz += sz < maxlen ? scnprintf(result + sz, maxlen - sz, __VA_ARGS__) : 0)

#endif
