// SPDX-License-Identifier: GPL-2.0
/* Eligibility: dm-mpath fails and reinstates paths, the window validates or invalidates them. */
#include <linux/ktime.h>

#include "eligibility.h"
#include "model/suspect.h"
#include "status.h"

/**
 * lw_device_forget() - make the next sample the first one
 * @path: the path, not validated
 * @sent: also make the next start the first one
 * Context: any.
 */
void lw_device_forget(struct lw_device *path, bool sent)
{
	if (READ_ONCE(path->first_stamp_ns) != U64_MAX || READ_ONCE(path->first_ticks)) {
		WRITE_ONCE(path->first_stamp_ns, U64_MAX);
		WRITE_ONCE(path->first_ticks, 0);
	}
	if (sent && READ_ONCE(path->line.first_start_ns))
		WRITE_ONCE(path->line.first_start_ns, 0);
}

/**
 * lw_device_note_first() - note an end of data, perhaps the first since the path was invalidated
 * @path: the path
 * @stamp: when the I/O was started, 0 for unknown
 * @now: when it ended
 *
 * Keeps the latency of the one that was started first. Without stamps, the first end is taken for
 * the end of the first start, as paths answer roughly in order: racing ends are close together, so
 * either will do; a start noted after this end read the clock is ignored.
 *
 * Context: any, interrupts off.
 */
void lw_device_note_first(struct lw_device *path, u64 stamp, u64 now)
{
	u64 sent = READ_ONCE(path->line.first_start_ns);

	if (stamp && stamp < READ_ONCE(path->first_stamp_ns)) {
		WRITE_ONCE(path->first_stamp_ns, stamp);
		WRITE_ONCE(path->first_ticks, lw_ticks(now - stamp));
	}
	if (!stamp && !READ_ONCE(path->first_ticks) && sent && (s64)(now - sent) > 0)
		WRITE_ONCE(path->first_ticks, lw_ticks(now - sent));
}

/**
 * lw_device_mark_full() - let the path have at most so many I/Os, until lw_retry_full()
 * @path: the path
 * @full: I/Os at which it took no more; 0 to leave it
 * Context: any; rare, so it may write to the shared line.
 */
void lw_device_mark_full(struct lw_device *path, u32 full)
{
	if (READ_ONCE(path->line.full) != full)
		WRITE_ONCE(path->line.full, full);
	if (READ_ONCE(path->line.limit) > full)
		WRITE_ONCE(path->line.limit, full);
}

/**
 * lw_device_suspect() - update the suspicion score and the least latency
 * @path: the path
 * @ticks: latency of a valid completion of data
 *
 * Races may lose a step: the score is a tendency, and the least latency recurs.
 *
 * Context: any; the cache line of the work in flight is already exclusive.
 */
void lw_device_suspect(struct lw_device *path, u32 ticks)
{
	u32 was = READ_ONCE(path->line.suspect);
	u32 is = lw_suspect_step(was, ticks < READ_ONCE(path->line.bound_ticks));

	if (is != was)
		WRITE_ONCE(path->line.suspect, is);
	if (unlikely(is >= LW_SUSPECT) && READ_ONCE(path->line.limit))
		WRITE_ONCE(path->line.limit, 0);
	if (ticks < READ_ONCE(path->line.least_ticks))
		WRITE_ONCE(path->line.least_ticks, ticks);
}

/**
 * lw_device_begin_anew() - invalidate samples of I/Os started before now
 * @path: the path, not used until a newer I/O completes
 * @now_ns: time
 *
 * Read the count in flight first. An I/O that ends meanwhile then seems to hang, until the window
 * finds out (lw_hung_step()). An end that left the count before, and reads the new valid_after_ns,
 * is taken for the end of a counted one: one hung I/O too few.
 *
 * Context: @path->use_lock held.
 */
void lw_device_begin_anew(struct lw_device *path, u64 now_ns)
{
	lockdep_assert_held(&path->use_lock);
	path->fails.failed = false;
	WRITE_ONCE(path->valid_after_ns, now_ns);
	path->fails.work = lw_flight_mended(atomic64_read(&path->line.work));
	path->fails.old_ends = atomic64_read(&path->ended.old_ends);
	/* Reset at once: all queued I/O may come before the next window. */
	lw_device_forget(path, true);
	path->fails.restart = true;
}

/**
 * lw_fail_path() - stop using a path
 * @ps: the selector
 * @dm_path: the path
 *
 * Called by dm-mpath under its lock; end_io() of the failed I/O follows.
 *
 * Context: interrupts off, must not sleep.
 */
void lw_fail_path(struct path_selector *ps, struct dm_path *dm_path)
{
	struct lw_path_info *m = lw_member_of(dm_path);
	struct lw_device *path = m->path;
	unsigned long flags;

	spin_lock_irqsave(&path->use_lock, flags);
	WRITE_ONCE(m->use, LW_FAILED);
	path->fails.failed = true;
	path->fails.failed_ns = ktime_get_ns();
	lw_backoff_failed(&path->fails.backoff, path->fails.failed_ns);
	lw_update_state(m);
	spin_unlock_irqrestore(&path->use_lock, flags);
	atomic64_inc(&path->ended.event[LW_EVENT_FAILURE]);
}

/**
 * lw_reinstate_path() - user space says that a path works again
 * @ps: the selector
 * @dm_path: the path
 *
 * Called by dm-mpath under its lock. The path gets only probes until one completes, and after
 * repeated failures not even those for a while (model/backoff.h). I/Os started before now are not
 * samples.
 *
 * Context: interrupts off, must not sleep.
 * Return: 0.
 */
int lw_reinstate_path(struct path_selector *ps, struct dm_path *dm_path)
{
	struct lw_selector *sel = ps->context;
	struct lw_path_info *m = lw_member_of(dm_path);
	struct lw_device *path = m->path;
	unsigned long flags;
	u64 now_ns;
	bool rests;

	spin_lock_irqsave(&path->use_lock, flags);
	now_ns = ktime_get_ns();
	rests = lw_backoff_reinstated(&path->fails.backoff, now_ns);
	lw_device_begin_anew(path, now_ns);
	m->returns = true;
	if (rests)
		WRITE_ONCE(m->probe, 0);
	/* Publish valid_after_ns before the path looks usable to end_io(). */
	smp_store_release(&m->use, rests ? LW_BACKOFF : LW_AVOID);
	lw_update_state(m);
	spin_unlock_irqrestore(&path->use_lock, flags);
	/* dm-mpath's lock serializes writers; see lw_any_usable(). */
	smp_store_release(&sel->reinstated, sel->reinstated + 1);
	return 0;
}

/* A pending restart overrides events from before the reinstatement. */
static enum lw_use lw_device_eligibility(const struct lw_device *path)
{
	const struct lw_path_state *s = &path->state;
	bool resumes = s->health.resumes && !path->fails.restart;

	lockdep_assert_held(&path->lock);
	lockdep_assert_held(&path->use_lock);
	if ((s->health.validated && !path->fails.restart) || (resumes && !s->health.stalled))
		return LW_USE;
	if (s->health.stalled)
		return resumes ? LW_PAUSED : LW_STALLED;
	return lw_backoff_active(&path->fails.backoff, ktime_get_ns()) ? LW_BACKOFF : LW_AVOID;
}

/**
 * lw_update_eligibility() - update the eligibility of a member
 * @m: the member, its path's lock held; a failed one stays failed
 * @probes: operations that want a probe, and LW_PROBE_SHORT, a bit each, unless the path backs off
 * @anew: also those that were taken, or were not wanted before
 * Context: process.
 * Return: the new eligibility.
 */
enum lw_use lw_update_eligibility(struct lw_path_info *m, unsigned int probes, bool anew)
{
	unsigned int wanted;
	enum lw_use use;

	spin_lock_irq(&m->path->use_lock);
	use = READ_ONCE(m->use) == LW_FAILED ? LW_FAILED : lw_device_eligibility(m->path);
	if (use == LW_USE)
		m->returns = false;
	if (use == LW_BACKOFF)
		probes = 0;
	wanted = READ_ONCE(m->probe);
	if (anew)
		WRITE_ONCE(m->probe, probes);
	else if (wanted & ~probes)
		/* A select that takes the probe meanwhile has it. */
		cmpxchg(&m->probe, wanted, wanted & probes);
	/* Store only changes, so that lw_resume() seldom finds its LW_USE overwritten. */
	if (READ_ONCE(m->use) != use)
		WRITE_ONCE(m->use, use);
	spin_unlock_irq(&m->path->use_lock);
	return use;
}
