// SPDX-License-Identifier: GPL-2.0
/*
 * The operation of an I/O, which dm-mpath does not tell: learned from block tracepoints that the
 * kernel passes on the same CPU in the same call, just before or after it calls the selector.
 *
 *	select		of a request	block_rq_issue of the map's request was just before
 *			of a bio	block_bio_queue of the map's bio was just before
 *	end		of a request	block_rq_complete of the map's request follows, or
 *					block_rq_requeue if dm tries again
 *			of a bio	block_rq_complete of the path's request was just before
 *
 * So each CPU notes the last event, and its context. The note belongs to the I/O of the next call
 * if the queue is right and nothing else ran on this CPU in between: tasks compare the number of
 * switches, interrupts have notes of their own. Otherwise the operation is unknown: the I/O
 * counts as data, as without by_operation.
 *
 * The notes are this CPU's, accessed with interrupts off, except by lw_operation_forget().
 */
#include <linux/blkdev.h>
#include <linux/blk-mq.h>
#include <linux/hardirq.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>

#include "admin/map.h"
#include "caller.h"

/* What may interrupt what on a CPU; nothing interrupts its own level, but tasks are switched. */
enum lw_level {
	LW_IN_TASK,
	LW_IN_SOFTIRQ,
	LW_IN_HARDIRQ,
	LW_LEVELS
};

/* Identifies the code that runs on a level: unchanged if both fields are. */
struct lw_who {
	const void *caller;	/* see lw_caller() */
	unsigned long switches;	/* how often the task was switched out */
};

/* The request, of any disk, or bio of a map that was issued last. */
struct lw_asked {
	struct lw_who who;
	const struct request_queue *queue;	/* of a request */
	dev_t map;				/* of a bio: the map's device number */
	enum lw_op op;
};

/* The request that was completed last. */
struct lw_completed {
	struct lw_who who;
	const struct request_queue *queue;
	unsigned int left;	/* bytes of it that no end_io() has taken */
	enum lw_op op;
};

/* An end of a request-based map whose operation is yet to be seen. */
struct lw_awaiting {
	struct lw_who who;
	const struct request_queue *map;	/* the map's queue */
	struct lw_ended io;
	struct lw_device *path;	/* of io, NULL for none; stored last, see lw_operation_forget() */
};

struct lw_notes {
	struct lw_asked request;	/* in a task */
	struct lw_asked bio;		/* in a task */
	struct lw_completed completed[LW_LEVELS];
	struct lw_awaiting awaiting[LW_LEVELS];
};

static DEFINE_PER_CPU_ALIGNED(struct lw_notes, lw_notes);

/* Major number of dm's devices, 0 until a map is known. */
static unsigned int lw_dm_major;

static enum lw_level lw_level_now(void)
{
	if (hardirq_count())
		return LW_IN_HARDIRQ;
	return in_serving_softirq() ? LW_IN_SOFTIRQ : LW_IN_TASK;
}

static struct lw_who lw_me(void)
{
	return (struct lw_who){
		.caller = lw_caller(),
		.switches = current->nvcsw + current->nivcsw,
	};
}

static bool lw_is_me(const struct lw_who *who)
{
	struct lw_who me = lw_me();

	return who->caller == me.caller && who->switches == me.switches;
}

/* I/Os without data are LW_OP_OTHER: to the block layer a discard is a write. */
static enum lw_op lw_op_if(bool reads, bool writes)
{
	if (reads)
		return LW_OP_READ;
	return writes ? LW_OP_WRITE : LW_OP_OTHER;
}

static enum lw_op lw_request_op(struct request *rq)
{
	return lw_op_if(req_op(rq) == REQ_OP_READ, req_op(rq) == REQ_OP_WRITE);
}

static enum lw_op lw_bio_op(struct bio *bio)
{
	return lw_op_if(bio_op(bio) == REQ_OP_READ, bio_op(bio) == REQ_OP_WRITE);
}

/**
 * lw_saw_issue() - a request is given to its driver
 * @rq: the request, of any disk
 *
 * Called at block_rq_issue. In a request-based map, select_path() follows. dm never selects in an
 * interrupt.
 *
 * Context: any but NMI.
 */
void lw_saw_issue(struct request *rq)
{
	unsigned long flags;

	if (!in_task())
		return;
	local_irq_save(flags);
	*this_cpu_ptr(&lw_notes.request) = (struct lw_asked){
		.who = lw_me(),
		.queue = rq->q,
		.op = lw_request_op(rq),
	};
	local_irq_restore(flags);
}

/**
 * lw_saw_bio() - a bio is given to its disk
 * @bio: the bio, of any disk
 *
 * Called at block_bio_queue. In a bio-based map, select_path() follows, once for each part if dm
 * splits the bio. Bios of paths come in between; they are of another major number. If a device
 * above gives several bios at a time, the note is of the last one; mostly they are alike.
 *
 * Context: any but NMI.
 */
void lw_saw_bio(struct bio *bio)
{
	unsigned long flags;

	if (MAJOR(bio_dev(bio)) != READ_ONCE(lw_dm_major) || !in_task())
		return;
	local_irq_save(flags);
	*this_cpu_ptr(&lw_notes.bio) = (struct lw_asked){
		.who = lw_me(),
		.map = bio_dev(bio),
		.op = lw_bio_op(bio),
	};
	local_irq_restore(flags);
}

/*
 * The request of an end that awaits it is completed or requeued. dm does either right after
 * end_io(), in the same call, so the first one of the map's queue that this caller sees is its
 * own. The path is reset after its last use.
 */
static void lw_resolve(struct request *rq, bool done)
{
	struct lw_awaiting *at = this_cpu_ptr(&lw_notes.awaiting[lw_level_now()]);

	if (!READ_ONCE(at->path) || at->map != rq->q || !lw_is_me(&at->who))
		return;
	if (done)
		lw_count_operation(&at->io, lw_request_op(rq));
	/* Release: pairs with lw_operation_forget(). */
	smp_store_release(&at->path, NULL);
}

/**
 * lw_saw_complete() - some or all bytes of a request are completed
 * @rq: the request, of any disk
 * @nr_bytes: completed length
 *
 * Called at block_rq_complete. In a request-based map, end_io() was just before, for the map's
 * own request; in a bio-based one it follows, for each bio of the path's request.
 *
 * Context: any but NMI.
 */
void lw_saw_complete(struct request *rq, unsigned int nr_bytes)
{
	unsigned long flags;

	local_irq_save(flags);
	*this_cpu_ptr(&lw_notes.completed[lw_level_now()]) = (struct lw_completed){
		.who = lw_me(),
		.queue = rq->q,
		.left = nr_bytes,
		.op = lw_request_op(rq),
	};
	lw_resolve(rq, true);
	local_irq_restore(flags);
}

/**
 * lw_saw_requeue() - a request goes back to its queue
 * @rq: the request, of any disk
 *
 * Called at block_rq_requeue. Its end says nothing of an operation.
 *
 * Context: any but NMI.
 */
void lw_saw_requeue(struct request *rq)
{
	unsigned long flags;

	local_irq_save(flags);
	lw_resolve(rq, false);
	local_irq_restore(flags);
}

/**
 * lw_op_asked() - operation of the I/O to be placed
 * @sel: the selector
 *
 * Context: any but NMI; called by select_path() through lw_current_op().
 * Return: LW_OP_DATA if it is unknown, or nobody asks.
 */
enum lw_op lw_op_asked(const struct lw_selector *sel)
{
	const struct lw_map *map = sel->map;
	enum lw_op op = LW_OP_DATA;
	const struct lw_asked *at;
	unsigned long flags;

	if (!READ_ONCE(sel->config.by_operation))
		return LW_OP_DATA;
	local_irq_save(flags);
	if (map->queue && in_task()) {
		bool by_request = queue_is_mq(map->queue);

		at = by_request ? this_cpu_ptr(&lw_notes.request) : this_cpu_ptr(&lw_notes.bio);
		if ((by_request ? at->queue == map->queue : at->map == map->number) &&
		    lw_is_me(&at->who))
			op = at->op;
	}
	if (op == LW_OP_DATA)
		__this_cpu_inc(sel->cpu->unknown);
	local_irq_restore(flags);
	return op;
}

/* Operation of a bio that ends: its request's, which has just completed; LW_OP_DATA if unknown. */
static enum lw_op lw_completed_op(const struct lw_device *path, size_t nr_bytes)
{
	struct lw_completed *at = this_cpu_ptr(&lw_notes.completed[lw_level_now()]);

	if (at->queue != path->known.disk->queue || at->left < nr_bytes || !lw_is_me(&at->who))
		return LW_OP_DATA;
	at->left -= nr_bytes;
	return at->op;
}

/**
 * lw_operation_end() - learn the operation of an I/O that ended
 * @sel: the selector
 * @io: the I/O
 * @nr_bytes: its length
 * @counts: it is a valid completion of data
 *
 * Context: interrupts off; called by end_io() for each I/O while lw_by_operation is on.
 */
void lw_operation_end(const struct lw_selector *sel, const struct lw_ended *io, size_t nr_bytes,
		      bool counts)
{
	struct lw_awaiting *at = this_cpu_ptr(&lw_notes.awaiting[lw_level_now()]);
	struct request_queue *queue = sel->map->queue;
	enum lw_op op = LW_OP_DATA;

	/* Left by a task that was switched out before it saw its request. */
	if (unlikely(READ_ONCE(at->path)))
		WRITE_ONCE(at->path, NULL);
	if (queue && !queue_is_mq(queue))
		op = lw_completed_op(io->path, nr_bytes);
	if (!counts || !READ_ONCE(io->path->op.cells))
		return;
	lw_count_unknown(io->path);
	if (op != LW_OP_DATA) {
		lw_count_operation(io, op);
	} else if (queue && queue_is_mq(queue)) {
		at->who = lw_me();
		at->map = queue;
		at->io = *io;
		WRITE_ONCE(at->path, io->path);
	}
}

/**
 * lw_operation_forget() - forget ends that await their operation
 * @path: the path; its cells are no longer seen, so no new end of this kind is left
 *
 * Ends of I/Os in flight are gone before the path is, except if their task was switched out or
 * moved to another CPU before it saw its request: those stay until their level of that CPU has
 * another end. Their path would be read after it was freed, if a task ever looked like the old
 * one. A CPU resets the record after it used the path. So without a record the path is not used;
 * with one, its CPU may be about to use it, with interrupts off, so wait for that.
 *
 * Context: process, may sleep.
 */
void lw_operation_forget(struct lw_device *path)
{
	bool found = false;
	unsigned int cpu;
	enum lw_level l;

	for_each_possible_cpu(cpu) {
		for (l = 0; l < LW_LEVELS; l++) {
			struct lw_awaiting *at = &per_cpu_ptr(&lw_notes, cpu)->awaiting[l];

			/* Acquire: pairs with lw_resolve(). */
			if (smp_load_acquire(&at->path) != path)
				continue;
			/* The CPU may store another path at this moment, which stays. */
			cmpxchg(&at->path, path, NULL);
			found = true;
		}
	}
	if (found)
		synchronize_rcu();
}

/**
 * lw_operation_known() - are writes of a path counted?
 * @sel: a selector
 * @path: one of its paths; the caller holds its lock
 *
 * A bio-based map needs paths with requests.
 */
bool lw_operation_known(const struct lw_selector *sel, const struct lw_device *path)
{
	struct request_queue *queue = sel->map->queue;

	return lw_block_probes_work() && path->measuring.by_operation && queue &&
	       (queue_is_mq(queue) || queue_is_mq(path->known.disk->queue));
}

/**
 * lw_operation_major() - tell the major number of dm's devices
 * @major: the number, the same for all of them
 */
void lw_operation_major(unsigned int major)
{
	WRITE_ONCE(lw_dm_major, major);
}
