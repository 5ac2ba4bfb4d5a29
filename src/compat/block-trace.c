// SPDX-License-Identifier: GPL-2.0
/*
 * Handlers of block tracepoints. Kernels differ in whether these pass the request's queue, and in
 * the type of a status, and stable kernels change that. So the compiler takes the handler of the
 * kernel's prototype, which check_trace_callback_type_*() has; for one that is not here, none.
 */
#include <linux/blkdev.h>
#include <linux/blk-mq.h>
#include <linux/tracepoint.h>
#include <trace/events/block.h>

#include "admin/admin.h"

/* Called by the block layer on any CPU, in any context but NMI, perhaps preemptible. */

static void __maybe_unused lw_issue(void *data, struct request *rq)
{
	lw_saw_issue(rq);
}

static void __maybe_unused lw_issue_q(void *data, struct request_queue *q, struct request *rq)
{
	lw_saw_issue(rq);
}

static void __maybe_unused lw_requeue(void *data, struct request *rq)
{
	lw_saw_requeue(rq);
}

static void __maybe_unused lw_requeue_q(void *data, struct request_queue *q, struct request *rq)
{
	lw_saw_requeue(rq);
}

static void __maybe_unused lw_bio(void *data, struct bio *bio)
{
	lw_saw_bio(bio);
}

static void __maybe_unused lw_bio_q(void *data, struct request_queue *q, struct bio *bio)
{
	lw_saw_bio(bio);
}

static void __maybe_unused lw_complete(void *data, struct request *rq, blk_status_t status,
				       unsigned int nr_bytes)
{
	lw_saw_complete(rq, nr_bytes);
}

static void __maybe_unused lw_complete_int(void *data, struct request *rq, int error,
					   unsigned int nr_bytes)
{
	lw_saw_complete(rq, nr_bytes);
}

/* Does the kernel pass these to handlers of a tracepoint? */
#define LW_PASSES(tracepoint, ...)						\
	__same_type(&check_trace_callback_type_##tracepoint,			\
		    (void (*)(void (*)(void *, __VA_ARGS__)))NULL)

struct lw_block_probe lw_block_probes[LW_BLOCK_PROBES] = {
	{
		.name = "block_rq_issue",
		.handler = LW_PASSES(block_rq_issue, struct request *) ? (void *)lw_issue :
			   LW_PASSES(block_rq_issue, struct request_queue *, struct request *) ?
			   (void *)lw_issue_q : NULL,
	}, {
		.name = "block_rq_requeue",
		.handler = LW_PASSES(block_rq_requeue, struct request *) ? (void *)lw_requeue :
			   LW_PASSES(block_rq_requeue, struct request_queue *, struct request *) ?
			   (void *)lw_requeue_q : NULL,
	}, {
		.name = "block_bio_queue",
		.handler = LW_PASSES(block_bio_queue, struct bio *) ? (void *)lw_bio :
			   LW_PASSES(block_bio_queue, struct request_queue *, struct bio *) ?
			   (void *)lw_bio_q : NULL,
	}, {
		.name = "block_rq_complete",
		.handler = LW_PASSES(block_rq_complete, struct request *, blk_status_t,
				     unsigned int) ? (void *)lw_complete :
			   LW_PASSES(block_rq_complete, struct request *, int, unsigned int) ?
			   (void *)lw_complete_int : NULL,
	},
};
