/* SPDX-License-Identifier: GPL-2.0 */
/*
 * struct lw_path_info.use, and struct lw_device.backoff, .failed_ns and .restart: lw_fail_path() and
 * lw_reinstate_path() (one at a time, under dm-mpath's lock) against the window (lw_window_path(),
 * then lw_update_eligibility()), against who tunes the map and so publishes, too, and against lw_resume(),
 * which uses a paused path again. At each moment:
 *
 * - No failure is undone but by a reinstatement.
 * - A path that was reinstated is not used on the strength of what was proven before.
 * - A path that is to rest rests, without a probe, and no other does.
 */
#define TIMES 2

mtype = { USE, AVOID, REST, PAUSED, STALLED, FAILED };

mtype use = AVOID;
bool restart, proven;
bool stalled;		/* nothing completes */
bool resumes;		/* was proven when that began */
bool probe;		/* one is wanted */
bool path_lock, use_lock, publishing;
bool failed;		/* what dm thinks */
bool owed;		/* reinstated, and the window has not yet distrusted the path */
bool rests;		/* flap.back_ns is to come */
bool recent;		/* failed_ns is not before closed_ns */
bool tainted;		/* proven by a window in which the path failed, so perhaps by I/Os from before */

#define lock(l)		atomic { !l -> l = true }
#define unlock(l)	l = false

/* Each store to struct lw_path_info.use, and what must hold at once. */
inline turn_to(what)
{
	d_step {
		use = what;
		assert(!failed || use == FAILED);
		assert(!(owed || tainted) || use != USE);
		assert(!rests || use != AVOID);
		assert(use != REST || (rests && !probe))
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
		:: rests = true
		:: skip
		fi;
		d_step { restart = true; owed = true };
		failed = false;
		if
		:: rests -> probe = false; turn_to(REST)
		:: else -> turn_to(AVOID)
		fi;
		unlock(use_lock);
		/* If it rested, that is over one day, and nobody notices but by the clock. */
		if
		:: atomic { rests -> lock(use_lock) }; rests = false; unlock(use_lock)
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
#define USABLE		(SINCE(proven) || (SINCE(resumes) && !stalled))

/* lw_device_eligibility() */
inline look()
{
	if
	:: USABLE -> wanted = USE
	:: !USABLE && stalled && RESUMES -> wanted = PAUSED
	:: !USABLE && stalled && !(RESUMES) -> wanted = STALLED
	:: !USABLE && !stalled && rests -> wanted = REST
	:: !USABLE && !stalled && !rests -> wanted = AVOID
	fi
}

/* lw_publish_member(), lw_update_eligibility() */
inline turn()
{
	lock(publishing);
	lock(path_lock);
#ifndef BUG_NO_LOCK
	lock(use_lock);
#endif
	wanted = use;
	if
	:: use != FAILED -> look()
	:: else
	fi;
#ifndef BUG_PROBE_LATE
	probe = wanted != REST;
#endif
	if
	:: use != wanted -> turn_to(wanted)
	:: else
	fi;
#ifndef BUG_NO_LOCK
	unlock(use_lock);
#endif
#ifdef BUG_PROBE_LATE
	d_step { probe = wanted != REST; assert(use != REST || !probe) };
#endif
	unlock(path_lock);
	unlock(publishing)
}

/* lw_device_restart() */
inline distrust(when)
{
	if
	:: when -> atomic { owed = restart; proven = false; resumes = false; tainted = false }
	:: else
	fi
}

/* lw_window_path(), and what it calls */
inline fold()
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
	distrust(taken && !mixed);
	if
	:: due ->
		d_step { covers = recent; recent = false };	/* now_ns */
		if			/* I/Os were done, or none */
		:: atomic { proven = true; stalled = false; resumes = false; tainted = tainted || covers }
		:: stalled = false	/* only those from before the stall */
		:: atomic { !stalled -> stalled = true; resumes = proven; proven = false }
		:: skip
		fi;
		distrust(taken && mixed)
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
		fold();
		unlock(path_lock);
		turn()
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

	turn()
}
