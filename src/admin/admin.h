/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface of admin/ to the rest of the module. Selectors work without it: the simulator has
 * most of it only by name (tests/kernel_shim/map.c), and the series for the kernel's tree does not
 * call it (upstream/sources.py).
 */
#ifndef LW_ADMIN_H
#define LW_ADMIN_H

#include "operation.h"

struct bio;
struct request;
struct tracepoint;

/* map.c */
int lw_map_join(struct lw_selector *sel, struct lw_path_info *m, char **error);
void lw_map_inherit(struct lw_path_info *m);
void lw_map_drop(struct lw_path_info *m);
void lw_map_announce(struct lw_path_info *m);
void lw_map_leave(struct lw_selector *sel);
void lw_map_put_selector(struct lw_selector *sel);
void lw_map_lock(struct lw_selector *sel);
void lw_map_unlock(struct lw_selector *sel);
void lw_measure(struct lw_selector *sel);

/* policy.c */
void lw_policy_look(struct lw_selector *sel);

/* measure.c */

/* Memory that ends may still use, until a grace period is over. */
struct lw_gone {
	void __percpu *counts;
	struct lw_device *path;			/* of cells by operation; else NULL */
};

#define LW_MOST_GONE		16

/* Memory for the measurements of one more path, and memory taken from paths. */
struct lw_stock {
	struct lw_op_cell __percpu *cells;	/* by operation */
	struct lw_op_cell *was;			/* and the window's copy of them */
	struct lw_histogram __percpu *rows;	/* histograms by class */
	struct lw_histogram __percpu *op_rows;	/* histograms by operation */
	unsigned int lacks;			/* missing memory, LW_LACKS_* */
	unsigned int failed;			/* and that which could not be allocated */
	unsigned int nr_gone;
	struct lw_gone gone[LW_MOST_GONE];
};

#define LW_LACKS_CELLS		BIT(0)
#define LW_LACKS_ROWS		BIT(1)
#define LW_LACKS_OP_ROWS	BIT(2)

void lw_measure_path(const struct lw_selector *sel, struct lw_path_info *m,
		     struct lw_stock *stock);
bool lw_stock_fill(struct lw_stock *stock);
void lw_stock_flush(struct lw_stock *stock);
void lw_stock_free(struct lw_stock *stock);
void lw_measure_end(struct lw_selector *sel);

/* count.c */
void lw_count_latency(struct lw_device *path, unsigned int c, u64 stamp, u64 now);

/* Is the histogram on? */
static inline bool lw_has_histogram(const struct lw_device *path)
{
	return READ_ONCE(path->histogram.row);
}

/* An I/O that ended. */
struct lw_ended {
	struct lw_device *path;
	u64 stamp;	/* its start, 0 if unknown */
	u64 now;	/* its end */
	u32 blocks;	/* its length */
	u32 took;	/* its latency by lw_took(), 0 if unknown */
};

void lw_count_unknown(struct lw_device *path);
void lw_count_operation(const struct lw_ended *io, enum lw_op op);

/* block_probes.c */
int lw_operation_init(void);
void lw_operation_exit(void);
void lw_operation_want(void);
void lw_operation_unwant(void);

/* operation.c; lw_op_asked() is declared in operation.h */
void lw_operation_forget(struct lw_device *path);
bool lw_operation_known(const struct lw_selector *sel, const struct lw_device *path);
void lw_operation_end(const struct lw_selector *sel, const struct lw_ended *io,
		      size_t nr_bytes, bool counts);

/* A tracepoint of the block layer, and the handler for it. */
struct lw_block_probe {
	const char *name;	/* of the tracepoint */
	void *handler;		/* of the kernel's prototype; NULL if we do not know that */
	struct tracepoint *at;	/* NULL if the kernel has none of this name */
};

#define LW_BLOCK_PROBES	4

/* Of compat/block-trace.c. */
extern struct lw_block_probe lw_block_probes[LW_BLOCK_PROBES];

/* operation.c; called by compat/block-trace.c */
void lw_saw_issue(struct request *rq);
void lw_saw_bio(struct bio *bio);
void lw_saw_complete(struct request *rq, unsigned int nr_bytes);
void lw_saw_requeue(struct request *rq);

/* sysfs.c */
int lw_sysfs_init(void);
void lw_sysfs_exit(void);

/* report.c */
void lw_report_slow(struct lw_selector *sel, u64 now_ns);

/* notice.c */
int lw_notice_init(void);
void lw_notice_exit(void);

/* debugfs.c */
void lw_debugfs_init(void);
void lw_debugfs_exit(void);

#endif
