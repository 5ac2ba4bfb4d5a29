/* SPDX-License-Identifier: GPL-2.0 */
/*
 * struct lw_member.use, struct lw_path.restart and .failed_ns: fail_path() and reinstate_path() (one
 * at a time, under dm-mpath's lock) against the window (lw_window_path(), then lw_member_turn()) and
 * against who tunes the map and so publishes, too.
 *
 * - The window never undoes a failure.
 * - A path that was reinstated is not used on the strength of what was proven before.
 */
#define TIMES 2

mtype = { USE, AVOID, FAILED };

mtype use = AVOID;
bool restart, proven;
bool path_lock, publishing;
bool failed;		/* what dm thinks */
bool owed;		/* reinstated, and the window has not yet distrusted the path */
bool recent;		/* failed_ns is not before closed_ns */
bool tainted;		/* proven by a window in which the path failed, so perhaps by I/Os from before */

#define lock(l)		atomic { !l -> l = true }
#define unlock(l)	l = false

active proctype dm()
{
	byte n;

	for (n : 1 .. TIMES) {
		atomic { use = FAILED; failed = true };
		recent = true;
#ifdef BUG_ORDER
		atomic { use = AVOID; failed = false; owed = true }
		restart = true
#else
		atomic { restart = true; owed = true }
		/* smp_store_release(): not before the restart */
		atomic { use = AVOID; failed = false }
#endif
	}
}

/* lw_member_turn(), for a path that is proven or not; no stall, no rest. */
inline turn()
{
	lock(publishing);
	lock(path_lock);
	wanted = (proven -> USE : AVOID);
	was = use;
	if
#ifdef BUG_PLAIN_STORE
	:: was != FAILED && was != wanted -> use = wanted
#else
	:: was != FAILED && was != wanted ->
		atomic { if :: use == was -> use = wanted :: else fi }
#endif
	:: else
	fi;
#ifndef BUG_NO_SECOND_LOOK
	if
	:: restart -> atomic { if :: use == wanted -> use = AVOID :: else fi }
	:: else
	fi;
#endif
	d_step {
		assert(!failed || use == FAILED);
		assert(!(owed || tainted) || use != USE)
	}
	unlock(path_lock);
	unlock(publishing)
}

/* lw_path_restart() */
inline distrust(when)
{
	if
	:: when -> atomic { owed = restart; proven = false; tainted = false }
	:: else
	fi
}

/* lw_window_work() */
active proctype window()
{
	mtype was, wanted;
	bool restarts, mixed, covers;
	byte n;

	for (n : 1 .. TIMES + 1) {
		lock(path_lock);
		d_step { restarts = restart; restart = false };	/* xchg() */
#ifdef BUG_EARLY
		mixed = false;
#else
		mixed = recent;
#endif
		distrust(restarts && !mixed);
		if
		:: restarts && mixed -> restart = true		/* not due */
		:: !restarts || !mixed
		:: d_step { covers = recent; recent = false };	/* now_ns */
		   if			/* I/Os were done, or none */
		   :: atomic { proven = true; tainted = tainted || covers }
		   :: skip
		   fi;
		   distrust(restarts && mixed)
		fi;
		unlock(path_lock);
		turn()
	}
}

/* lw_tune_selector() */
active proctype tuner()
{
	mtype was, wanted;

	turn()
}
