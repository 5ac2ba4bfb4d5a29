/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lw_testdisk - a disk whose path model can be changed while it is in use.
 * The model is described at the top of model.c.
 */
#ifndef LW_TESTDISK_H
#define LW_TESTDISK_H

#include <linux/blk-mq.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#define LWT_MAX_DISKS		16
#define LWT_MAX_DEPTH		1024
#define LWT_MAX_DELAY_US	60000000	/* one minute */
#define LWT_MAX_MBPS		1000000		/* 10^6 bytes a second each */
#define LWT_MAX_SIGMA_PERMILLE	1000
#define LWT_FIRST_SEED		1
#define LWT_AS_READS		(-1)		/* write_*: no value of their own */

/**
 * struct lwt_store - the bytes behind one or more disks
 * @pages: page index to struct page; a missing page reads as zeroes, and a
 *	page once present stays until the store is freed
 */
struct lwt_store {
	struct xarray pages;
};

/**
 * enum lwt_error - whose fault the errors are, in dm-multipath's eyes
 * @LWT_ERROR_NONE: no errors
 * @LWT_ERROR_PATH: EIO, the path's: it is failed, and the I/O tried on another
 * @LWT_ERROR_TARGET: target error; this and the next two are the device's: passed
 *	up to the user, and the path stays as it is
 * @LWT_ERROR_NOSPC: no space
 * @LWT_ERROR_MEDIUM: medium error
 */
enum lwt_error {
	LWT_ERROR_NONE,
	LWT_ERROR_PATH,
	LWT_ERROR_TARGET,
	LWT_ERROR_NOSPC,
	LWT_ERROR_MEDIUM,
	LWT_ERRORS
};

/**
 * struct lwt_config - what the path does to an I/O
 * @service_us: time the FIFO server spends on each I/O
 * @write_service_us: on each write, if it differs; otherwise %LWT_AS_READS
 * @mbps: bandwidth of the FIFO server in 10^6 bytes a second, 0 for unlimited
 * @write_mbps: for writes, or %LWT_AS_READS
 * @delay_us: time from the server to the completion; of reads and writes the
 *	median
 * @write_delay_us: of writes, or %LWT_AS_READS
 * @sigma_permille: the delay of reads and writes is lognormal; standard
 *	deviation of its natural logarithm, in thousandths
 * @node: NUMA node that the path is near to
 * @far_us: added to @delay_us for what CPUs of other nodes submit
 * @tail_every: one of so many reads and writes takes longer, 0 for none
 * @tail_permille: such a part of them, drawn at random, takes longer
 * @tail_next: the next so many of them take longer; counts down
 * @tail_us: added to the delay of those
 * @rest_us: how long the server last rested
 * @seed: of all that is random
 * @tags: I/Os accepted at once; more are answered with "busy"
 * @busy_after_start: whether a request is marked as started before it is
 *	answered with "busy", as some drivers do
 * @hang: complete nothing
 * @frozen: give out no request, as the queue of a controller that is reset
 * @error: fail each new I/O, see enum lwt_error
 * @error_delay_us: time until such a failure is reported
 */
struct lwt_config {
	int service_us;
	int write_service_us;
	int mbps;
	int write_mbps;
	int delay_us;
	int write_delay_us;
	int sigma_permille;
	int node;
	int far_us;
	int tail_every;
	int tail_permille;
	int tail_next;
	int tail_us;
	int rest_us;
	int seed;
	int tags;
	int busy_after_start;
	int hang;
	int frozen;
	int error;
	int error_delay_us;
};

/**
 * struct lwt_counters - what happened on the path; sizes count data only
 * @reads: reads accepted
 * @writes: writes accepted
 * @others: flushes, discards and anything else accepted
 * @bytes: bytes of the accepted reads and writes
 * @seeks: how many of them did not begin where the one before had ended
 * @far: how many of the reads and writes came from CPUs of other nodes than
 *	@lwt_config.node
 * @busy: requests answered with "busy"
 * @errors: I/Os completed with an error
 * @unstamped: I/Os accepted that the block layer did not stamp when they started
 * @inflight: I/Os accepted and not yet completed
 * @max_inflight: largest @inflight since it was last reset
 */
struct lwt_counters {
	u64 reads;
	u64 writes;
	u64 others;
	u64 bytes;
	u64 seeks;
	u64 far;
	u64 busy;
	u64 errors;
	u64 unstamped;
	u64 inflight;
	u64 max_inflight;
};

/**
 * struct lwt_chance - a sequence of random numbers
 * @state: splitmix64's
 */
struct lwt_chance {
	u64 state;
};

/**
 * struct lwt_disk - one disk, that is one path
 * @disk: the block layer's side of it
 * @set: its tags
 * @index: its number; disks with the same seed draw different numbers
 * @store: where its data is; shared with other disks if so loaded
 * @remove_mutex: serialises hot removal with module removal, protects @removed
 * @remove_work: hot removal, since a sysfs file cannot remove itself
 * @removed: del_gendisk() was called
 * @lock: protects all that follows
 * @config: the path model's parameters
 * @counters: what happened so far
 * @delay_chance: draws delays
 * @tail_chance: draws which I/Os are of @config.tail_permille
 * @next_pos: where the last read or write ended, a sector
 * @server_free: when the FIFO server will have served all it accepted
 * @parked: I/Os that are due but held back by @config.hang
 * @gone: the path was pulled, everything fails at once
 */
struct lwt_disk {
	struct gendisk *disk;
	struct blk_mq_tag_set set;
	unsigned int index;
	struct lwt_store *store;

	struct mutex remove_mutex;
	struct work_struct remove_work;
	bool removed;

	spinlock_t lock;
	struct lwt_config config;
	struct lwt_counters counters;
	struct lwt_chance delay_chance;
	struct lwt_chance tail_chance;
	sector_t next_pos;
	ktime_t server_free;
	struct list_head parked;
	bool gone;
};

/**
 * struct lwt_cmd - driver data of a request
 * @timer: runs when the request is due
 * @parked: entry in the disk's list of parked requests
 * @due: when the request is to complete
 * @status: what it will complete with
 */
struct lwt_cmd {
	struct hrtimer timer;
	struct list_head parked;
	ktime_t due;
	blk_status_t status;
};

/* main.c */
void lwt_disk_remove(struct lwt_disk *lwt);

/* model.c */
extern const struct blk_mq_ops lwt_mq_ops;
void lwt_model_init(struct lwt_disk *lwt, unsigned int tags);
void lwt_model_rest(struct lwt_disk *lwt);
void lwt_model_seed(struct lwt_disk *lwt);
void lwt_resume(struct lwt_disk *lwt);

/* chance.c */
void lwt_chance_seed(struct lwt_chance *chance, unsigned int seed,
		     unsigned int stream);
bool lwt_chance_hits(struct lwt_chance *chance, unsigned int permille);
u64 lwt_chance_lognormal(struct lwt_chance *chance, u64 median,
			 unsigned int sigma_permille);

/* store.c */
struct lwt_store *lwt_store_create(void);
void lwt_store_destroy(struct lwt_store *store);
blk_status_t lwt_store_transfer(struct lwt_store *store, struct request *rq);

/* sysfs.c */
extern const struct attribute_group *lwt_attr_groups[];

#endif /* LW_TESTDISK_H */
