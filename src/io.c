// SPDX-License-Identifier: GPL-2.0
/*
 * Start and end of an I/O, on any CPU, without waiting. Both write this CPU's fields and the cache
 * line of the path's in-flight work; other fields, and this CPU's bit in touched, only if they
 * change.
 */
#include <linux/ktime.h>
#include <linux/percpu.h>

#include "admin/admin.h"
#include "caller.h"
#include "eligibility.h"
#include "io.h"
#include "selector.h"
#include "start-time.h"
#include "window.h"

/*
 * If the driver is too busy for a clone, dm ends it within the call that mapped it: in the same
 * task (and work, in a worker), before this CPU starts another I/O, and long before this time is
 * over.
 */
#define LW_UNISSUED_NS	(100 * NSEC_PER_USEC)

/*
 * The last I/O that a CPU started; accessed by that CPU with interrupts off. Pointers are compared,
 * never followed.
 */
struct lw_last_start {
	const void *caller;	/* who started it, see lw_caller() */
	struct lw_device *path;	/* its path */
	u64 now_ns;		/* its start */
};

static DEFINE_PER_CPU(struct lw_last_start, lw_last_start);

/* For lw_unissued(). */
static __always_inline void lw_note_start(struct lw_device *path, u64 now)
{
	__this_cpu_write(lw_last_start.caller, lw_caller());
	__this_cpu_write(lw_last_start.path, path);
	__this_cpu_write(lw_last_start.now_ns, now);
}

/* Size class of an I/O of this path. */
static __always_inline unsigned int lw_device_class(const struct lw_device *path, size_t nr_bytes)
{
	return unlikely(nr_bytes > READ_ONCE(path->longest)) ? LW_CLASS_HUGE : lw_class(nr_bytes);
}

/* Make the window visit this CPU; writes once a window. See struct lw_sums for races. */
static __always_inline void lw_device_touch(struct lw_device *path, struct lw_counts *own)
{
	if (likely(READ_ONCE(own->touched)))
		return;
	WRITE_ONCE(own->touched, true);
	/* Else the window that clears the bit might reset a flag that is not set yet. */
	smp_mb__before_atomic();
	set_bit(smp_processor_id(), path->touched);
}

/* Writes once after the path was invalidated. */
static void lw_note_first_start(struct lw_device *path, u64 now)
{
	if (!READ_ONCE(path->line.first_start_ns))
		WRITE_ONCE(path->line.first_start_ns, now);
}

/*
 * End an idle period, at once: interrupts are off since before the atomic add. That made this line
 * exclusive, so the stores are cheap. If the last end stores late, lw_device_idle() corrects it.
 */
static void lw_end_idle_period(struct lw_device *path, u64 now)
{
	u64 since = READ_ONCE(path->line.idle_since_ns);

	WRITE_ONCE(path->line.idle_since_ns, 0);
	if (since && (s64)(now - since) > 0)
		WRITE_ONCE(path->line.idle_ns, READ_ONCE(path->line.idle_ns) + now - since);
}

/**
 * lw_start_io() - account the start of an I/O
 * @ps: the selector
 * @dm_path: the path
 * @nr_bytes: length of the I/O
 *
 * Called by dm-mpath after it mapped the I/O.
 *
 * Context: any but NMI, mostly task; without dm-mpath's lock.
 * Return: 0, which dm-mpath ignores.
 */
int lw_start_io(struct path_selector *ps, struct dm_path *dm_path,
		size_t nr_bytes)
{
	struct lw_selector *sel = ps->context;
	struct lw_path_info *m = lw_member_of(dm_path);
	struct lw_device *path = m->path;
	unsigned int c = lw_device_class(path, nr_bytes);
	u64 flight = lw_flight(lw_blocks(nr_bytes)), found;
	struct lw_counts *own;
	struct lw_cell *cell;
	unsigned long flags;
	u64 now;

	local_irq_save(flags);
	this_cpu_write(sel->cpu->unstarted, 0);
	now = ktime_get_ns();
	found = atomic64_add_return_relaxed(flight, &path->line.work);
	if (found == flight)
		lw_end_idle_period(path, now);
	own = this_cpu_ptr(path->counts);
	cell = &own->cell[c];
	write_seqcount_begin(&own->seq);
	cell->starts++;
	cell->blocks += lw_blocks(nr_bytes);
	cell->sum -= now >> LW_SUM_SHIFT;
	own->found += lw_flight_ios(found);
	write_seqcount_end(&own->seq);
	if (!(READ_ONCE(path->classes) & BIT(c)))
		set_bit(c, &path->classes);
	lw_device_touch(path, own);
	if (READ_ONCE(sel->kind) != LW_MAP_BY_BIO)
		lw_note_start(path, now);
	if (unlikely(READ_ONCE(m->use) != LW_USE) && lw_class_is_data(c))
		lw_note_first_start(path, now);
	local_irq_restore(flags);

	lw_window_arm(sel);
	return 0;
}

/*
 * Undo an end without a start. If no path is left for a bio and nothing to wait for, or a new
 * table comes, dm ends it a second time on the path that failed (docs/design.md, "Sample
 * validity"). Such an end shows once it finds no I/O in flight, leaves blocks without an I/O, or
 * takes more blocks than there are. Reset a negative count to zero; the count then never exceeds
 * the I/Os in flight. A racing start may be lost, and its end comes here as well.
 */
static noinline void lw_undo_end(struct lw_device *path, u64 left)
{
	s64 is = left, mended;

	do {
		mended = lw_flight_mended(is);
	} while (is != mended && !atomic64_try_cmpxchg_relaxed(&path->line.work, &is, mended));
}

/*
 * Remove an I/O from the in-flight count; return whether it was there. Interrupts are off, so that
 * nothing delays the idle time stamp of the last one.
 */
static bool lw_device_leave(struct lw_device *path, u64 flight, u64 now)
{
	u64 left = atomic64_sub_return_relaxed(flight, &path->line.work);

	if (likely((s64)left >= (s64)LW_FLIGHT_IO && (s32)left >= 0))
		return true;
	if (unlikely(left)) {
		lw_undo_end(path, left);
		if (lw_flight_left(left) < 0)
			return false;
		if (lw_flight_left(left))
			return true;
	}
	WRITE_ONCE(path->line.idle_since_ns, now);
	return true;
}

/*
 * A never-issued clone has no stamp, or one of just now; an older one (with a margin, since some
 * kernels read the clock early) belongs to another I/O that this work completes. A bio-based map
 * has no clones, but tasks that poll for what they just started. A driver that completes within the
 * call looks the same, so its I/Os are no samples.
 */
static bool lw_unissued(const struct lw_selector *sel, struct lw_device *path, u64 stamp,
			u64 now)
{
	struct lw_last_start *last = this_cpu_ptr(&lw_last_start);

	return in_task() && last->path == path && last->caller == lw_caller() &&
	       READ_ONCE(sel->kind) != LW_MAP_BY_BIO &&
	       now - last->now_ns < LW_UNISSUED_NS &&
	       (!stamp || stamp + 10 * LW_UNISSUED_NS >= last->now_ns);
}

/*
 * The driver was too busy. An empty path stays usable at first, as other disks may keep its driver
 * busy. But a driver that waits for a reset refuses all: each refusal costs the path a place.
 */
static void lw_mark_refused(struct lw_device *path)
{
	u32 ios = lw_flight_ios(atomic64_read(&path->line.work));
	u32 full = READ_ONCE(path->line.full);

	if (!full)
		return;
	lw_device_mark_full(path, ios ? ios : min(full, LW_UNSTARTED) - 1);
}

/* Count the I/O as never started, except for the microseconds in which it was in flight. */
static void lw_take_back(struct lw_device *path, struct lw_counts *own, struct lw_cell *cell,
			 size_t nr_bytes, u64 now)
{
	/* Its start found itself, too; it has left. */
	own->found -= lw_flight_ios(atomic64_read(&path->line.work)) + 1;
	cell->starts--;
	cell->blocks -= lw_blocks(nr_bytes);
	cell->sum += now >> LW_SUM_SHIFT;
}

/* A never-issued I/O was not the first. */
static void lw_drop_first_start(struct lw_device *path)
{
	if (READ_ONCE(path->line.first_start_ns) == this_cpu_ptr(&lw_last_start)->now_ns)
		WRITE_ONCE(path->line.first_start_ns, 0);
}

/*
 * A paused path completes something: use it at once, as the programs that waited for it start
 * their next I/Os now; the window may come 20 ms later. This needs no use_lock, as cmpxchg()
 * overrides no other store. A window that counted before this end may store LW_PAUSED after it;
 * the next end or window corrects that.
 */
static noinline void lw_resume(struct lw_path_info *m)
{
	cmpxchg(&m->use, LW_PAUSED, LW_USE);
}

/*
 * Reason to ignore a completion, LW_EVENTS for none. The acquire load of @use pairs with
 * reinstate_path(): a reader that sees a usable path also sees valid_after_ns. A window stores @use
 * under use_lock, under which valid_after_ns was stored before.
 */
static enum lw_event lw_ignored(const struct lw_path_info *m, enum lw_use use, u64 stamp)
{
	if (use == LW_FAILED)
		return LW_EVENT_IGNORED_FAILED;
	if (stamp && stamp < READ_ONCE(m->path->valid_after_ns))
		return LW_EVENT_IGNORED_STALE;
	return LW_EVENTS;
}

/* Rare: the path is paused, or its first I/O since it was invalidated is awaited. */
static noinline void lw_end_awaited(struct lw_path_info *m, enum lw_use use, u64 stamp, u64 now,
				    bool counts)
{
	if (use == LW_PAUSED)
		lw_resume(m);
	if (counts)
		lw_device_note_first(m->path, stamp, now);
}

/* Rare. The window has to know which ends are of I/Os from before the path was invalidated. */
static noinline void lw_count_ignored(struct lw_device *path, enum lw_event ignored, u64 stamp)
{
	atomic64_inc(&path->ended.event[ignored]);
	if (ignored != LW_EVENT_IGNORED_UNISSUED && stamp &&
	    stamp < READ_ONCE(path->valid_after_ns))
		atomic64_inc(&path->ended.old_ends);
}

/* Does this latency change the score or the least one? The line is already exclusive. */
static __always_inline bool lw_changes_suspicion(const struct lw_device *path, u32 ticks)
{
	return READ_ONCE(path->line.suspect) || ticks < READ_ONCE(path->line.bound_ticks) ||
	       ticks < READ_ONCE(path->line.least_ticks);
}

/*
 * As lw_stamp(). A request-based map keeps a stamp that looks like jiffies: an I/O without one
 * would count in the mean as one that took no time.
 */
static u64 lw_io_stamp(const struct lw_selector *sel, u64 start_time, u64 now)
{
	if (lw_may_be_jiffies(start_time) && READ_ONCE(sel->kind) != LW_MAP_BY_REQUEST)
		return 0;
	return lw_stamp(start_time, now);
}

/* Count the completion by its operation, which may be known only after this. */
static noinline void lw_end_operation(const struct lw_selector *sel, struct lw_device *path,
				      size_t nr_bytes, u64 stamp, u64 now, bool counts)
{
	struct lw_ended io = {
		.path = path,
		.stamp = stamp,
		.now = now,
		.blocks = lw_blocks(nr_bytes),
		.took = stamp ? lw_took(now - stamp) : 0,
	};

	lw_operation_end(sel, &io, nr_bytes, counts);
}

/* Count an outlier, see lw_outlier_base(). Return its time above that, as lw_took() has it. */
static noinline u32 lw_count_outlier(const struct lw_selector *sel, struct lw_path_info *m,
				     size_t nr_bytes, u32 ticks, bool sample)
{
	u32 usual_q4 = READ_ONCE(sel->usual_q4), base = READ_ONCE(m->outlier_base);
	s32 longer_q4 = (lw_blocks(nr_bytes) << 4) - usual_q4;
	/* The path's real latency, so undo lw_preferred_latency(). */
	u32 block_ticks = READ_ONCE(m->cost.block_ticks) << READ_ONCE(m->preferred);
	u64 excess = lw_outlier_excess(ticks, lw_own_base(base, block_ticks, longer_q4));

	if (!excess || lw_may_be_longer(ticks, base, longer_q4, usual_q4))
		return 0;
	atomic64_add(excess, sample ? &m->path->nodes.of[numa_node_id()].outlier_ticks :
				      &m->path->ended.outlier_ticks);
	atomic64_inc(&m->path->ended.outliers);
	atomic64_inc(&m->path->ended.event[LW_EVENT_OUTLIER]);
	return excess >> (LW_SUM_SHIFT - LW_TICK_SHIFT);
}

/* Did this I/O of class c perhaps take many times as long as usual? */
static bool lw_may_be_outlier(const struct lw_path_info *m, u32 ticks, unsigned int c)
{
	return unlikely(ticks >> LW_OUTLIER_SHIFT >= READ_ONCE(m->outlier_base)) &&
	       lw_class_is_data(c);
}

/**
 * lw_end_io() - account the end of an I/O
 * @ps: the selector
 * @dm_path: the path
 * @nr_bytes: as given to lw_start_io()
 * @start_time: when the driver took it, or dm a bio, monotonic ns; 0 without a stamp, see
 *	lw_io_stamp()
 *
 * Called by dm-mpath for each started I/O, after fail_path() if it failed the path; sometimes
 * twice, see lw_undo_end(). Has no status: errors that do not fail the path count as completions.
 *
 * Context: hard interrupt, softirq or task, on any CPU.
 * Return: 0, which dm-mpath ignores.
 */
int lw_end_io(struct path_selector *ps, struct dm_path *dm_path, size_t nr_bytes, u64 start_time)
{
	struct lw_selector *sel = ps->context;
	struct lw_path_info *m = lw_member_of(dm_path);
	struct lw_device *path = m->path;
	unsigned int c = lw_device_class(path, nr_bytes);
	struct lw_counts *own;
	struct lw_cell *cell;
	unsigned long flags;
	enum lw_event ignored;
	enum lw_use use;
	u64 now, stamp;
	bool counts;
	u32 ticks, above = 0;

	local_irq_save(flags);
	now = ktime_get_ns();
	if (unlikely(!lw_device_leave(path, lw_flight(lw_blocks(nr_bytes)), now))) {
		local_irq_restore(flags);
		return 0;
	}
	stamp = lw_io_stamp(sel, start_time, now);
	ticks = stamp ? lw_ticks(now - stamp) : 0;
	/* See lw_ignored(). */
	use = smp_load_acquire(&m->use);
	ignored = lw_ignored(m, use, stamp);
	own = this_cpu_ptr(path->counts);
	cell = &own->cell[c];
	write_seqcount_begin(&own->seq);
	if (unlikely(lw_unissued(sel, path, stamp, now))) {
		lw_take_back(path, own, cell, nr_bytes, now);
		lw_mark_refused(path);
		lw_drop_first_start(path);
		ignored = LW_EVENT_IGNORED_UNISSUED;
	} else {
		cell->ends++;
		cell->sum += now >> LW_SUM_SHIFT;
		/* An outlier is a sample without its time above, see lw_estimate_load(). */
		if (ignored == LW_EVENTS) {
			if (lw_may_be_outlier(m, ticks, c))
				above = lw_count_outlier(sel, m, nr_bytes, ticks, true);
			cell->done++;
			cell->took += stamp ? max(lw_took(now - stamp) - above, 1U) : 0;
		}
	}
	write_seqcount_end(&own->seq);
	lw_device_touch(path, own);
	counts = ignored == LW_EVENTS && lw_class_is_data(c);
	if (unlikely(use != LW_USE) && ignored != LW_EVENT_IGNORED_UNISSUED)
		lw_end_awaited(m, use, stamp, now, counts);
	if (unlikely(ignored != LW_EVENTS)) {
		/* Started before the path stalled or was reinstated: no valid sample. */
		if (ignored == LW_EVENT_IGNORED_STALE && lw_may_be_outlier(m, ticks, c))
			lw_count_outlier(sel, m, nr_bytes, ticks, false);
		lw_count_ignored(path, ignored, stamp);
	}
	if (counts && ticks && unlikely(lw_changes_suspicion(path, ticks)))
		lw_device_suspect(path, ticks);
	if (static_branch_unlikely(&lw_by_operation))
		lw_end_operation(sel, path, nr_bytes, stamp, now, counts);
	if (unlikely(lw_has_histogram(path)) && ignored != LW_EVENT_IGNORED_UNISSUED)
		lw_count_latency(path, c, stamp, now);
	local_irq_restore(flags);
	return 0;
}
