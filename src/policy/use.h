/* SPDX-License-Identifier: GPL-2.0 */
/* A program in use; for src/policy and compat/bpf.c. */
#ifndef LW_POLICY_USE_H
#define LW_POLICY_USE_H

#include <linux/percpu.h>
#include <linux/types.h>

#include "model/policy.h"
#include "policy/lw_policy.h"

struct bpf_prog;
struct lw_policy_room;

/* Results of the I/Os for which the program was to run, on one CPU. */
enum lw_policy_end {
	LW_POLICY_CHOSE,	/* it chose another path than the module, and that was taken */
	LW_POLICY_OWN,		/* it left the choice to the module */
	LW_POLICY_BAD_INDEX,	/* its choice is no path of the group */
	LW_POLICY_BAD_STATE,	/* its choice is less usable than the module's */
	LW_POLICY_NESTED,	/* it did not run, as an interrupt found it running */
	LW_POLICY_TOO_MANY,	/* it did not run, as the group has too many paths */
	LW_POLICY_ENDS
};

struct lw_policy_cpu {
	u64 ends[LW_POLICY_ENDS];
	struct lw_policy_time time;
};

/* A program in use by a map. All but the counts is constant. */
struct lw_policy_use {
	struct bpf_prog *prog;
	struct lw_policy_cpu __percpu *cpu;
	struct lw_policy_room __percpu *room;	/* all maps share it; found by way of the use */
	u32 map;		/* as in struct lw_policy */
	u32 name;		/* likewise */
	u32 version;		/* of the interface for which it was compiled, 0 for unknown */
	bool reads_cost;
	bool slow;		/* it took too long: it runs no more, and is to be detached */
};

#define LW_BPF_WORDS	8

/* Where a CPU runs a program. */
struct lw_policy_room {
	unsigned int depth;	/* one runs */
	struct lw_policy io;
	u64 bpf[LW_BPF_WORDS];	/* lw_bpf_run()'s, 0 at first */
};

extern unsigned int lw_policy_limit_us;

/* The verifier's notes of a program. */
struct lw_bpf_facts {
	const char *name;
	u32 id;
	u32 accesses;		/* bytes of struct lw_policy up to the last one that it accesses */
	u32 args;		/* bytes of its context, likewise */
	bool sleeps;		/* it may sleep */
	bool calls_others;	/* it makes tail calls */
};

/* compat/bpf.c */
extern const bool lw_bpf_works;
struct bpf_prog *lw_bpf_get(const char *pin);
void lw_bpf_put(struct bpf_prog *prog);
struct lw_bpf_facts lw_bpf_look(const struct bpf_prog *prog);
void lw_bpf_run(const struct bpf_prog *prog, struct lw_policy_room *room);
u64 lw_bpf_cgroup(void);

#endif
