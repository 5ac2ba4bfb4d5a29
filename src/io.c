// SPDX-License-Identifier: GPL-2.0
/*
 * One I/O's start and end. This runs for every I/O on every CPU and never waits. It
 * writes this CPU's cell and the line of the path's in-flight work; the path's other
 * fields, and this CPU's bit for the window, only when something has changed.
 */
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "admin/admin.h"
#include "io.h"
#include "selector.h"
#include "start-time.h"
#include "window.h"

/*
 * A clone that the driver is too busy to take comes back to end_io() at once,
 * from within the call that mapped it: in the task that started it, and in the same
 * work if that is a worker, before anything else is started on this CPU. That call is
 * over long before this.
 */
#define LW_UNISSUED_NS	(100 * NSEC_PER_USEC)

/**
 * struct lw_last_start - the I/O that a CPU started last
 * @caller: who started it, see lw_caller()
 * @path: where
 * @now_ns: when
 *
 * Written and read by its own CPU with interrupts off.
 */
struct lw_last_start {
	const void *caller;
	struct lw_path *path;
	u64 now_ns;
};

static DEFINE_PER_CPU(struct lw_last_start, lw_last_start);

/*
 * The work of a worker, or else the task; only ever compared. blk-mq starts I/Os in
 * workers, and NVMe over TCP ends them in works of the same ones: on a machine of one CPU,
 * or where dm has a hardware queue for each, dm does not move their ends to a softirq.
 */
static const void *lw_caller(void)
{
	const void *work = current_work();

	return work ? work : current;
}

static void lw_window_arm(struct lw_selector *sel)
{
	/*
	 * Mostly a read of a line that nobody writes. Whoever turns 0 into 1
	 * queues the window; lw_window_work() turns it back.
	 */
	if (!READ_ONCE(sel->armed) && !cmpxchg(&sel->armed, 0, 1))
		lw_window_queue(sel);
}

/* Have the window look at this CPU: once a window, otherwise a read. See struct lw_sums. */
static void lw_path_touch(struct lw_path *path)
{
	unsigned int cpu = smp_processor_id();

	if (!test_bit(cpu, path->touched))
		set_bit(cpu, path->touched);
}

/* Once after the path was distrusted; otherwise a read. */
static void lw_path_sent(struct lw_path *path, u64 now)
{
	if (!READ_ONCE(path->sent_ns))
		WRITE_ONCE(path->sent_ns, now);
}

/*
 * The path held nothing, and this I/O is its first. The line is this CPU's anyway, by
 * the atomic addition just made. Of a start and an end that meet, the end may be late to
 * note the time: see lw_path_idle(). No order is needed for that, nor is there any.
 */
static void lw_path_wakes(struct lw_path *path, u64 now)
{
	u64 since = READ_ONCE(path->idle_since_ns);

	WRITE_ONCE(path->idle_since_ns, 0);
	if (since && (s64)(now - since) > 0)
		WRITE_ONCE(path->idle_ns, READ_ONCE(path->idle_ns) + now - since);
}

/**
 * lw_start_io() - an I/O goes to a path
 * @ps: the selector
 * @dm_path: the path
 * @nr_bytes: length of the I/O
 *
 * Called by dm-mpath after a successful map.
 *
 * Context: any but NMI, mostly task; no lock of dm-mpath held.
 * Return: 0, which dm-mpath ignores.
 */
int lw_start_io(struct path_selector *ps, struct dm_path *dm_path,
		size_t nr_bytes)
{
	struct lw_selector *sel = ps->context;
	struct lw_path *path = lw_member(dm_path)->path;
	unsigned int c = lw_class(nr_bytes);
	u64 flight = lw_flight(lw_blocks(nr_bytes));
	bool first = atomic64_add_return_relaxed(flight, &path->work) == flight;
	struct lw_counts *own;
	struct lw_cell *cell;
	unsigned long flags;
	u64 now;

	local_irq_save(flags);
	now = ktime_get_ns();
	if (first)
		lw_path_wakes(path, now);
	own = this_cpu_ptr(path->counts);
	cell = &own->cell[c];
	write_seqcount_begin(&own->seq);
	cell->starts++;
	cell->blocks += lw_blocks(nr_bytes);
	cell->sum -= now >> LW_SUM_SHIFT;
	write_seqcount_end(&own->seq);
	if (!(READ_ONCE(path->classes) & BIT(c)))
		set_bit(c, &path->classes);
	lw_path_touch(path);
	__this_cpu_write(lw_last_start.caller, lw_caller());
	__this_cpu_write(lw_last_start.path, path);
	__this_cpu_write(lw_last_start.now_ns, now);
	if (lw_class_is_data(c))
		lw_path_sent(path, now);
	local_irq_restore(flags);

	lw_window_arm(sel);
	return 0;
}

/*
 * An end took away what was not there. A bio-based map ends some bios twice: if a path
 * fails, dm-mpath keeps the bio for another one, and if there is none, and nothing to wait
 * for, or a new table, it ends the bio once more where it was. Such an end looks like any
 * other, until one finds no I/O in flight, or leaves another's work and no I/O. Then there
 * is none: the count is never more than what is in flight. An I/O that starts before this
 * is said may not be counted; its end comes here, too.
 *
 * Return: whether an I/O was there.
 */
static noinline bool lw_path_mend(struct lw_path *path, u64 left)
{
	s64 is = left;

	while (is && lw_flight_left(is) <= 0 &&
	       !atomic64_try_cmpxchg_relaxed(&path->work, &is, 0))
		;
	return lw_flight_left(left) >= 0;
}

/*
 * An I/O leaves the path; if it was the last, interrupts are off so that this is said soon.
 *
 * Return: whether it was there.
 */
static bool lw_path_leave(struct lw_path *path, u64 flight, u64 now)
{
	u64 left = atomic64_sub_return_relaxed(flight, &path->work);

	if ((s64)left >= (s64)LW_FLIGHT_IO)
		return true;
	if (unlikely(left))
		return lw_path_mend(path, left);
	WRITE_ONCE(path->idle_since_ns, now);
	return true;
}

/*
 * A never-issued clone has no stamp, or one of just now. An older stamp, with a
 * margin for kernels that stamp with a clock read a little earlier, means another
 * I/O that the same work happens to complete. Bio-based maps have no clones of
 * requests, but tasks that poll for what they have just started.
 */
static bool lw_unissued(const struct lw_selector *sel, struct lw_path *path, u64 stamp,
			u64 now)
{
	struct lw_last_start *last = this_cpu_ptr(&lw_last_start);

	return in_task() && last->path == path && last->caller == lw_caller() &&
	       !READ_ONCE(sel->by_bio) &&
	       now - last->now_ns < LW_UNISSUED_NS &&
	       (!stamp || stamp + 10 * LW_UNISSUED_NS >= last->now_ns);
}

/*
 * The driver never had it: as if it had not been started, but for the some microseconds in
 * which it counted as in flight.
 */
static void lw_cell_take_back(struct lw_cell *cell, size_t nr_bytes, u64 now)
{
	cell->starts--;
	cell->blocks -= lw_blocks(nr_bytes);
	cell->sum += now >> LW_SUM_SHIFT;
}

/*
 * The driver is busy at this depth. Not to be tried again for a while, but on an
 * empty path, which may be busy for reasons that are not ours.
 */
static void lw_path_full(struct lw_path *path)
{
	u32 full = max_t(u32, lw_flight_ios(atomic64_read(&path->work)), 1);

	if (READ_ONCE(path->full) != full)
		WRITE_ONCE(path->full, full);
	if (READ_ONCE(path->limit) > full)
		WRITE_ONCE(path->limit, full);
}

/*
 * The latency of the data I/O that was started first since the path was distrusted. Soon
 * there is none that was started earlier, so this is a read.
 */
static void lw_path_first(struct lw_path *path, u64 stamp, u32 ticks)
{
	if (stamp >= READ_ONCE(path->first_start_ns))
		return;
	WRITE_ONCE(path->first_start_ns, stamp);
	WRITE_ONCE(path->first_ticks, ticks);
}

/*
 * Without stamps: paths answer about in order, so the first end is taken for that of
 * the I/O that was started first. Two CPUs may both find none yet; their ends are
 * next to each other, so either will do. A start noted by another CPU after this
 * one looked at the clock is none of this I/O's.
 */
static void lw_path_first_unstamped(struct lw_path *path, u64 now)
{
	u64 sent = READ_ONCE(path->sent_ns);

	if (READ_ONCE(path->first_ticks) || !sent || (s64)(now - sent) <= 0)
		return;
	WRITE_ONCE(path->first_ticks, lw_ticks(now - sent));
}

/* A never-issued I/O was not the first. */
static void lw_path_unsent(struct lw_path *path)
{
	if (READ_ONCE(path->sent_ns) == this_cpu_ptr(&lw_last_start)->now_ns)
		WRITE_ONCE(path->sent_ns, 0);
}

/*
 * Why a completion is no sample, LW_EVENTS for none: neither what failed is, nor what
 * was started before the path was distrusted.
 */
static enum lw_event lw_ignored(const struct lw_member *m, u64 stamp)
{
	/* Pairs with reinstate_path(): a path back in use, and what is not to be believed. */
	if (smp_load_acquire(&m->use) == LW_FAILED)
		return LW_EVENT_IGNORED_FAILED;
	if (stamp && stamp < READ_ONCE(m->path->believe_after_ns))
		return LW_EVENT_IGNORED_STALE;
	return LW_EVENTS;
}

/*
 * Is the path faster than it ever was? Reads of a line that this CPU has just written,
 * that of the work in flight, and hardly ever a write. CPUs may overwrite each other's
 * step: the score is a tendency, and the least latency comes again.
 */
static void lw_path_suspect(struct lw_path *path, u32 ticks)
{
	u32 was = READ_ONCE(path->suspect);
	u32 is = lw_suspect_step(was, ticks < READ_ONCE(path->bound_ticks));

	if (is != was)
		WRITE_ONCE(path->suspect, is);
	if (unlikely(is >= LW_SUSPECT) && READ_ONCE(path->limit))
		WRITE_ONCE(path->limit, 0);
	if (ticks < READ_ONCE(path->least_ticks))
		WRITE_ONCE(path->least_ticks, ticks);
}

/**
 * lw_end_io() - an I/O is over
 * @ps: the selector
 * @dm_path: the path
 * @nr_bytes: as given to lw_start_io()
 * @start_time: when the driver took it, ns of the monotonic clock; 0 where nobody
 *	stamps requests; see also lw_stamp()
 *
 * Called by dm-mpath for each I/O that was started, after fail_path() if it
 * failed the path; and once more for some, see lw_path_mend(). There is no status:
 * errors that do not fail the path count as completions, which they are.
 *
 * Context: hard interrupt, softirq or task; any CPU.
 * Return: 0, which dm-mpath ignores.
 */
int lw_end_io(struct path_selector *ps, struct dm_path *dm_path,
	      size_t nr_bytes, u64 start_time)
{
	struct lw_selector *sel = ps->context;
	struct lw_member *m = lw_member(dm_path);
	struct lw_path *path = m->path;
	unsigned int c = lw_class(nr_bytes);
	struct lw_counts *own;
	struct lw_cell *cell;
	unsigned long flags;
	enum lw_event ignored;
	u64 now, stamp;
	bool counts;
	u32 ticks;

	local_irq_save(flags);
	now = ktime_get_ns();
	if (unlikely(!lw_path_leave(path, lw_flight(lw_blocks(nr_bytes)), now))) {
		local_irq_restore(flags);
		return 0;
	}
	stamp = lw_stamp(start_time, now);
	ticks = stamp ? lw_ticks(now - stamp) : 0;
	ignored = lw_ignored(m, stamp);
	own = this_cpu_ptr(path->counts);
	cell = &own->cell[c];
	write_seqcount_begin(&own->seq);
	if (unlikely(lw_unissued(sel, path, stamp, now))) {
		lw_cell_take_back(cell, nr_bytes, now);
		lw_path_full(path);
		lw_path_unsent(path);
		ignored = LW_EVENT_IGNORED_UNISSUED;
	} else {
		cell->ends++;
		cell->sum += now >> LW_SUM_SHIFT;
		if (ignored == LW_EVENTS) {
			cell->done++;
			cell->took += stamp ? lw_took(now - stamp) : 0;
		}
	}
	write_seqcount_end(&own->seq);
	lw_path_touch(path);
	counts = ignored == LW_EVENTS && lw_class_is_data(c);
	if (unlikely(ignored != LW_EVENTS))
		atomic64_inc(&path->event[ignored]);
	if (counts && ticks) {
		lw_path_suspect(path, ticks);
		lw_path_first(path, stamp, ticks);
	} else if (counts) {
		lw_path_first_unstamped(path, now);
	}
	if (unlikely(lw_counts_latency(path)) && ignored != LW_EVENT_IGNORED_UNISSUED)
		lw_count_latency(path, c, stamp, now);
	local_irq_restore(flags);
	return 0;
}
