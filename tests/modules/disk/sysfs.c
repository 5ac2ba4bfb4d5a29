// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/block/lwt<N>/lw/: the path model's parameters (read and write), its
 * counters (read only, except that writing 0 to max_inflight starts it again
 * from what is in flight now), and "remove" (write 1: pull the disk). Writing
 * seed begins its random numbers anew, writing rest_us lets the server rest. A bad value is refused with EINVAL.
 */
#include <linux/device.h>
#include <linux/numa.h>
#include <linux/sysfs.h>

#include "compat.h"
#include "lw_testdisk.h"

/**
 * struct lwt_param - a file that shows and sets one member of lwt_config
 * @attr: the file
 * @offset: where the member is
 * @min: least value accepted
 * @max: largest value accepted; the tag set's depth bounds tags further
 */
struct lwt_param {
	struct device_attribute attr;
	size_t offset;
	int min;
	int max;
};

/**
 * struct lwt_counter - a file that shows one member of lwt_counters
 * @attr: the file
 * @offset: where the member is
 */
struct lwt_counter {
	struct device_attribute attr;
	size_t offset;
};

static struct lwt_disk *lwt_dev_disk(struct device *dev)
{
	return dev_to_disk(dev)->private_data;
}

static ssize_t lwt_param_show(struct device *dev, struct device_attribute *attr,
			      char *buf)
{
	struct lwt_param *param = container_of(attr, struct lwt_param, attr);
	char *config = (char *)&lwt_dev_disk(dev)->config;

	return sysfs_emit(buf, "%d\n",
			  READ_ONCE(*(int *)(config + param->offset)));
}

/* Not under the lock, which completions take. */
static void lwt_freeze(struct lwt_disk *lwt, int frozen)
{
	if (xchg(&lwt->config.frozen, frozen) == frozen)
		return;
	if (frozen)
		lwt_freeze_queue(lwt->disk->queue);
	else
		lwt_unfreeze_queue(lwt->disk->queue);
}

static ssize_t lwt_param_store(struct device *dev,
			       struct device_attribute *attr, const char *buf,
			       size_t count)
{
	struct lwt_param *param = container_of(attr, struct lwt_param, attr);
	struct lwt_disk *lwt = lwt_dev_disk(dev);
	char *config = (char *)&lwt->config;
	int max = param->max;
	unsigned long flags;
	int value;

	if (param->offset == offsetof(struct lwt_config, tags))
		max = lwt->set.queue_depth * lwt->set.nr_hw_queues;
	if (kstrtoint(buf, 10, &value) || value < param->min || value > max)
		return -EINVAL;
	if (param->offset == offsetof(struct lwt_config, frozen)) {
		lwt_freeze(lwt, value);
		return count;
	}

	spin_lock_irqsave(&lwt->lock, flags);
	WRITE_ONCE(*(int *)(config + param->offset), value);
	if (param->offset == offsetof(struct lwt_config, seed))
		lwt_model_seed(lwt);
	else if (param->offset == offsetof(struct lwt_config, rest_us))
		lwt_model_rest(lwt);
	spin_unlock_irqrestore(&lwt->lock, flags);

	if (param->offset == offsetof(struct lwt_config, hang) && !value)
		lwt_resume(lwt);
	return count;
}

static ssize_t lwt_counter_show(struct device *dev,
				struct device_attribute *attr, char *buf)
{
	struct lwt_counter *counter = container_of(attr, struct lwt_counter,
						   attr);
	struct lwt_disk *lwt = lwt_dev_disk(dev);
	char *counters = (char *)&lwt->counters;
	unsigned long flags;
	u64 value;

	spin_lock_irqsave(&lwt->lock, flags);
	value = *(u64 *)(counters + counter->offset);
	spin_unlock_irqrestore(&lwt->lock, flags);
	return sysfs_emit(buf, "%llu\n", value);
}

static ssize_t max_inflight_store(struct device *dev,
				  struct device_attribute *attr,
				  const char *buf, size_t count)
{
	struct lwt_disk *lwt = lwt_dev_disk(dev);
	unsigned long flags;
	unsigned int value;

	if (kstrtouint(buf, 10, &value) || value)
		return -EINVAL;
	spin_lock_irqsave(&lwt->lock, flags);
	lwt->counters.max_inflight = lwt->counters.inflight;
	spin_unlock_irqrestore(&lwt->lock, flags);
	return count;
}

static ssize_t remove_store(struct device *dev, struct device_attribute *attr,
			    const char *buf, size_t count)
{
	unsigned int value;

	if (kstrtouint(buf, 10, &value) || value != 1)
		return -EINVAL;
	schedule_work(&lwt_dev_disk(dev)->remove_work);
	return count;
}
static DEVICE_ATTR_WO(remove);

#define LWT_PARAM(_name, _min, _max)					\
static struct lwt_param lwt_param_##_name = {				\
	.attr	= __ATTR(_name, 0644, lwt_param_show, lwt_param_store),	\
	.offset	= offsetof(struct lwt_config, _name),			\
	.min	= _min,							\
	.max	= _max,							\
}

LWT_PARAM(service_us, 0, LWT_MAX_DELAY_US);
LWT_PARAM(write_service_us, LWT_AS_READS, LWT_MAX_DELAY_US);
LWT_PARAM(mbps, 0, LWT_MAX_MBPS);
LWT_PARAM(write_mbps, LWT_AS_READS, LWT_MAX_MBPS);
LWT_PARAM(delay_us, 0, LWT_MAX_DELAY_US);
LWT_PARAM(write_delay_us, LWT_AS_READS, LWT_MAX_DELAY_US);
LWT_PARAM(sigma_permille, 0, LWT_MAX_SIGMA_PERMILLE);
LWT_PARAM(node, 0, MAX_NUMNODES - 1);
LWT_PARAM(far_us, 0, LWT_MAX_DELAY_US);
LWT_PARAM(tail_every, 0, INT_MAX);
LWT_PARAM(tail_permille, 0, 1000);
LWT_PARAM(tail_next, 0, INT_MAX);
LWT_PARAM(tail_us, 0, LWT_MAX_DELAY_US);
LWT_PARAM(rest_us, 0, LWT_MAX_DELAY_US);
LWT_PARAM(seed, 0, INT_MAX);
LWT_PARAM(tags, 0, LWT_MAX_DEPTH);
LWT_PARAM(busy_after_start, 0, 1);
LWT_PARAM(hang, 0, 1);
LWT_PARAM(frozen, 0, 1);
LWT_PARAM(error, 0, LWT_ERRORS - 1);
LWT_PARAM(error_delay_us, 0, LWT_MAX_DELAY_US);

#define LWT_COUNTER(_name, _mode, _store)				\
static struct lwt_counter lwt_counter_##_name = {			\
	.attr	= __ATTR(_name, _mode, lwt_counter_show, _store),	\
	.offset	= offsetof(struct lwt_counters, _name),			\
}

LWT_COUNTER(reads, 0444, NULL);
LWT_COUNTER(writes, 0444, NULL);
LWT_COUNTER(others, 0444, NULL);
LWT_COUNTER(bytes, 0444, NULL);
LWT_COUNTER(seeks, 0444, NULL);
LWT_COUNTER(far, 0444, NULL);
LWT_COUNTER(busy, 0444, NULL);
LWT_COUNTER(errors, 0444, NULL);
LWT_COUNTER(unstamped, 0444, NULL);
LWT_COUNTER(inflight, 0444, NULL);
LWT_COUNTER(max_inflight, 0644, max_inflight_store);

static struct attribute *lwt_attrs[] = {
	&lwt_param_service_us.attr.attr,
	&lwt_param_write_service_us.attr.attr,
	&lwt_param_mbps.attr.attr,
	&lwt_param_write_mbps.attr.attr,
	&lwt_param_delay_us.attr.attr,
	&lwt_param_write_delay_us.attr.attr,
	&lwt_param_sigma_permille.attr.attr,
	&lwt_param_node.attr.attr,
	&lwt_param_far_us.attr.attr,
	&lwt_param_tail_every.attr.attr,
	&lwt_param_tail_permille.attr.attr,
	&lwt_param_tail_next.attr.attr,
	&lwt_param_tail_us.attr.attr,
	&lwt_param_rest_us.attr.attr,
	&lwt_param_seed.attr.attr,
	&lwt_param_tags.attr.attr,
	&lwt_param_busy_after_start.attr.attr,
	&lwt_param_hang.attr.attr,
	&lwt_param_frozen.attr.attr,
	&lwt_param_error.attr.attr,
	&lwt_param_error_delay_us.attr.attr,
	&lwt_counter_reads.attr.attr,
	&lwt_counter_writes.attr.attr,
	&lwt_counter_others.attr.attr,
	&lwt_counter_bytes.attr.attr,
	&lwt_counter_seeks.attr.attr,
	&lwt_counter_far.attr.attr,
	&lwt_counter_busy.attr.attr,
	&lwt_counter_errors.attr.attr,
	&lwt_counter_unstamped.attr.attr,
	&lwt_counter_inflight.attr.attr,
	&lwt_counter_max_inflight.attr.attr,
	&dev_attr_remove.attr,
	NULL
};

static const struct attribute_group lwt_attr_group = {
	.name	= "lw",
	.attrs	= lwt_attrs,
};

const struct attribute_group *lwt_attr_groups[] = {
	&lwt_attr_group,
	NULL
};
