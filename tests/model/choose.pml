/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lw_select_path() against fail_path(), reinstate_path() and the window: as long as there is a
 * path that is not failed, one is found, though the paths are looked at one after the other,
 * without a lock.
 */
/*
 * promise service/found-path: A usable path is found as long as there is one, though the search
 *   takes no lock | by: all orders of events; random streams
 */
#define PATHS 2
#define CHANGES 4

mtype = { USE, AVOID, FAILED };

mtype use[PATHS] = AVOID;
byte usable = PATHS;
byte reinstated;
bool none;		/* there was a time without any, since select began */

/* Under dm-mpath's lock; the last path may fail, too. */
active proctype dm()
{
	byte n, p;

	for (n : 1 .. CHANGES) {
		select(p : 0 .. PATHS - 1);
		if
		:: use[p] == FAILED ->
			atomic { use[p] = AVOID; usable++ }
			reinstated++	/* smp_store_release() */
		:: else ->
			atomic { use[p] = FAILED; usable--; none = none || !usable }
		fi
	}
}

/* lw_update_eligibility() */
active proctype window()
{
	byte n, p;

	for (n : 1 .. 2) {
		select(p : 0 .. PATHS - 1);
		atomic { if :: use[p] == AVOID -> use[p] = USE :: use[p] == USE -> use[p] = AVOID :: else fi }
	}
}

active proctype cpu()
{
	byte i, was;
	bool found;

	d_step { none = !usable }
	/* the search by cost */
	for (i : 0 .. PATHS - 1) {
		found = found || use[i] != FAILED
	}
	i = 0;
#ifndef BUG_ONE_LOOK
again:	/* lw_any_usable() */
	was = reinstated;
	do
	:: found || i == PATHS -> break
	:: else -> found = use[i] != FAILED; i++
	od;
	i = 0;
	if
	:: !found && reinstated != was -> goto again
	:: else
	fi;
#endif
	assert(found || none)
}
