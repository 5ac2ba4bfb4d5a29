/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ends that await their operation: a CPU's record (struct lw_awaiting) of one level, left by
 * lw_operation_end() and used by lw_resolve(), against who stops asking for operations
 * (lw_device_drop_operations(), lw_operation_forget()) and then frees the path. At no moment
 * does a CPU look at a path that was freed, even if a request looks like the one that a record
 * waits for, whose task was switched out.
 *
 * The CPU has interrupts off in a section; synchronize_rcu() waits for sections that have begun.
 */
/* promise memory/freed-path */
#define NONE	0
#define PATH	1
#define OTHER	2	/* another path, which stays */

bool asked = true;	/* lw_device.operations */
bool in_flight = true;	/* dm waits for that before it frees a table */
bool freed;
byte record;		/* lw_awaiting.path */
bool section;
byte sections;

inline begin()
{
	section = true
}

inline end()
{
	atomic {
		section = false;
		sections++
	}
}

/* synchronize_rcu() */
inline wait_for_readers()
{
	was = sections;
	(!section || sections != was)
}

/* A request of the map completes, and nobody can tell that it is another one. */
inline resolve()
{
	begin();
	path = record;
#ifdef BUG_RESET_BEFORE_USE
	record = NONE;
#endif
	if
	:: path == PATH -> assert(!freed)
	:: else
	fi;
#ifndef BUG_RESET_BEFORE_USE
	if
	:: path != NONE -> record = NONE
	:: else
	fi;
#endif
	end()
}

active proctype cpu()
{
	byte n, path;

	/* end_io() of an I/O of the path. */
	begin();
	if
	:: asked -> record = PATH
	:: else
	fi;
	end();
	for (n : 1 .. 3) {
		if
		:: resolve()
		:: begin(); record = OTHER; end()	/* end_io() of another path */
		:: true		/* its task was switched out, and its request completes elsewhere */
		fi;
		in_flight = false
	}
}

active proctype owner()
{
	bool found;
	byte was;

	/* By a file, with I/O in flight, or with the path's last table. */
	asked = false;
#ifndef BUG_NO_WAIT_BEFORE
	wait_for_readers();
#endif
#ifndef BUG_NOTHING_FORGOTTEN
	if
	:: record == PATH ->
		atomic {	/* cmpxchg() */
			if
			:: record == PATH -> record = NONE
			:: else
			fi
		};
		found = true
	:: else
	fi;
#ifndef BUG_NO_WAIT_AFTER
	if
	:: found -> wait_for_readers()
	:: else
	fi;
#endif
#endif
	!in_flight;
	freed = true
}
