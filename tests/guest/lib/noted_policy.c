// SPDX-License-Identifier: GPL-2.0
/* The policy of another file, POLICY, which notes what it sees and chooses: the first NOTES times, in order. */
#include <lw_policy.h>

#define NOTES	512
#define WORDS	(64 / 8 + LW_POLICY_PATHS * 48 / 8)	/* of struct lw_policy, up to the marks */

struct note {
	__u64 now_ns;
	__s64 choice;
	__u64 seen[WORDS];
};

struct note notes[NOTES + 1];	/* the last one is for what comes later */
__u64 noted;

static __u64 noted_now_ns;

#undef LW_POLICY_PROGRAM
#undef LW_POLICY_PROGRAM_COST
#define LW_POLICY_PROGRAM(name) \
	static inline __attribute__((always_inline)) void inner(struct lw_policy *io)
#define LW_POLICY_PROGRAM_COST	LW_POLICY_PROGRAM
#define lw_policy_now_ns()	noted_now_ns
#include POLICY
#undef lw_policy_now_ns

LW_POLICY_DEFINE(noted_policy, 1)
{
	__u64 *seen = (__u64 *)io, at = noted;
	struct note *note = &notes[at < NOTES ? at : NOTES];

	noted_now_ns = lw_policy_now_ns();
	note->now_ns = noted_now_ns;
#pragma unroll
	for (int i = 0; i < WORDS; i++)
		note->seen[i] = seen[i];
	inner(io);
	note->choice = io->choice;
	if (at < NOTES)
		noted = at + 1;
}
