/* SPDX-License-Identifier: GPL-2.0 */
/*
 * struct lw_sums: a CPU counts and then says that it did (lw_device_touch()); the window clears
 * what was said and looks at the counts of those that said so now or by the last time
 * (lw_counts_aggregate()). When nothing is counted any more the next window knows all.
 *
 * A CPU may read the bit before others see what it has counted, since there is no barrier. They
 * see it long before the next window, so one window at most comes between.
 */
#define WRITES 3
#define WINDOWS 4

byte count, seen, between;
bool touched, before, over;

active proctype cpu()
{
	bool was;
	byte n;

	for (n : 1 .. WRITES) {
		if
		:: count++; was = touched
		:: atomic { was = touched; between = 1 }; count++; between = 0
		fi;
		if
		:: !was -> touched = true
		:: else
		fi
	}
	over = true
}

inline close_window()
{
	atomic {			/* xchg() */
		between < 2;
		between = (between -> between + 1 : 0);
		look = before;
		before = touched;
		touched = false
	}
#ifndef BUG_ONLY_THOSE_OF_NOW
	if
	:: look || before -> seen = count
	:: else
	fi
#else
	if
	:: before -> seen = count
	:: else
	fi
#endif
}

active proctype window()
{
	bool look;
	byte n;

	for (n : 1 .. WINDOWS) {
		close_window()
	}
	over;
	close_window();
	assert(seen == count)
}
