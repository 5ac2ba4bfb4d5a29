// SPDX-License-Identifier: GPL-2.0
/*
 * What may be done with a path: dm-mpath fails and reinstates it, the window finds out
 * whether it can be believed.
 */
#include <linux/ktime.h>

#include "eligibility.h"
#include "status.h"
#include "window.h"

/**
 * lw_path_forget() - the next sample is the first one
 * @path: the path, not proven
 * @sent: and the next I/O to start is the first one
 *
 * Context: any.
 */
void lw_path_forget(struct lw_path *path, bool sent)
{
	if (READ_ONCE(path->first_start_ns) != U64_MAX || READ_ONCE(path->first_ticks)) {
		WRITE_ONCE(path->first_start_ns, U64_MAX);
		WRITE_ONCE(path->first_ticks, 0);
	}
	if (sent && READ_ONCE(path->sent_ns))
		WRITE_ONCE(path->sent_ns, 0);
}

/**
 * lw_fail_path() - a path must not be used
 * @ps: the selector
 * @dm_path: the path
 *
 * Called by dm-mpath under its lock when it gave up the path. The failed I/O's
 * end_io() comes afterwards.
 *
 * Context: interrupts off, must not sleep.
 */
void lw_fail_path(struct path_selector *ps, struct dm_path *dm_path)
{
	struct lw_member *m = lw_member(dm_path);
	struct lw_path *path = m->path;
	unsigned long flags;

	spin_lock_irqsave(&path->use_lock, flags);
	WRITE_ONCE(m->use, LW_FAILED);
	path->failed_ns = ktime_get_ns();
	lw_flap_failed(&path->flap, path->failed_ns);
	lw_member_note(m);
	spin_unlock_irqrestore(&path->use_lock, flags);
	atomic64_inc(&path->event[LW_EVENT_FAILURE]);
}

/**
 * lw_reinstate_path() - a path works again, says user space
 * @ps: the selector
 * @dm_path: the path
 *
 * Called by dm-mpath under its lock. The path gets probes until one is done; what
 * was started before now is not believed. One that fails again and again rests before.
 *
 * Context: interrupts off, must not sleep.
 * Return: 0.
 */
int lw_reinstate_path(struct path_selector *ps, struct dm_path *dm_path)
{
	struct lw_selector *sel = ps->context;
	struct lw_member *m = lw_member(dm_path);
	struct lw_path *path = m->path;
	unsigned long flags;
	u64 now_ns;
	bool rests;

	spin_lock_irqsave(&path->use_lock, flags);
	now_ns = ktime_get_ns();
	rests = lw_flap_reinstated(&path->flap, now_ns);
	WRITE_ONCE(path->believe_after_ns, now_ns);
	/* Now, since what is queued may all come in one go, before the window. */
	lw_path_forget(path, true);
	path->restart = true;
	m->returns = true;
	if (rests)
		WRITE_ONCE(m->probe, 0);
	/* end_io() must not see the path usable without what to believe. */
	smp_store_release(&m->use, rests ? LW_REST : LW_AVOID);
	lw_member_note(m);
	spin_unlock_irqrestore(&path->use_lock, flags);
	/* Under dm-mpath's lock; see lw_any_usable(). */
	smp_store_release(&sel->reinstated, sel->reinstated + 1);
	return 0;
}

/* What was proven before a reinstatement is not: the next window distrusts the path. */
static enum lw_use lw_path_use(const struct lw_path *path)
{
	lockdep_assert_held(&path->lock);
	lockdep_assert_held(&path->use_lock);
	if ((path->state.proven || (path->state.resumes && !path->state.stalled)) && !path->restart)
		return LW_USE;
	if (path->state.stalled)
		return LW_STALLED;
	return lw_flap_rests(&path->flap, ktime_get_ns()) ? LW_REST : LW_AVOID;
}

/**
 * lw_member_turn() - what may be done with a path by what is known of it now
 * @m: the member; its path's lock is held. If it is failed it stays so
 * @probe: whether a probe is wanted, unless the path rests
 *
 * Context: process.
 * Return: what may be done with it.
 */
enum lw_use lw_member_turn(struct lw_member *m, bool probe)
{
	enum lw_use use;

	spin_lock_irq(&m->path->use_lock);
	use = m->use == LW_FAILED ? LW_FAILED : lw_path_use(m->path);
	if (use == LW_USE)
		m->returns = false;
	WRITE_ONCE(m->probe, use != LW_REST && probe);
	/* A word that select_path() reads on all CPUs. */
	if (m->use != use)
		WRITE_ONCE(m->use, use);
	spin_unlock_irq(&m->path->use_lock);
	return use;
}
