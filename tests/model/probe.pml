/* SPDX-License-Identifier: GPL-2.0 */
/*
 * struct lw_path_info.probe: the window wants a probe, CPUs take it (lw_take_probe()), and
 * reinstate_path() of a path that is to rest takes it back.
 *
 * - Each time that the window wants one, one CPU at most gets it.
 * - A path that rests gets two probes too early at most: of a window that came between the two
 *   stores of reinstate_path(), and of the next, if that began between them, too. Between them
 *   are nanoseconds, and between windows milliseconds, so this is one, and hardly ever.
 */
/* promise memory/probe-once: A probe is taken once */
#define CPUS 2
#define WINDOWS 3

bool probe, rests;
byte wanted, taken, early;

active proctype window()
{
	byte n;
	bool resting;

	for (n : 1 .. WINDOWS) {
		resting = rests;
		if
		:: resting -> probe = false
		:: else -> atomic { wanted = wanted + !probe; probe = true }
		fi
	}
}

active proctype dm()
{
	probe = false;
	rests = true
}

active [CPUS] proctype cpu()
{
	byte n;
#ifdef BUG_TWO_STEPS
	bool was;
#endif

	for (n : 1 .. 2) {
		if
		:: probe ->
#ifdef BUG_TWO_STEPS
			was = probe;
			d_step { probe = false; taken = taken + was; early = early + (was && rests) }
#else
			d_step {	/* xchg() */
				taken = taken + probe;
				early = early + (probe && rests);
				probe = false
			}
#endif
		:: else
		fi
	}
	assert(taken <= wanted);
	assert(early <= 2)
}
