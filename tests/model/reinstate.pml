/* SPDX-License-Identifier: GPL-2.0 */
/*
 * struct lw_path_info.use, and struct lw_fails.backoff, .failed_ns and .restart: lw_fail_path() and
 * lw_reinstate_path() (one at a time, under dm-mpath's lock) against the window (lw_window_path(),
 * then lw_update_eligibility()), against who tunes the map and so publishes, too, and against lw_resume(),
 * which uses a paused path again. At each moment:
 *
 * - No failure is undone but by a reinstatement.
 * - A path that was reinstated is not used because it was validated before that.
 * - A path that is to back off does so, without a probe, and no other path does.
 */
/*
 * promise memory/no-undone-failure: No failure is undone, and no path is used because of a
 *   completion that validated it before it was reinstated
 */
/* promise service/pause */
#define TIMES 2

mtype = { USE, AVOID, BACKOFF, PAUSED, STALLED, FAILED };

mtype use = AVOID;
bool restart, validated;
bool stalled;		/* nothing completes */
bool resumes;		/* was validated when that began */
bool probe;		/* one is wanted */
bool path_lock, use_lock, publishing;
bool failed;		/* what dm thinks */
bool unanswered;		/* reinstated, and no window has invalidated the path since */
bool backs_off;		/* backoff.back_ns is to come */
bool recent;		/* failed_ns is not before closed_ns */
bool tainted;		/* validated by a window in which the path failed, so perhaps by I/Os from before */

#define lock(l)		atomic { !l -> l = true }
#define unlock(l)	l = false

/* Each store to struct lw_path_info.use, and what must hold at once. */
inline turn_to(what)
{
	d_step {
		use = what;
		assert(!failed || use == FAILED);
		assert(!(unanswered || tainted) || use != USE);
		assert(!backs_off || use != AVOID);
		assert(use != BACKOFF || (backs_off && !probe))
	}
}

active proctype dm()
{
	byte n;

	for (n : 1 .. TIMES) {
		/* lw_fail_path() */
		lock(use_lock);
		d_step { failed = true; use = FAILED };
		recent = true;
		unlock(use_lock);
		/* lw_reinstate_path() */
		lock(use_lock);
		if
		:: backs_off = true
		:: skip
		fi;
		d_step { restart = true; unanswered = true };
		failed = false;
		if
		:: backs_off -> probe = false; turn_to(BACKOFF)
		:: else -> turn_to(AVOID)
		fi;
		unlock(use_lock);
		/* If it backed off, that is over one day, and nobody notices but by the clock. */
		if
		:: atomic { backs_off -> lock(use_lock) }; backs_off = false; unlock(use_lock)
		:: skip
		fi
	}
}

#ifdef BUG_RESTART_FORGOTTEN
#define SINCE(what)	(what)
#else
#define SINCE(what)	(what && !restart)
#endif
#ifdef BUG_RESUMES_AFTER_RESTART
#define RESUMES		resumes
#else
#define RESUMES		SINCE(resumes)
#endif
#define USABLE		(SINCE(validated) || (SINCE(resumes) && !stalled))

/* lw_device_eligibility() */
inline eligibility()
{
	if
	:: USABLE -> wanted = USE
	:: !USABLE && stalled && RESUMES -> wanted = PAUSED
	:: !USABLE && stalled && !(RESUMES) -> wanted = STALLED
	:: !USABLE && !stalled && backs_off -> wanted = BACKOFF
	:: !USABLE && !stalled && !backs_off -> wanted = AVOID
	fi
}

/* lw_publish_member(), lw_update_eligibility() */
inline publish()
{
	lock(publishing);
	lock(path_lock);
#ifndef BUG_NO_LOCK
	lock(use_lock);
#endif
	wanted = use;
	if
	:: use != FAILED -> eligibility()
	:: else
	fi;
#ifndef BUG_PROBE_LATE
	probe = wanted != BACKOFF;
#endif
	if
	:: use != wanted -> turn_to(wanted)
	:: else
	fi;
#ifndef BUG_NO_LOCK
	unlock(use_lock);
#endif
#ifdef BUG_PROBE_LATE
	d_step { probe = wanted != BACKOFF; assert(use != BACKOFF || !probe) };
#endif
	unlock(path_lock);
	unlock(publishing)
}

/* lw_device_restart() */
inline invalidate(when)
{
	if
	:: when -> atomic { unanswered = restart; validated = false; resumes = false; tainted = false }
	:: else
	fi
}

/* lw_window_path(), and what it calls */
inline close_window()
{
	if
	:: due = true
	:: due = false
	fi;
	lock(use_lock);
#ifdef BUG_EARLY
	mixed = false;
#else
	mixed = recent;
#endif
#ifdef BUG_TAKEN_UNUSED
	taken = restart;
#else
	taken = restart && (due || !mixed);
#endif
	restart = restart && !taken;
	unlock(use_lock);
	invalidate(taken && !mixed);
	if
	:: due ->
		d_step { covers = recent; recent = false };	/* now_ns */
		if			/* I/Os were done, or none */
		:: atomic { validated = true; stalled = false; resumes = false; tainted = tainted || covers }
		:: stalled = false	/* only those from before the stall */
		:: atomic { !stalled -> stalled = true; resumes = validated; validated = false }
		:: skip
		fi;
		invalidate(taken && mixed)
	:: else
	fi
}

/* lw_window_work() */
active proctype window()
{
	mtype wanted;
	bool taken, mixed, covers, due;
	byte n;

	for (n : 1 .. TIMES + 1) {
		lock(path_lock);
		close_window();
		unlock(path_lock);
		publish()
	}
}

/* lw_resume(), called by lw_end_io() */
active proctype end()
{
	byte n;

	for (n : 1 .. TIMES) {
		atomic {
			if
			:: use == PAUSED -> turn_to(USE)
			:: else
			fi
		}
	}
}

/* lw_tune_selector() */
active proctype tuner()
{
	mtype wanted;

	publish()
}
