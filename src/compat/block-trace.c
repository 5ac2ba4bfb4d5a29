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

/* The type of a handler, and that of the function which takes it to check the type. */
#define LW_HANDLER(...)		void (*)(void *, __VA_ARGS__)
#define LW_CHECK(...)		void (*)(LW_HANDLER(__VA_ARGS__))

/* Of two handlers the one with the prototype of the tracepoint. */
#define LW_PROBE(tracepoint, type_a, a, type_b, b) {				\
	.name = #tracepoint,							\
	.handler = _Generic(&check_trace_callback_type_##tracepoint,		\
			    type_a: (void *)(a), type_b: (void *)(b),		\
			    default: NULL),					\
}

struct lw_block_probe lw_block_probes[LW_BLOCK_PROBES] = {
	LW_PROBE(block_rq_issue,
		 LW_CHECK(struct request *), lw_issue,
		 LW_CHECK(struct request_queue *, struct request *), lw_issue_q),
	LW_PROBE(block_rq_requeue,
		 LW_CHECK(struct request *), lw_requeue,
		 LW_CHECK(struct request_queue *, struct request *), lw_requeue_q),
	LW_PROBE(block_bio_queue,
		 LW_CHECK(struct bio *), lw_bio,
		 LW_CHECK(struct request_queue *, struct bio *), lw_bio_q),
	LW_PROBE(block_rq_complete,
		 LW_CHECK(struct request *, blk_status_t, unsigned int), lw_complete,
		 LW_CHECK(struct request *, int, unsigned int), lw_complete_int),
};
