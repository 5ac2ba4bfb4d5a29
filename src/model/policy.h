/* SPDX-License-Identifier: GPL-2.0 */
/* Policies: for which interface a program was compiled, and whether it is too slow. */
#ifndef LW_MODEL_POLICY_H
#define LW_MODEL_POLICY_H

#include "model/math.h"

/*
 * Each version of the interface has two marks. A program writes one of them, the second if it
 * reads costs. So the last mark that it accesses tells.
 */

/**
 * lw_policy_version() - version for which a program was compiled
 * @marks: number of marks up to the last one that it accesses
 * Return: the version; 0 if it accesses none.
 */
static inline unsigned int lw_policy_version(u32 marks)
{
	return marks / 2 + marks % 2;
}

/* Does the program read costs? One without a mark may. */
static inline bool lw_policy_reads_cost(u32 marks)
{
	return marks % 2 == 0;
}

#define LW_POLICY_SAMPLE	64	/* of so many runs, the time of one is taken */
#define LW_POLICY_JUDGE_NS	1000000000ULL
#define LW_POLICY_JUDGE_RUNS	8
/*
 * For the judgement, a run counts for at most so many limits: interrupts and what else takes the
 * CPU away are in a run's time, and one of these is no reason.
 */
#define LW_POLICY_MOST_LIMITS	4

/* Time that runs on one CPU take. The clock is read for one of LW_POLICY_SAMPLE. */
struct lw_policy_time {
	u32 wait;		/* runs until the time of one is taken again */
	u32 runs;		/* runs whose time was taken since begin_ns */
	u64 begin_ns;		/* 0 before the first one */
	u64 took_ns;		/* their sum */
	u64 judged_ns;		/* the same, each at most LW_POLICY_MOST_LIMITS */
	u64 was_runs;		/* in the period before */
	u64 was_took_ns;
};

/**
 * lw_policy_time_add() - add a run
 * @t: what is known
 * @begin_ns: when it began
 * @end_ns: when it ended
 * @limit_ns: what it may take in the mean, 0 for any time
 *
 * After a run above the limit the time of the next one is taken, too, so that a program is found
 * out soon that takes very long.
 *
 * Return: true if runs took longer than the limit in the mean, for a second.
 */
static inline bool lw_policy_time_add(struct lw_policy_time *t, u64 begin_ns, u64 end_ns,
				      u64 limit_ns)
{
	u64 took_ns = end_ns - begin_ns;
	bool slow;

	if (!t->begin_ns)
		t->begin_ns = begin_ns;
	t->runs++;
	t->took_ns += took_ns;
	t->judged_ns += min(took_ns, LW_POLICY_MOST_LIMITS * limit_ns);
	slow = t->judged_ns > limit_ns * t->runs;
	t->wait = limit_ns && took_ns > limit_ns ? 0 : LW_POLICY_SAMPLE - 1;
	if (end_ns - t->begin_ns < LW_POLICY_JUDGE_NS || t->runs < LW_POLICY_JUDGE_RUNS)
		return false;
	t->was_runs = t->runs;
	t->was_took_ns = t->took_ns;
	t->runs = 0;
	t->took_ns = 0;
	t->judged_ns = 0;
	t->begin_ns = end_ns;
	return slow;
}

#endif
