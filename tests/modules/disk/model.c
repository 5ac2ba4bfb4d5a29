// SPDX-License-Identifier: GPL-2.0
/*
 * The path model
 *
 *	          +-------------+     +----------+
 *	I/O ----> | FIFO server | --> | delay_us | ----> completion
 *	  tags    +-------------+     +----------+   hang
 *
 *	start  = max(now, server_free)
 *	server_free = start + service_us + bytes / mbps
 *	due    = server_free + delay_us (+ far_us from CPUs that are not on `node`)
 *		 (+ tail_us for every tail_every-th read or write, and for
 *		 tail_permille thousandths of them, drawn at random, and for the next
 *		 tail_next of them)
 *
 * Of writes, service_us, mbps and delay_us are write_service_us, write_mbps and
 * write_delay_us, unless those are -1. With sigma_permille the delay of a read or
 * write is lognormal, of median delay_us: tail_us=8000 tail_permille=300 makes a
 * cache that 30 % miss, sigma_permille=500 delays of which a tenth is more than
 * 1.9 times the median. Names and meanings are the simulator's, tests/sim, whose
 * `tail` and `sigma` are parts of 1. What is random repeats: it depends on `seed`,
 * on the disk's number and on the reads and writes since `seed` was written.
 * tail_next counts down: tail_next=4 tail_us=30000000 loses four I/Os, as a
 * transport does, until SCSI's time-out after 30 s has them done again.
 *
 * At most `tags` I/Os are on their way at once; queue_rq answers further ones
 * with BLK_STS_DEV_RESOURCE. The server is work-conserving and the delay is a
 * pipe: service_us and mbps bound the throughput, delay_us does not. Example:
 * service_us=1000 delay_us=4000 gives 5 ms alone, 1000 IOPS from depth 5 on,
 * and depth - 1 ms at any larger depth. Flushes and discards cost service_us
 * and delay_us, but no bandwidth.
 *
 * rest_us: written, the server rests for so long, after what it has accepted.
 * hang: an I/O that is due is parked instead of completed. Writing 0 lets all
 * parked I/Os complete at once. The server goes on in the meantime.
 * error: an I/O taken while it is set skips the server and fails error_delay_us
 * later, with the error chosen (enum lwt_error). Parking holds for failures as
 * well.
 * remove: parked I/Os and all later ones fail, the disk goes away.
 *
 * Each request has its own hrtimer, set to the exact due time. It runs in
 * softirq (HRTIMER_MODE_*_SOFT), also on PREEMPT_RT, on the CPU that issued it.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/topology.h>

#include "compat.h"
#include "lw_testdisk.h"

/* How soon to look again after "busy", should no completion do so before. */
#define LWT_BUSY_RERUN_MS	3

static const blk_status_t lwt_errors[LWT_ERRORS] = {
	[LWT_ERROR_NONE]	= BLK_STS_OK,
	[LWT_ERROR_PATH]	= BLK_STS_IOERR,
	[LWT_ERROR_TARGET]	= BLK_STS_TARGET,
	[LWT_ERROR_NOSPC]	= BLK_STS_NOSPC,
	[LWT_ERROR_MEDIUM]	= BLK_STS_MEDIUM,
};

static struct lwt_disk *lwt_rq_disk(struct request *rq)
{
	return rq->q->queuedata;
}

static bool lwt_is_data(struct request *rq)
{
	return req_op(rq) == REQ_OP_READ || req_op(rq) == REQ_OP_WRITE;
}

static int lwt_of_direction(struct request *rq, int of_all, int of_writes)
{
	bool own = req_op(rq) == REQ_OP_WRITE && of_writes != LWT_AS_READS;

	return own ? of_writes : of_all;
}

static bool lwt_is_far(const struct lwt_config *config)
{
	return numa_node_id() != config->node;
}

static void lwt_count_data(struct lwt_disk *lwt, struct request *rq)
{
	if (blk_rq_pos(rq) != lwt->next_pos)
		lwt->counters.seeks++;
	lwt->next_pos = blk_rq_pos(rq) + blk_rq_sectors(rq);
	lwt->counters.bytes += blk_rq_bytes(rq);
	if (lwt_is_far(&lwt->config))
		lwt->counters.far++;
}

static void lwt_count(struct lwt_disk *lwt, struct request *rq)
{
	struct lwt_counters *counters = &lwt->counters;

	switch (req_op(rq)) {
	case REQ_OP_READ:
		counters->reads++;
		lwt_count_data(lwt, rq);
		break;
	case REQ_OP_WRITE:
		counters->writes++;
		lwt_count_data(lwt, rq);
		break;
	default:
		counters->others++;
	}
	counters->inflight++;
	if (counters->inflight > counters->max_inflight)
		counters->max_inflight = counters->inflight;
}

/* Time in the server. At most a minute plus 4 GiB at 1 MB/s: fits easily. */
static u64 lwt_service_ns(const struct lwt_config *config, struct request *rq)
{
	u64 ns = (u64)lwt_of_direction(rq, config->service_us,
				       config->write_service_us) * NSEC_PER_USEC;
	int mbps = lwt_of_direction(rq, config->mbps, config->write_mbps);

	if (mbps && lwt_is_data(rq))
		ns += div_u64((u64)blk_rq_bytes(rq) * NSEC_PER_USEC, mbps);
	return ns;
}

/* The request has been counted already. */
static bool lwt_is_counted_out(const struct lwt_disk *lwt)
{
	u64 ios = lwt->counters.reads + lwt->counters.writes;
	u32 rest;

	if (!lwt->config.tail_every)
		return false;
	div_u64_rem(ios, lwt->config.tail_every, &rest);
	return !rest;
}

static bool lwt_is_drawn(struct lwt_disk *lwt)
{
	int permille = lwt->config.tail_permille;

	return permille && lwt_chance_hits(&lwt->tail_chance, permille);
}

static bool lwt_is_next(struct lwt_disk *lwt)
{
	bool is_next = lwt->config.tail_next;

	if (is_next)
		WRITE_ONCE(lwt->config.tail_next, lwt->config.tail_next - 1);
	return is_next;
}

/* What a read or write takes longer than others of its direction. */
static int lwt_tail_us(struct lwt_disk *lwt)
{
	bool is_next = lwt_is_next(lwt);
	bool is_tail = lwt_is_drawn(lwt) || lwt_is_counted_out(lwt);

	return is_next || is_tail ? lwt->config.tail_us : 0;
}

static u64 lwt_delay_ns(struct lwt_disk *lwt, struct request *rq)
{
	const struct lwt_config *config = &lwt->config;
	int us = lwt_of_direction(rq, config->delay_us, config->write_delay_us);
	u64 ns = (u64)us * NSEC_PER_USEC;
	int more_us = lwt_is_far(config) ? config->far_us : 0;

	if (lwt_is_data(rq)) {
		more_us += lwt_tail_us(lwt);
		if (config->sigma_permille)
			ns = lwt_chance_lognormal(&lwt->delay_chance, ns,
						  config->sigma_permille);
	}
	return ns + (u64)more_us * NSEC_PER_USEC;
}

static ktime_t lwt_serve(struct lwt_disk *lwt, struct request *rq, ktime_t now)
{
	ktime_t start = max(now, lwt->server_free);

	lwt->server_free = ktime_add_ns(start,
					lwt_service_ns(&lwt->config, rq));
	return ktime_add_ns(lwt->server_free, lwt_delay_ns(lwt, rq));
}

/* The block layer stamps requests only if somebody asked it to. */
static void lwt_count_unstamped(struct lwt_disk *lwt, struct request *rq)
{
	unsigned long flags;

	if (rq->io_start_time_ns)
		return;
	spin_lock_irqsave(&lwt->lock, flags);
	lwt->counters.unstamped++;
	spin_unlock_irqrestore(&lwt->lock, flags);
}

/* Decides when and how the request ends. False if the path is full. */
static bool lwt_admit(struct lwt_disk *lwt, struct request *rq)
{
	struct lwt_cmd *cmd = blk_mq_rq_to_pdu(rq);
	ktime_t now = ktime_get();
	unsigned long flags;
	bool admitted;

	spin_lock_irqsave(&lwt->lock, flags);
	admitted = lwt->gone || lwt->counters.inflight < lwt->config.tags;
	if (!admitted) {
		lwt->counters.busy++;
	} else {
		lwt_count(lwt, rq);
		cmd->status = lwt_errors[lwt->config.error];
		if (lwt->gone) {
			cmd->status = BLK_STS_IOERR;
			cmd->due = now;
		} else if (lwt->config.error) {
			cmd->due = ktime_add_us(now,
						lwt->config.error_delay_us);
		} else {
			cmd->due = lwt_serve(lwt, rq, now);
		}
	}
	spin_unlock_irqrestore(&lwt->lock, flags);
	return admitted;
}

static blk_status_t lwt_queue_rq(struct blk_mq_hw_ctx *hctx,
				 const struct blk_mq_queue_data *bd)
{
	struct request *rq = bd->rq;
	struct lwt_disk *lwt = lwt_rq_disk(rq);
	struct lwt_cmd *cmd = blk_mq_rq_to_pdu(rq);
	bool start_first = READ_ONCE(lwt->config.busy_after_start);

	if (start_first)
		blk_mq_start_request(rq);
	if (!lwt_admit(lwt, rq)) {
		blk_mq_delay_run_hw_queue(hctx, LWT_BUSY_RERUN_MS);
		return BLK_STS_DEV_RESOURCE;
	}
	if (!start_first)
		blk_mq_start_request(rq);
	lwt_count_unstamped(lwt, rq);
	if (cmd->status == BLK_STS_OK)
		cmd->status = lwt_store_transfer(lwt->store, rq);
	hrtimer_start(&cmd->timer, cmd->due, HRTIMER_MODE_ABS_SOFT);
	return BLK_STS_OK;
}

static enum hrtimer_restart lwt_due(struct hrtimer *timer)
{
	struct lwt_cmd *cmd = container_of(timer, struct lwt_cmd, timer);
	struct request *rq = blk_mq_rq_from_pdu(cmd);
	struct lwt_disk *lwt = lwt_rq_disk(rq);
	unsigned long flags;
	bool park;

	spin_lock_irqsave(&lwt->lock, flags);
	if (lwt->gone)
		cmd->status = BLK_STS_IOERR;
	park = lwt->config.hang && !lwt->gone;
	if (park) {
		list_add_tail(&cmd->parked, &lwt->parked);
	} else {
		lwt->counters.inflight--;
		if (cmd->status != BLK_STS_OK)
			lwt->counters.errors++;
	}
	spin_unlock_irqrestore(&lwt->lock, flags);

	if (!park)
		blk_mq_complete_request(rq);
	return HRTIMER_NORESTART;
}

static void lwt_complete_rq(struct request *rq)
{
	struct lwt_cmd *cmd = blk_mq_rq_to_pdu(rq);

	blk_mq_end_request(rq, cmd->status);
}

static int lwt_init_request(struct blk_mq_tag_set *set, struct request *rq,
			    unsigned int hctx_index, lwt_node_t node)
{
	struct lwt_cmd *cmd = blk_mq_rq_to_pdu(rq);

	hrtimer_setup(&cmd->timer, lwt_due, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
	INIT_LIST_HEAD(&cmd->parked);
	return 0;
}

const struct blk_mq_ops lwt_mq_ops = {
	.queue_rq	= lwt_queue_rq,
	.complete	= lwt_complete_rq,
	.init_request	= lwt_init_request,
};

/**
 * lwt_resume - let parked I/Os complete
 * @lwt: the disk, whose hang or gone state the caller has just changed
 *
 * Their timers are started once more, so that a completion always comes from
 * the same context, and is parked again if the hang was set again.
 */
void lwt_resume(struct lwt_disk *lwt)
{
	struct lwt_cmd *cmd, *next;
	unsigned long flags;

	spin_lock_irqsave(&lwt->lock, flags);
	list_for_each_entry_safe(cmd, next, &lwt->parked, parked) {
		list_del_init(&cmd->parked);
		hrtimer_start(&cmd->timer, ktime_get(), HRTIMER_MODE_ABS_SOFT);
	}
	spin_unlock_irqrestore(&lwt->lock, flags);
}

/**
 * lwt_model_rest - let the server do nothing for a while
 * @lwt: the disk, whose rest_us the caller has just written
 *
 * When I/Os end that it has accepted is decided, so it rests after those.
 */
void lwt_model_rest(struct lwt_disk *lwt)
{
	ktime_t start = max(ktime_get(), lwt->server_free);

	lwt->server_free = ktime_add_us(start, lwt->config.rest_us);
}

/**
 * lwt_model_seed - begin the random numbers anew
 * @lwt: the disk, whose seed the caller may just have changed
 */
void lwt_model_seed(struct lwt_disk *lwt)
{
	enum { DELAY = 1, TAIL, STREAMS };	/* as the simulator's path.cc has them */
	unsigned int stream = 1000 + lwt->index * STREAMS;

	lwt_chance_seed(&lwt->delay_chance, lwt->config.seed, stream + DELAY);
	lwt_chance_seed(&lwt->tail_chance, lwt->config.seed, stream + TAIL);
}

/**
 * lwt_model_init - an ideal path: no time, no errors, as many I/Os as tags
 * @lwt: the disk
 * @tags: the depth of its tag set
 */
void lwt_model_init(struct lwt_disk *lwt, unsigned int tags)
{
	spin_lock_init(&lwt->lock);
	INIT_LIST_HEAD(&lwt->parked);
	lwt->config.tags = tags;
	lwt->config.write_service_us = LWT_AS_READS;
	lwt->config.write_mbps = LWT_AS_READS;
	lwt->config.write_delay_us = LWT_AS_READS;
	lwt->config.seed = LWT_FIRST_SEED;
	lwt_model_seed(lwt);
	lwt->server_free = ktime_get();
}
