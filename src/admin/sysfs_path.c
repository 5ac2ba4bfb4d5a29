// SPDX-License-Identifier: GPL-2.0
/*
 * Files of a path in sysfs. The map's lock keeps selectors in place during a read; the directory
 * outlives its readers.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/sysfs.h>

#include "admin/dir.h"
#include "model/shown.h"
#include "status.h"

/*
 * A file of a path. Both callbacks run under the map's lock, number also under the path's. They do
 * not sleep. -EAGAIN: somebody else has a lock, so try all of it again.
 */
struct lw_path_file {
	struct attribute attr;	/* name and mode */
	unsigned int c;		/* class or operation, for files of one */
	u64 (*number)(struct lw_path_info *m, unsigned int c);	/* value, or NULL */
	ssize_t (*show)(struct lw_path_info *m, char *page);	/* otherwise, writes the text */
};

static ssize_t lw_show_number(const struct lw_path_file *file, struct lw_path_info *m,
			      char *page)
{
	u64 number;

	if (!lw_reader_locks(&m->path->lock))
		return -EAGAIN;
	number = file->number(m, file->c);
	mutex_unlock(&m->path->lock);
	return sysfs_emit(page, "%llu\n", number);
}

static ssize_t lw_path_try_show(struct lw_map_path *at, const struct lw_path_file *file,
				char *page)
{
	ssize_t size = -ENODEV;		/* the directory is about to go */
	struct lw_path_info *m;

	if (!lw_reader_begin(at->map))
		return -EAGAIN;
	m = lw_map_path_info(at);
	if (m)
		size = file->number ? lw_show_number(file, m, page) : file->show(m, page);
	lw_reader_end(at->map);
	return size;
}

/* Called when any process reads a file of a path. */
static ssize_t lw_path_show(struct kobject *kobj, struct attribute *attr, char *page)
{
	struct lw_map_path *at = container_of(kobj, struct lw_map_path, dir.kobj);
	ssize_t size;

	do
		size = lw_path_try_show(at, container_of(attr, struct lw_path_file, attr), page);
	while (size == -EAGAIN && lw_reader_waits());
	return size;
}

/* Called when root writes "prefer", the only writable file. */
static ssize_t lw_path_store(struct kobject *kobj, struct attribute *attr,
			     const char *text, size_t size)
{
	struct lw_map_path *at = container_of(kobj, struct lw_map_path, dir.kobj);
	int err = lw_check_store(attr);

	if (!err)
		err = lw_tune_prefer(at, text);
	return err ? err : size;
}

static ssize_t lw_show_device(struct lw_path_info *m, char *page)
{
	return sysfs_emit(page, "%u:%u\n", MAJOR(m->path->known.bdev_nr),
			  MINOR(m->path->known.bdev_nr));
}

static ssize_t lw_show_state(struct lw_path_info *m, char *page)
{
	return sysfs_emit(page, "%s\n", lw_state_names[READ_ONCE(m->shown.state)]);
}

/* Seconds since the epoch. */
static ssize_t lw_show_time(u64 ns, char *page)
{
	u32 ms;
	u64 s = div_u64_rem(div_u64(ns, NSEC_PER_MSEC), MSEC_PER_SEC, &ms);

	return sysfs_emit(page, "%llu.%03u\n", s, ms);
}

static ssize_t lw_show_state_since(struct lw_path_info *m, char *page)
{
	return lw_show_time(READ_ONCE(m->shown.since_ns), page);
}

static ssize_t lw_show_known_since(struct lw_path_info *m, char *page)
{
	return lw_show_time(m->path->known.since_ns, page);
}

static ssize_t lw_show_latency_source(struct lw_path_info *m, char *page)
{
	return sysfs_emit(page, "%s\n", lw_source_names[READ_ONCE(m->shown.source)]);
}

static ssize_t lw_show_share(struct lw_path_info *m, char *page)
{
	u64 now_ns = ktime_get_ns(), each, all = 0, own = 0, share;
	const struct lw_map_path *at;
	u32 rest;

	list_for_each_entry(at, &m->map_path->map->paths, node) {
		if (!lw_reader_locks(&at->path->lock))
			return -EAGAIN;
		each = lw_traffic_at(&at->path->shown.traffic, now_ns);
		mutex_unlock(&at->path->lock);
		all += each;
		if (at == m->map_path)
			own = each;
	}
	share = own * 10000 + all / 2;
	share = min_t(u64, all ? div64_u64(share, all) : 0, 10000);
	share = div_u64_rem(share, 100, &rest);
	return sysfs_emit(page, "%llu.%02u\n", share, rest);
}

static u64 lw_us(u64 ns)
{
	return div_u64(ns, NSEC_PER_USEC);
}

static u64 lw_weight_file(struct lw_path_info *m, unsigned int c)
{
	return READ_ONCE(m->shown.weight);
}

/* As in dmsetup status; for a stalled path, how long it has been stalled. */
static u64 lw_latency_file(struct lw_path_info *m, unsigned int c)
{
	return READ_ONCE(m->shown.lat_us);
}

static u64 lw_inflight_file(struct lw_path_info *m, unsigned int c)
{
	return lw_flight_ios(atomic64_read(&m->path->line.work));
}

static u64 lw_knee_file(struct lw_path_info *m, unsigned int c)
{
	return lw_load_ios(&m->path->state, m->path->state.capacity.knee);
}

static u64 lw_prefer_file(struct lw_path_info *m, unsigned int c)
{
	return m->preferred;
}

static u64 lw_base_file(struct lw_path_info *m, unsigned int c)
{
	return lw_us(lw_path_base_lat(&m->path->state));
}

static u64 lw_noise_file(struct lw_path_info *m, unsigned int c)
{
	return lw_path_noise_percent(&m->path->state);
}

static u64 lw_outlier_latency_file(struct lw_path_info *m, unsigned int c)
{
	return lw_us(lw_outliers_ns(&m->path->state.capacity.outliers));
}

static u64 lw_block_cost_file(struct lw_path_info *m, unsigned int c)
{
	return lw_path_block_milli(&m->path->state);
}

static u64 lw_block_latency_file(struct lw_path_info *m, unsigned int c)
{
	return lw_path_block_ns(&m->path->state);
}

static u64 lw_class_latency_file(struct lw_path_info *m, unsigned int c)
{
	return lw_us(m->path->state.latency.cls[c].lat_ns);
}

static u64 lw_class_done_file(struct lw_path_info *m, unsigned int c)
{
	lw_counts_aggregate_all(m->path);
	return m->path->sums.counters[c].done;
}

/* May seem negative, as an I/O may end on a CPU that was read before. */
static u64 lw_class_inflight_file(struct lw_path_info *m, unsigned int c)
{
	const struct lw_counters *counters = &m->path->sums.counters[c];

	lw_counts_aggregate_all(m->path);
	return max_t(s64, counters->starts - counters->ends, 0);
}

static struct lw_counters lw_counters_of_all(struct lw_device *path)
{
	struct lw_counters sum = { 0 };
	const struct lw_counters *each;

	lw_counts_aggregate_all(path);
	for (each = path->sums.counters; each < path->sums.counters + LW_CLASSES; each++) {
		sum.starts += each->starts;
		sum.ends += each->ends;
		sum.done += each->done;
	}
	return sum;
}

static u64 lw_starts_file(struct lw_path_info *m, unsigned int c)
{
	return lw_counters_of_all(m->path).starts;
}

static u64 lw_ends_file(struct lw_path_info *m, unsigned int c)
{
	return lw_counters_of_all(m->path).ends;
}

static u64 lw_done_file(struct lw_path_info *m, unsigned int c)
{
	return lw_counters_of_all(m->path).done;
}

/* Valid stamped writes of data since the path is known, as far as by_operation was 1. */
static u64 lw_writes_file(struct lw_path_info *m, unsigned int c)
{
	lw_counts_aggregate_all(m->path);
	return m->path->sums.writes.count;
}

/* @event is in the place of the class. */
static u64 lw_event_file(struct lw_path_info *m, unsigned int event)
{
	return lw_event_count(m->path, event);
}

/* @op is in the place of the class. */
static u64 lw_op_base_file(struct lw_path_info *m, unsigned int op)
{
	return lw_us(lw_path_op_base(&m->path->state, op));
}

/* As the windows counted, see lw_estimate_operations(). */
static u64 lw_op_done_file(struct lw_path_info *m, unsigned int op)
{
	return m->path->state.kinds.op[op].done;
}

#define LW_TEXT(file)							\
	{ .attr = { .name = #file, .mode = 0444 }, .show = lw_show_##file }
#define LW_NUMBER(file, fn)						\
	{ .attr = { .name = #file, .mode = 0444 }, .number = fn }
#define LW_EVENT(file, event)						\
	{ .attr = { .name = #file, .mode = 0444 }, .c = event,		\
	  .number = lw_event_file }

static struct lw_path_file lw_path_files[] = {
	LW_TEXT(device),
	LW_TEXT(known_since),
	LW_TEXT(state),
	LW_TEXT(state_since),
	LW_TEXT(latency_source),
	LW_TEXT(share),
	LW_NUMBER(weight, lw_weight_file),
	LW_NUMBER(latency_us, lw_latency_file),
	LW_NUMBER(base_latency_us, lw_base_file),
	LW_NUMBER(noise_percent, lw_noise_file),
	LW_NUMBER(outlier_latency_us, lw_outlier_latency_file),
	LW_NUMBER(block_cost, lw_block_cost_file),
	LW_NUMBER(block_latency_ns, lw_block_latency_file),
	LW_NUMBER(inflight, lw_inflight_file),
	LW_NUMBER(knee, lw_knee_file),
	LW_NUMBER(starts, lw_starts_file),
	LW_NUMBER(ends, lw_ends_file),
	LW_NUMBER(done, lw_done_file),
	LW_NUMBER(writes, lw_writes_file),
	LW_EVENT(unknown_ops, LW_EVENT_UNKNOWN_OP),
	LW_EVENT(probes, LW_EVENT_PROBE),
	LW_EVENT(full, LW_EVENT_FULL),
	LW_EVENT(failures, LW_EVENT_FAILURE),
	LW_EVENT(outliers, LW_EVENT_OUTLIER),
	LW_EVENT(ignored_failed, LW_EVENT_IGNORED_FAILED),
	LW_EVENT(ignored_stale, LW_EVENT_IGNORED_STALE),
	LW_EVENT(ignored_unissued, LW_EVENT_IGNORED_UNISSUED),
	{ .attr = { .name = "prefer", .mode = 0644 }, .number = lw_prefer_file },
};

/* Files in the directory of each class. */
static const struct lw_path_file lw_class_files[] = {
	LW_NUMBER(latency_us, lw_class_latency_file),
	LW_NUMBER(done, lw_class_done_file),
	LW_NUMBER(inflight, lw_class_inflight_file),
};

/* Files in the directory of each operation. */
static const struct lw_path_file lw_op_files[] = {
	LW_NUMBER(base_latency_us, lw_op_base_file),
	LW_NUMBER(done, lw_op_done_file),
};

#define LW_PART_FILES	ARRAY_SIZE(lw_class_files)	/* the most */
#define LW_FIRST_OP	LW_OP_READ	/* the first operation with a directory, and a name */
#define LW_PARTS	(LW_CLASSES + LW_OPS - LW_FIRST_OP)

/* Directory of a part of a path's I/Os: a class or an operation. */
struct lw_part_dir {
	struct lw_path_file file[LW_PART_FILES];	/* its files */
	struct attribute *attr[LW_PART_FILES + 1];	/* those for sysfs */
	struct attribute_group group;			/* the directory */
};

static struct lw_part_dir lw_part_dirs[LW_PARTS];
static struct attribute *lw_path_attrs[ARRAY_SIZE(lw_path_files) + 1];
static const struct attribute_group lw_path_group = { .attrs = lw_path_attrs };
static const struct attribute_group *lw_path_groups[LW_PARTS + 2] = {
	&lw_path_group
};

/* Names of operations in files; no class has one of them. */
const char * const lw_op_names[LW_OPS] = {
	[LW_OP_READ]	= "read",
	[LW_OP_WRITE]	= "write",
	[LW_OP_OTHER]	= "other",
};

static const struct sysfs_ops lw_path_ops = {
	.show = lw_path_show,
	.store = lw_path_store,
};

struct kobj_type lw_path_type = {
	.release = lw_dir_release,
	.sysfs_ops = &lw_path_ops,
	.default_groups = lw_path_groups,
};

/* @files: its files; @c: the class or operation that they show */
static void __init lw_part_dir_init(struct lw_part_dir *dir, const char *name,
				    const struct lw_path_file *files, unsigned int nr,
				    unsigned int c)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		dir->file[i] = files[i];
		dir->file[i].c = c;
		dir->attr[i] = &dir->file[i].attr;
	}
	dir->group.name = name;
	dir->group.attrs = dir->attr;
}

/* Fill the tables above, once, before the first directory. */
void __init lw_sysfs_path_files(void)
{
	struct lw_part_dir *dir = lw_part_dirs;
	unsigned int i;

	BUILD_BUG_ON(ARRAY_SIZE(lw_op_files) > LW_PART_FILES);
	for (i = 0; i < ARRAY_SIZE(lw_path_files); i++)
		lw_path_attrs[i] = &lw_path_files[i].attr;
	for (i = 0; i < LW_CLASSES; i++)
		lw_part_dir_init(dir++, lw_class_names[i], lw_class_files,
				 ARRAY_SIZE(lw_class_files), i);
	for (i = LW_FIRST_OP; i < LW_OPS; i++)
		lw_part_dir_init(dir++, lw_op_names[i], lw_op_files, ARRAY_SIZE(lw_op_files), i);
	for (i = 0; i < LW_PARTS; i++)
		lw_path_groups[i + 1] = &lw_part_dirs[i].group;
}
