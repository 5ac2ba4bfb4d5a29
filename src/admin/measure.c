// SPDX-License-Identifier: GPL-2.0
/*
 * Measurements that a path makes only on request: time stamps, the latency histogram, and counts
 * by operation. Their memory is allocated without the map's lock: whoever holds the mutex of the
 * per-CPU allocator may wait for I/O, which may wait for a table, which waits for the lock.
 */
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "admin/admin.h"
#include "blk-stat.h"

/*
 * Make blk-mq stamp the requests of the path, which it otherwise does only for others, such as
 * writeback throttling. Bio-based devices have no requests. Kernels before 5.17, and RHEL before
 * 9.1, cannot turn it off again and keep stamping. A throttled queue keeps stamping, too: 5.17 to
 * 6.3, and RHEL 9.1 to 9.3, would take the stamps from the throttling. Elsewhere it has them
 * anyway. The queue counts requests: do not ask twice without giving back.
 */
static void lw_measure_stamps(struct lw_path_info *m, bool wanted)
{
	struct request_queue *q = bdev_get_queue(m->dm_path->dev->bdev);
	struct lw_device *path = m->path;

	if (wanted == m->measured.accounting || !queue_is_mq(q))
		return;
	mutex_lock(&path->lock);
	path->measuring.accounting += wanted ? 1 : -1;
	if (path->measuring.accounting && !path->measuring.stamps) {
		blk_stat_enable_accounting(q);
		path->measuring.stamps = true;
	} else if (!path->measuring.accounting && !READ_ONCE(q->rq_qos)) {
		blk_stat_disable_accounting(q);
		path->measuring.stamps = false;
	}
	mutex_unlock(&path->lock);
	m->measured.accounting = wanted;
}

/* Return: whether the path has these histograms now; the first use takes *@fresh, unless NULL. */
static bool lw_histograms_add(struct lw_device *path, struct lw_histograms *of,
			      struct lw_histogram __percpu **fresh)
{
	bool has;

	mutex_lock(&path->lock);
	if (!of->users && *fresh) {
		of->nr++;
		/* Publish the pointer after the zeroed buckets. */
		smp_store_release(&of->row, *fresh);
		*fresh = NULL;
	}
	has = of->row;
	of->users += has;
	mutex_unlock(&path->lock);
	return has;
}

/**
 * lw_stock_flush() - free memory taken from paths
 * @stock: the stock
 *
 * One grace period for all of it, as each takes tens of milliseconds on a large machine. The paths
 * must still be there.
 *
 * Context: process, may sleep.
 */
void lw_stock_flush(struct lw_stock *stock)
{
	struct lw_gone *gone;

	if (!stock->nr_gone)
		return;
	/* Ends read the pointers, count, and leave records with interrupts off. */
	synchronize_rcu();
	for (gone = stock->gone; gone < stock->gone + stock->nr_gone; gone++) {
		if (gone->path)
			lw_operation_forget(gone->path);
		free_percpu(gone->counts);
	}
	stock->nr_gone = 0;
}

/* Free this later, as ends that run may still use it. */
static void lw_stock_take(struct lw_stock *stock, void __percpu *counts, struct lw_device *path)
{
	if (!counts)
		return;
	if (stock->nr_gone == LW_MOST_GONE)
		lw_stock_flush(stock);
	stock->gone[stock->nr_gone++] = (struct lw_gone){ .counts = counts, .path = path };
}

/* Drop one use of the histograms; the last one takes them and their counts away. */
static void lw_histograms_drop(struct lw_device *path, struct lw_histograms *of,
			       struct lw_stock *stock)
{
	struct lw_histogram __percpu *gone = NULL;

	mutex_lock(&path->lock);
	if (!--of->users) {
		gone = of->row;
		WRITE_ONCE(of->row, NULL);
	}
	mutex_unlock(&path->lock);
	lw_stock_take(stock, gone, NULL);
}

/* Return: whether completions of the path are counted by operation now; takes cells of @stock. */
static bool lw_device_add_operations(struct lw_device *path, struct lw_stock *stock)
{
	bool has;

	mutex_lock(&path->lock);
	if (!path->measuring.by_operation && stock->cells && stock->was) {
		path->sums.was_op = stock->was;
		/* Publish the pointer after the zeroed cells. */
		smp_store_release(&path->op.cells, stock->cells);
		stock->was = NULL;
		stock->cells = NULL;
	}
	has = path->op.cells;
	path->measuring.by_operation += has;
	mutex_unlock(&path->lock);
	if (has)
		lw_operation_want();
	return has;
}

/* Drop one use of the cells; the last one takes them away. Their counts stay in the sums. */
static void lw_device_drop_operations(struct lw_device *path, struct lw_stock *stock)
{
	struct lw_op_cell __percpu *gone = NULL;

	lw_operation_unwant();
	mutex_lock(&path->lock);
	if (!--path->measuring.by_operation) {
		lw_counts_aggregate_all(path);
		kvfree(path->sums.was_op);
		path->sums.was_op = NULL;
		gone = path->op.cells;
		WRITE_ONCE(path->op.cells, NULL);
	}
	mutex_unlock(&path->lock);
	lw_stock_take(stock, gone, path);
}

static void lw_measure_operations(struct lw_path_info *m, bool wanted, struct lw_stock *stock)
{
	if (wanted && !m->measured.by_operation) {
		m->measured.by_operation = lw_device_add_operations(m->path, stock);
		if (!m->measured.by_operation)
			stock->lacks |= LW_LACKS_CELLS;
	} else if (!wanted && m->measured.by_operation) {
		lw_device_drop_operations(m->path, stock);
		m->measured.by_operation = false;
	}
}

/* Return: false if memory lacks. */
static bool lw_measure_histograms(struct lw_device *path, struct lw_histograms *of, bool wanted,
				  bool *has, struct lw_histogram __percpu **fresh,
				  struct lw_stock *stock)
{
	if (wanted && !*has) {
		*has = lw_histograms_add(path, of, fresh);
	} else if (!wanted && *has) {
		lw_histograms_drop(path, of, stock);
		*has = false;
	}
	return *has == wanted;
}

/* Also by operation, of members that have both. */
static void lw_measure_latencies(struct lw_path_info *m, bool wanted, struct lw_stock *stock)
{
	struct lw_measured *has = &m->measured;
	struct lw_device *path = m->path;

	if (!lw_measure_histograms(path, &path->histogram, wanted, &has->histogram, &stock->rows,
				   stock))
		stock->lacks |= LW_LACKS_ROWS;
	if (!lw_measure_histograms(path, &path->op.histogram,
				   has->histogram && has->by_operation,
				   &has->op_histogram, &stock->op_rows, stock))
		stock->lacks |= LW_LACKS_OP_ROWS;
}

/**
 * lw_measure_path() - start or stop the measurements that the configuration asks for
 * @sel: the selector, its map locked
 * @m: one of its paths
 * @stock: memory to take; notes missing memory, see lw_stock_fill(). Call lw_stock_flush() before
 *	the map is unlocked
 *
 * Context: process, may sleep.
 */
void lw_measure_path(const struct lw_selector *sel, struct lw_path_info *m, struct lw_stock *stock)
{
	lw_measure_stamps(m, READ_ONCE(sel->config.accounting));
	lw_measure_operations(m, READ_ONCE(sel->config.by_operation), stock);
	lw_measure_latencies(m, READ_ONCE(sel->config.histogram), stock);
}

static struct lw_histogram __percpu *lw_rows_alloc(unsigned int rows)
{
	return __alloc_percpu(rows * sizeof(struct lw_histogram),
			      __alignof__(struct lw_histogram));
}

/**
 * lw_stock_fill() - allocate missing memory
 * @stock: the stock, zeroed before its first use
 *
 * Context: process, no lock held; may sleep.
 * Return: true if something lacked and is there now; then call lw_measure_path() again. False if
 * nothing lacked, or memory ran out for all of it; no kind of memory is tried again after that.
 */
bool lw_stock_fill(struct lw_stock *stock)
{
	unsigned int lacks = stock->lacks & ~stock->failed, failed = 0;

	stock->lacks = 0;
	if (lacks & LW_LACKS_CELLS) {
		stock->cells = alloc_percpu(struct lw_op_cell);
		stock->was = kvcalloc(nr_cpu_ids, sizeof(*stock->was), GFP_KERNEL);
		if (!stock->cells || !stock->was)
			failed |= LW_LACKS_CELLS;
	}
	if (lacks & LW_LACKS_ROWS) {
		stock->rows = lw_rows_alloc(LW_CLASSES);
		if (!stock->rows)
			failed |= LW_LACKS_ROWS;
	}
	if (lacks & LW_LACKS_OP_ROWS) {
		stock->op_rows = lw_rows_alloc(LW_OP_HISTOGRAMS);
		if (!stock->op_rows)
			failed |= LW_LACKS_OP_ROWS;
	}
	if (failed)
		DMERR("no memory to count I/O by latency or operation; some paths do without");
	stock->failed |= failed;
	return lacks != failed;
}

void lw_stock_free(struct lw_stock *stock)
{
	free_percpu(stock->cells);
	kvfree(stock->was);
	free_percpu(stock->rows);
	free_percpu(stock->op_rows);
}

/**
 * lw_measure_end() - stop all measurements of a selector that goes away, before its paths go
 * @sel: the selector
 *
 * Context: process, may sleep.
 */
void lw_measure_end(struct lw_selector *sel)
{
	struct lw_stock stock = { 0 };
	struct lw_path_info *m;

	for (m = sel->member; m < sel->member + sel->nr; m++) {
		lw_measure_stamps(m, false);
		lw_measure_operations(m, false, &stock);
		lw_measure_latencies(m, false, &stock);
	}
	lw_stock_flush(&stock);
}
