/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is in flight on a path, struct lw_line.work, where dm calls end_io() more often than
 * start_io(): a bio-based map without any path ends a bio once more where it was. I/Os start and
 * end on any CPU; lw_device_leave() takes an I/O away, and if none was left, lw_undo_end() puts the
 * count right. An I/O is 1, as its work is not modelled.
 *
 * - The count is never more than what is in flight: a path does not look full for ever.
 * - At rest it is 0.
 */
/* promise memory/ended-twice */
#define IOS 3

short work;			/* struct lw_line.work */
byte flying, over;		/* what is in flight in truth; I/Os that are over */

proctype io(bool twice)
{
	short is;

	atomic { flying++; work++; assert(work <= flying) }
	atomic { flying--; work--; is = work }
mend:	/* lw_undo_end() */
#ifndef BUG_END_BELIEVED
	do
	:: is >= 0 -> break
	:: else ->
		if			/* atomic64_try_cmpxchg() */
		:: atomic { work == is -> work = 0 }; break
		:: atomic { work != is -> is = work }
		fi
	od;
#endif
	if
	:: twice -> atomic { twice = false; work--; is = work }; goto mend
	:: else
	fi;
	over++
}

init {
	byte n;

	atomic {
		for (n : 1 .. IOS) {
			run io(n == 1)
		}
	}
	over == IOS;
	assert(!work && !flying)
}
