// SPDX-License-Identifier: GPL-2.0
/*
 * lw_testdisk - disks whose latency, bandwidth, depth, hangs and failures are
 * set while they are in use, as exactly known paths for dm-multipath's tests.
 * Only for disposable machines: the data is in memory.
 *
 *	modprobe lw_testdisk disks=2		makes /dev/lwt0 and /dev/lwt1
 *	echo 5000 > /sys/block/lwt0/lw/delay_us
 *
 * What the files in lw/ mean is told in model.c (behaviour) and lw_testdisk.h.
 */
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "compat.h"
#include "lw_testdisk.h"

static unsigned int disks = 2;
module_param(disks, uint, 0444);
MODULE_PARM_DESC(disks, "number of disks, 1 to 16 (default 2)");

static unsigned int size_mb = 256;
module_param(size_mb, uint, 0444);
MODULE_PARM_DESC(size_mb, "size of each disk in MiB (default 256)");

static unsigned int queue_depth = 256;
module_param(queue_depth, uint, 0444);
MODULE_PARM_DESC(queue_depth, "tags of each hardware queue, 1 to 1024 (default 256)");

static unsigned int hw_queues = 1;
module_param(hw_queues, uint, 0444);
MODULE_PARM_DESC(hw_queues, "hardware queues of each disk, at most one a CPU (default 1)");

static bool shared = true;
module_param(shared, bool, 0444);
MODULE_PARM_DESC(shared, "whether all disks hold the same data (default Y)");

static bool stamps = true;
module_param(stamps, bool, 0444);
MODULE_PARM_DESC(stamps, "N: the block layer does not stamp requests, as without writeback throttling (default Y)");

static struct lwt_disk *lwt_disks[LWT_MAX_DISKS];
static struct lwt_store *lwt_shared_store;

static const struct block_device_operations lwt_fops = {
	.owner	= THIS_MODULE,
};

/**
 * lwt_disk_remove - pull the disk; whoever has it open gets errors from now on
 * @lwt: the disk; its memory stays until the module goes
 */
void lwt_disk_remove(struct lwt_disk *lwt)
{
	unsigned long flags;

	mutex_lock(&lwt->remove_mutex);
	if (!lwt->removed) {
		lwt->removed = true;
		spin_lock_irqsave(&lwt->lock, flags);
		lwt->gone = true;
		spin_unlock_irqrestore(&lwt->lock, flags);
		lwt_resume(lwt);
		del_gendisk(lwt->disk);
		lwt_shutdown_queue(lwt->disk);
	}
	mutex_unlock(&lwt->remove_mutex);
}

static void lwt_remove_work(struct work_struct *work)
{
	lwt_disk_remove(container_of(work, struct lwt_disk, remove_work));
}

static void lwt_disk_destroy(struct lwt_disk *lwt)
{
	lwt_disk_remove(lwt);
	flush_work(&lwt->remove_work);
	put_disk(lwt->disk);
	blk_mq_free_tag_set(&lwt->set);
	if (lwt->store != lwt_shared_store)
		lwt_store_destroy(lwt->store);
	kfree(lwt);
}

static int lwt_alloc_tags(struct lwt_disk *lwt)
{
	lwt->set.ops = &lwt_mq_ops;
	lwt->set.nr_hw_queues = hw_queues;
	lwt->set.queue_depth = queue_depth;
	lwt->set.numa_node = NUMA_NO_NODE;
	lwt->set.cmd_size = sizeof(struct lwt_cmd);
	lwt->set.flags = LWT_MQ_FLAGS;
	return blk_mq_alloc_tag_set(&lwt->set);
}

/*
 * Requests are stamped while anybody wants the queue's statistics. Where the kernel
 * has writeback throttling that is always so, even if throttling is off.
 */
static void lwt_stop_stamps(struct gendisk *disk)
{
	blk_queue_flag_clear(QUEUE_FLAG_STATS, disk->queue);
}

static int lwt_publish(struct lwt_disk *lwt, unsigned int index)
{
	struct gendisk *disk = lwt->disk;
	int err;

	snprintf(disk->disk_name, DISK_NAME_LEN, "lwt%u", index);
	disk->fops = &lwt_fops;
	disk->private_data = lwt;
	set_capacity(disk, (sector_t)size_mb * (SZ_1M / SECTOR_SIZE));
	err = lwt_add_disk(disk, lwt_attr_groups);
	if (!err && !stamps)
		lwt_stop_stamps(disk);
	return err;
}

static struct lwt_disk *lwt_disk_create(unsigned int index)
{
	struct lwt_disk *lwt = kzalloc(sizeof(*lwt), GFP_KERNEL);
	int err = -ENOMEM;

	if (!lwt)
		return ERR_PTR(-ENOMEM);
	mutex_init(&lwt->remove_mutex);
	INIT_WORK(&lwt->remove_work, lwt_remove_work);
	lwt->index = index;
	lwt_model_init(lwt, queue_depth * hw_queues);

	lwt->store = shared ? lwt_shared_store : lwt_store_create();
	if (!lwt->store)
		goto err_free;
	err = lwt_alloc_tags(lwt);
	if (err)
		goto err_store;
	lwt->disk = lwt_alloc_disk(&lwt->set, lwt);
	if (IS_ERR(lwt->disk)) {
		err = PTR_ERR(lwt->disk);
		goto err_tags;
	}
	err = lwt_publish(lwt, index);
	if (err)
		goto err_disk;
	return lwt;

err_disk:
	lwt_shutdown_queue(lwt->disk);
	put_disk(lwt->disk);
err_tags:
	blk_mq_free_tag_set(&lwt->set);
err_store:
	if (lwt->store != lwt_shared_store)
		lwt_store_destroy(lwt->store);
err_free:
	kfree(lwt);
	return ERR_PTR(err);
}

static void lwt_destroy_all(void)
{
	unsigned int i;

	for (i = 0; i < LWT_MAX_DISKS && lwt_disks[i]; i++)
		lwt_disk_destroy(lwt_disks[i]);
	if (lwt_shared_store)
		lwt_store_destroy(lwt_shared_store);
}

static bool lwt_check(const char *name, unsigned int value, unsigned int max)
{
	if (value && value <= max)
		return true;
	pr_err("lw_testdisk: %s=%u is not within 1 to %u\n", name, value, max);
	return false;
}

static int __init lwt_init(void)
{
	unsigned int i;

	if (!lwt_check("disks", disks, LWT_MAX_DISKS) ||
	    !lwt_check("size_mb", size_mb, SZ_1M) ||
	    !lwt_check("queue_depth", queue_depth, LWT_MAX_DEPTH) ||
	    !lwt_check("hw_queues", hw_queues, nr_cpu_ids))
		return -EINVAL;

	if (shared) {
		lwt_shared_store = lwt_store_create();
		if (!lwt_shared_store)
			return -ENOMEM;
	}
	for (i = 0; i < disks; i++) {
		struct lwt_disk *lwt = lwt_disk_create(i);

		if (IS_ERR(lwt)) {
			lwt_destroy_all();
			return PTR_ERR(lwt);
		}
		lwt_disks[i] = lwt;
	}
	return 0;
}

static void __exit lwt_exit(void)
{
	lwt_destroy_all();
}

module_init(lwt_init);
module_exit(lwt_exit);

MODULE_DESCRIPTION("Programmable disk for tests of dm-multipath path selectors");
MODULE_LICENSE("GPL");
