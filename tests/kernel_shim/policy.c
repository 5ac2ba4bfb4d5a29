// SPDX-License-Identifier: GPL-2.0
/*
 * Stands in for what of policies needs BPF: a policy is a function of the program's. The module's
 * own src/policy/choose.c calls it.
 */
#include "everything.h"

#include "admin/admin.h"
#include "policy/policy.h"
#include "policy/use.h"
#include "shim_policy.h"

static struct lw_policy_room __percpu *rooms;
unsigned int lw_policy_limit_us = 50;

struct bpf_prog {
	void (*fn)(struct lw_policy *io);
	int (*program)(struct lw_policy **io);		/* in its place */
};

static unsigned int attached;

/* The cgroup of whoever submits. */
uint64_t kernel_cgroup;

u64 lw_bpf_cgroup(void)
{
	return kernel_cgroup;
}

void lw_bpf_run(const struct bpf_prog *prog, struct lw_policy_room *room)
{
	struct lw_policy *io = &room->io;

	if (prog->program)
		prog->program(&io);
	else
		prog->fn(io);
}

void lw_policy_exit(void)
{
}

void lw_policy_look(struct lw_selector *sel)
{
}

static struct lw_policy_use *attach(struct lw_selector *sel, struct bpf_prog prog, bool reads_cost)
{
	struct lw_policy_use *use = kzalloc(sizeof(*use), GFP_KERNEL);

	use->prog = kzalloc(sizeof(prog), GFP_KERNEL);
	*use->prog = prog;
	use->cpu = alloc_percpu(struct lw_policy_cpu);
	use->reads_cost = reads_cost;
	if (!attached++)
		rooms = alloc_percpu(struct lw_policy_room);
	use->room = rooms;
	rcu_assign_pointer(sel->policy, use);
	return use;
}

struct lw_policy_use *kernel_attach(struct lw_selector *sel, void (*fn)(struct lw_policy *io),
				    bool reads_cost)
{
	return attach(sel, (struct bpf_prog){ .fn = fn }, reads_cost);
}

void kernel_attach_program(struct path_selector *ps, int (*program)(struct lw_policy **io),
			   bool reads_cost)
{
	attach(ps->context, (struct bpf_prog){ .program = program }, reads_cost);
}

void kernel_detach(struct lw_selector *sel)
{
	struct lw_policy_use *use = sel->policy;

	rcu_assign_pointer(sel->policy, NULL);
	free_percpu(use->cpu);
	kfree(use->prog);
	kfree(use);
	if (!--attached)
		free_percpu(rooms);
}

void kernel_detach_program(struct path_selector *ps)
{
	kernel_detach(ps->context);
}
