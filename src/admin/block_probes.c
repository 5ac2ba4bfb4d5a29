// SPDX-License-Identifier: GPL-2.0
/*
 * Listening to block tracepoints while any member asks for by_operation.
 *
 * A work of its own begins and ends it. Whoever registers a tracepoint, or switches a static key,
 * takes locks under which others wait for memory, thus for I/O, perhaps of a map that waits for
 * its next table; so no table may wait for them. Both change the kernel's code, for which all CPUs
 * stop; so it ends only when nobody has asked for a while.
 */
#include <linux/atomic.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "admin/map.h"

DEFINE_STATIC_KEY_FALSE(lw_by_operation);

/* Time without a request before it ends. */
#define LW_LISTEN_JIFFIES	(10 * HZ)

static struct workqueue_struct *lw_listen_queue;
static atomic_t lw_wanted;	/* number of members that ask */
static bool lw_listening;	/* written by the work, and at exit after it */

/* Called for each of the kernel's tracepoints; process context. */
static void lw_block_probe_find(struct tracepoint *at, void *unused)
{
	unsigned int i;

	for (i = 0; i < LW_BLOCK_PROBES; i++)
		if (!strcmp(at->name, lw_block_probes[i].name))
			lw_block_probes[i].at = at;
}

static void lw_block_probes_unregister(unsigned int nr)
{
	while (nr--)
		tracepoint_probe_unregister(lw_block_probes[nr].at, lw_block_probes[nr].handler,
					    NULL);
}

/* Return: NULL, or the name of a tracepoint that cannot be used. */
static const char *lw_block_probes_register(void)
{
	unsigned int i;

	for (i = 0; i < LW_BLOCK_PROBES; i++) {
		struct lw_block_probe *p = &lw_block_probes[i];

		if (p->at && p->handler && !tracepoint_probe_register(p->at, p->handler, NULL))
			continue;
		lw_block_probes_unregister(i);
		return p->name;
	}
	return NULL;
}

static void lw_listen(void)
{
	static bool said;
	const char *missing;

	if (IS_ENABLED(CONFIG_TRACEPOINTS)) {
		for_each_kernel_tracepoint(lw_block_probe_find, NULL);
		missing = lw_block_probes_register();
	} else {
		missing = lw_block_probes[0].name;
	}
	if (!missing) {
		WRITE_ONCE(lw_listening, true);
		static_branch_enable(&lw_by_operation);
	} else if (!said) {
		said = true;
		DMWARN("by_operation has no effect: cannot use the kernel's tracepoint %s",
		       missing);
	}
}

/* Handlers may still run; they use memory that is never freed, see lw_operation_forget(). */
static void lw_listen_end(void)
{
	static_branch_disable(&lw_by_operation);
	WRITE_ONCE(lw_listening, false);
	if (IS_ENABLED(CONFIG_TRACEPOINTS))
		lw_block_probes_unregister(LW_BLOCK_PROBES);
}

/* On lw_listen_queue, never concurrently; may sleep. Who asks meanwhile queues it again. */
static void lw_listen_work(struct work_struct *work)
{
	bool wanted = atomic_read(&lw_wanted);

	if (wanted && !lw_listening)
		lw_listen();
	else if (!wanted && lw_listening)
		lw_listen_end();
}

static DECLARE_DELAYED_WORK(lw_listen_later, lw_listen_work);

/**
 * lw_operation_want() - a member asks for by_operation
 *
 * It has no effect before the work ran, some milliseconds later.
 * Context: process.
 */
void lw_operation_want(void)
{
	if (atomic_inc_return(&lw_wanted) == 1)
		mod_delayed_work(lw_listen_queue, &lw_listen_later, 0);
}

/**
 * lw_operation_unwant() - undo lw_operation_want()
 * Context: process.
 */
void lw_operation_unwant(void)
{
	if (atomic_dec_and_test(&lw_wanted))
		mod_delayed_work(lw_listen_queue, &lw_listen_later, LW_LISTEN_JIFFIES);
}

/* Are the handlers of tracepoints registered? */
bool lw_block_probes_work(void)
{
	return READ_ONCE(lw_listening);
}

int __init lw_operation_init(void)
{
	lw_listen_queue = alloc_workqueue("dm_lw_listen", WQ_UNBOUND, 0);
	return lw_listen_queue ? 0 : -ENOMEM;
}

/* Called when the last selector is gone. */
void lw_operation_exit(void)
{
	cancel_delayed_work_sync(&lw_listen_later);
	destroy_workqueue(lw_listen_queue);
	if (lw_listening)
		lw_listen_end();
	/* Until no handler runs any more, as its code goes away. */
	tracepoint_synchronize_unregister();
}
