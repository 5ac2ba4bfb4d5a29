/* SPDX-License-Identifier: GPL-2.0 */
/*
 * struct lw_counts: written by its own CPU with interrupts off (lw_start_io(), lw_end_io()), read
 * by the window (lw_cell_read()) under a sequence count. What is read was there at one time: here
 * two fields that the writer always changes together.
 *
 * Stores may become visible in any order, but not past a write barrier of the sequence count.
 */
/* promise memory/whole-counts: Counts of a CPU are read whole | full: `guests-kcsan-*` */
#define WRITES 3

byte seq, starts, sum;

inline store_both()
{
	if
	:: starts++; sum++
	:: sum++; starts++
	fi
}

active proctype cpu()
{
	byte n;

	for (n : 1 .. WRITES) {
#ifdef BUG_NO_BARRIER
		if
		:: seq++; store_both()
		:: starts++; seq++; sum++
		fi;
#else
		seq++;			/* write_seqcount_begin(), and its barrier */
		store_both();
#endif
		seq++			/* the barrier, and write_seqcount_end() */
	}
}

active proctype window()
{
	byte was, s, t;

again:
	was = seq;
#ifndef BUG_ODD_IS_FINE
	if
	:: was % 2 -> goto again
	:: else
	fi;
#endif
	s = starts;
	t = sum;
#ifndef BUG_NO_RETRY
	if
	:: seq != was -> goto again
	:: else
	fi;
#endif
	assert(s == t)
}
