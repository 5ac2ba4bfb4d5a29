// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs of type raw_tracepoint_writable, which we run ourselves. src/compat/probe compiles
 * this file to find out the kernel's variant.
 */
#include <linux/err.h>

#include "policy/use.h"

#ifdef LW_HAS_BPF
#include <linux/bpf.h>
#include <linux/cgroup.h>
#include <linux/filter.h>
#include <linux/sched.h>

#ifndef CONFIG_BPF_SYSCALL
#error "no program can be loaded"
#endif

#ifdef BPF_PROG_RUN	/* its name until 5.14 */
#define bpf_prog_run(prog, ctx)	BPF_PROG_RUN(prog, ctx)
#endif

const bool lw_bpf_works = true;

/* Return: the program, with a reference; or an error pointer. */
struct bpf_prog *lw_bpf_get(const char *pin)
{
	return bpf_prog_get_type_path(pin, BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE);
}

void lw_bpf_put(struct bpf_prog *prog)
{
	bpf_prog_put(prog);
}

struct lw_bpf_facts lw_bpf_look(const struct bpf_prog *prog)
{
	return (struct lw_bpf_facts){
		.name = prog->aux->name,
		.id = prog->aux->id,
		.accesses = prog->aux->max_tp_access,
		.args = prog->aux->max_ctx_offset,
#ifdef LW_BPF_PROG_SLEEPABLE
		.sleeps = prog->sleepable,
#else
		.sleeps = prog->aux->sleepable,
#endif
		/* The verifier sets it for tail calls alone, in this type of program. */
		.calls_others = prog->cb_access,
	};
}

/* Not on the stack, where the compiler would clear and guard it for each I/O. */
struct lw_bpf_room {
	u64 args[1];
#ifdef LW_BPF_RUN_CTX
	struct bpf_trace_run_ctx ctx;	/* bpf_get_attach_cookie() reads it */
#endif
};

static_assert(sizeof(struct lw_bpf_room) <= LW_BPF_WORDS * sizeof(u64));

/**
 * lw_bpf_run() - run a program
 * @prog: the program
 * @room: its input and output, for it alone
 *
 * Context: any but NMI; preemption is off, and RCU protects the program.
 */
void lw_bpf_run(const struct bpf_prog *prog, struct lw_policy_room *room)
{
	struct lw_bpf_room *bpf = (struct lw_bpf_room *)room->bpf;
#ifdef LW_BPF_RUN_CTX
	struct bpf_run_ctx *old = bpf_set_run_ctx(&bpf->ctx.run_ctx);
#endif

	bpf->args[0] = (unsigned long)&room->io;
	bpf_prog_run(prog, bpf->args);
#ifdef LW_BPF_RUN_CTX
	bpf_reset_run_ctx(old);
#endif
}

/* The id of the task's cgroup; 0 for kernel threads, which work for others, and if unknown. */
u64 lw_bpf_cgroup(void)
{
#ifdef CONFIG_CGROUPS
	if (in_task() && !(current->flags & PF_KTHREAD))
		return cgroup_id(task_dfl_cgroup(current));
#endif
	return 0;
}
#else
const bool lw_bpf_works;

struct bpf_prog *lw_bpf_get(const char *pin)
{
	return ERR_PTR(-EOPNOTSUPP);
}

void lw_bpf_put(struct bpf_prog *prog)
{
}

struct lw_bpf_facts lw_bpf_look(const struct bpf_prog *prog)
{
	return (struct lw_bpf_facts){ .name = "" };
}

void lw_bpf_run(const struct bpf_prog *prog, struct lw_policy_room *room)
{
}

u64 lw_bpf_cgroup(void)
{
	return 0;
}
#endif
