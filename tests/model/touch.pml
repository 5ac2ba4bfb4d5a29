/* SPDX-License-Identifier: GPL-2.0 */
/*
 * struct lw_sums: a CPU counts and then says that it did (lw_device_touch()), unless its flag says
 * that it already has; the window clears what was said and looks at the counts of those that said
 * so now or by the last time (lw_counts_aggregate()), whose flags it resets before. When nothing is
 * counted any more the next window knows all.
 *
 * A CPU may read the flag before others see what it has counted, since there is no barrier. They
 * see it long before the next window, so one window at most comes between, be it the one that
 * closes now. But the flag they see before the bit, by a barrier.
 */
#define WRITES 3
#define WINDOWS 4

byte count, seen, between;
bool flag, touched, before, closing, over;

active proctype cpu()
{
	bool was;
	byte n;

	for (n : 1 .. WRITES) {
		if
		:: count++; was = flag
		:: atomic { was = flag; between = 1 + closing }; count++; between = 0
		fi;
		if
		:: !was ->
#ifndef BUG_FLAG_AFTER_BIT
			flag = true; touched = true
#else
			atomic { touched = true; between = 1 + closing }; flag = true; between = 0
#endif
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
		closing = true;
		look = before;
		before = touched;
		touched = false
	}
#ifndef BUG_ONLY_THOSE_OF_NOW
	if
	:: look || before -> flag = false; seen = count
	:: else
	fi;
#else
	if
	:: before -> flag = false; seen = count
	:: else
	fi;
#endif
	closing = false
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
