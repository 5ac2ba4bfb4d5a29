/* SPDX-License-Identifier: GPL-2.0 */
/* How the module learns the operation of an I/O; see operation.c. */
#ifndef LW_BLOCK_PROBES_H
#define LW_BLOCK_PROBES_H

#include <linux/types.h>

struct bio;
struct request;
struct tracepoint;

/* A tracepoint of the block layer, and what is to be called there. */
struct lw_block_probe {
	const char *name;	/* of the tracepoint */
	void *handler;		/* of the kernel's prototype; NULL: it has one that we do not know */
	struct tracepoint *at;	/* NULL if the kernel has none of this name; see block_probes.c */
};

#define LW_BLOCK_PROBES	4

/* src/compat/block-trace.c */
extern struct lw_block_probe lw_block_probes[LW_BLOCK_PROBES];

/* operation.c */
void lw_saw_issue(struct request *rq);
void lw_saw_bio(struct bio *bio);
void lw_saw_complete(struct request *rq, unsigned int nr_bytes);
void lw_saw_requeue(struct request *rq);
void lw_operation_major(unsigned int major);

/* block_probes.c */
bool lw_block_probes_work(void);

#endif
