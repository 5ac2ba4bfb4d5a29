/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The end of a path: struct lw_line.work is counted by start_io() and end_io() on any CPU; the
 * window looks at the path; two selectors have it, of the old table and of the new, and the last
 * one's destroy() frees it. dm destroys a table when its own count of I/Os is 0, and calls
 * end_io() before it counts an I/O out.
 *
 * - The count is exact.
 * - Nobody looks at a path that was freed.
 */
/*
 * promise memory/freed-path: No code uses a path that was freed; work in flight is counted
 *   exactly | by: AddressSanitizer over the module's sources | full: `guests-debug-*`
 */
/* promise lifecycle/end-of-table: The end of a table waits for its window */
#define TABLES 2

byte pending[TABLES];		/* dm's count, by table */
bool begun[TABLES], queued[TABLES], running[TABLES];
byte work, started, users = TABLES;
bool freed;

#define look()		assert(!freed)

proctype io(byte table)
{
	byte was;

#ifdef BUG_COUNT_IN_STEPS
	was = work;
	work = was + 1;
#else
	work++;			/* atomic64_add() */
#endif
	d_step { look(); queued[table] = true }		/* lw_window_arm() */
	d_step { look(); work-- }
	look();			/* lw_device_leave() notes the time, lw_update_suspicion() */
	pending[table]--
}

proctype window(byte table)
{
end:	do
	:: atomic { queued[table] -> queued[table] = false; running[table] = true }
		look();
		d_step { if :: work -> queued[table] = true :: else fi; running[table] = false }
	od
}

/* lw_destroy() */
proctype destroy(byte table)
{
	begun[table];
#ifdef BUG_OWN_COUNT
	!work;
#else
	!pending[table];
#endif
#ifndef BUG_WINDOW_NOT_STOPPED
	/* cancel_delayed_work_sync() */
	atomic { !running[table] -> queued[table] = false }
#endif
	look();			/* lw_map_put_selector(), lw_device_unaccount() */
#ifdef BUG_USERS_UNLOCKED
	users--;
	if
	:: !users -> d_step { assert(!freed); freed = true }
	:: else
	fi
#else
	d_step {		/* lw_device_put(), under the registry's lock */
		users--;
		if
		:: !users -> assert(!freed); assert(!work); freed = true
		:: else
		fi
	}
#endif
}

init {
	byte t, n;

	atomic {
		for (t : 0 .. TABLES - 1) {
			for (n : 1 .. 2) {
				pending[t]++;
				run io(t)
			}
			begun[t] = true;
			run window(t);
			run destroy(t)
		}
	}
	freed;
	assert(!work)
}
