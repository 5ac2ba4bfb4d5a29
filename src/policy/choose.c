// SPDX-License-Identifier: GPL-2.0
/*
 * The choice of a path by a policy. The program gets a copy of the module's figures. Of its output
 * only the choice is used, if that path is no less usable than the module's own. So probes,
 * failover and the rest of select.c stay as they are.
 */
#include <linux/build_bug.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/topology.h>

#include "policy/policy.h"
#include "policy/use.h"

#define LW_POLICY_MOST_TICKS	(U32_MAX >> LW_TICK_SHIFT)

static_assert(LW_TICKS_AVOID / 16 + 1 > LW_POLICY_MOST_TICKS);	/* see lw_own_base() */

/* Latency without a queue. Where it is unknown, @base is as long, too. */
static __always_inline u32 lw_policy_base_ns(u32 base, u32 usual)
{
	if (unlikely(base > LW_POLICY_MOST_TICKS))
		base = usual == LW_TICKS_AVOID ? 0 : LW_POLICY_MOST_TICKS;
	return base << LW_TICK_SHIFT;
}

/* A path's cost is a number of its own; where nobody reads it, it is not computed. */
static __always_inline
void lw_policy_fill_path(struct lw_policy_path *to, const struct lw_path_info *m,
			 const struct lw_ask *ask, u32 usual, bool with_cost)
{
	struct lw_device *path = m->path;
	u64 flight = atomic64_read(&path->line.work);
	enum lw_use use = lw_use_now(m, flight);
	u32 base = usual;

	if (with_cost || ask->longer_q4)
		base = lw_own_base(usual, READ_ONCE(m->cost.block_ticks), ask->longer_q4);
	to->dev = path->known.bdev_nr;
	to->state = min_t(u32, use, LW_POLICY_UNUSABLE);
	to->latency_ns = READ_ONCE(m->shown.lat_ns);
	to->base_ns = lw_policy_base_ns(base, usual);
	to->ios = lw_flight_ios(flight);
	to->kib = lw_flight_blocks(flight) << 2;
	to->knee = READ_ONCE(m->compared.knee) >> 8;
	if (with_cost) {
		struct lw_published p = lw_published_of(m, ask, base, usual);

		to->cost = lw_path_cost(use, &p, flight, ask->blocks);
	}
}

/* The other fields, for costs alone. */
static __always_inline struct lw_ask lw_policy_ask_costs(const struct lw_selector *sel,
							 struct lw_ask ask, size_t nr_bytes)
{
	ask.blocks = lw_blocks(nr_bytes);
	ask.inv_most = READ_ONCE(sel->inv_most);
	ask.max_penalty = READ_ONCE(sel->config.max_penalty) * LW_ONE;
	return ask;
}

static __always_inline void lw_policy_paths(struct lw_policy *io, const struct lw_selector *sel,
					    struct lw_ask ask, bool with_cost)
{
	const struct lw_path_info *m = sel->member, *end = m + io->nr;
	struct lw_policy_path *to = io->path;

	/* By pointers: an index would be checked for each path where the kernel has UBSAN. */
	for (; m < end; m++, to++, ask.ticks++)
		lw_policy_fill_path(to, m, &ask, READ_ONCE(*ask.ticks), with_cost);
}

/* The submitter is known where the bio's task chooses its path; kernel threads work for others. */
static u64 lw_policy_cgroup(const struct lw_selector *sel)
{
	return READ_ONCE(sel->kind) == LW_MAP_BY_BIO ? lw_bpf_cgroup() : 0;
}

static __always_inline void lw_policy_fill(struct lw_policy *io, const struct lw_selector *sel,
					   const struct lw_policy_use *use, struct lw_ask ask,
					   size_t nr_bytes)
{
	io->version = LW_POLICY_VERSION;
	io->map = use->map;
	io->name = use->name;
	io->bytes = nr_bytes;	/* the block layer's lengths have 32 bits */
	io->op = __ffs(ask.op_bit);
	io->cpu = smp_processor_id();
	io->node = numa_node_id();
	io->nr = sel->nr;
	io->cgroup = lw_policy_cgroup(sel);
	if (use->reads_cost)
		lw_policy_paths(io, sel, lw_policy_ask_costs(sel, ask, nr_bytes), true);
	else
		lw_policy_paths(io, sel, ask, false);
}

static void lw_policy_run(struct lw_policy_use *use, struct lw_policy_time *time,
			  struct lw_policy_room *room)
{
	u64 begin_ns;

	if (likely(time->wait)) {
		time->wait--;
		lw_bpf_run(use->prog, room);
		return;
	}
	begin_ns = ktime_get_ns();
	lw_bpf_run(use->prog, room);
	if (lw_policy_time_add(time, begin_ns, ktime_get_ns(),
			       (u64)READ_ONCE(lw_policy_limit_us) * NSEC_PER_USEC))
		WRITE_ONCE(use->slow, true);
}

/*
 * Is the choice taken? Paths may have changed while the program ran. The module's own path has its
 * state from before the program, up to LW_POLICY_FULL the same as enum lw_use.
 */
static enum lw_policy_end lw_policy_judge(const struct lw_selector *sel, unsigned int choice,
					  unsigned int own, u32 own_state)
{
	const struct lw_path_info *m;
	enum lw_use use;

	if (choice == own)
		return LW_POLICY_OWN;
	if (choice >= sel->nr)
		return LW_POLICY_BAD_INDEX;
	m = &sel->member[choice];
	use = lw_use_now(m, atomic64_read(&m->path->line.work));
	return use <= LW_FULL && use <= own_state ? LW_POLICY_CHOSE : LW_POLICY_BAD_STATE;
}

/*
 * Preemption is off. If the module's own path is worse than full, only the module's rules say where
 * I/O may still go: the program is not asked, which counts as no end.
 */
static enum lw_policy_end lw_policy_ask(struct lw_selector *sel, struct lw_policy_use *use,
					struct lw_ask ask, size_t nr_bytes, unsigned int *own)
{
	struct lw_policy_room *room = this_cpu_ptr(use->room);
	enum lw_policy_end end;
	unsigned int choice;
	u32 own_state;

	if (unlikely(sel->nr > LW_POLICY_PATHS))
		return LW_POLICY_TOO_MANY;
	if (unlikely(READ_ONCE(room->depth)))
		return LW_POLICY_NESTED;
	WRITE_ONCE(room->depth, 1);
	barrier();
	lw_policy_fill(&room->io, sel, use, ask, nr_bytes);
	own_state = room->io.path[*own].state;
	if (unlikely(own_state == LW_POLICY_UNUSABLE)) {
		WRITE_ONCE(room->depth, 0);
		return LW_POLICY_ENDS;
	}
	room->io.own = *own;
	room->io.choice = *own;
	lw_policy_run(use, &this_cpu_ptr(use->cpu)->time, room);
	choice = READ_ONCE(room->io.choice);
	barrier();
	WRITE_ONCE(room->depth, 0);
	end = lw_policy_judge(sel, choice, *own, own_state);
	if (end == LW_POLICY_CHOSE)
		*own = choice;
	return end;
}

/**
 * lw_policy_choose() - let the map's policy choose the path of an I/O
 * @sel: the selector, whose policy was not NULL
 * @op_bit: as in struct lw_ask
 * @longer_q4: as in struct lw_ask
 * @ticks: as in struct lw_ask
 * @nr_bytes: length of the I/O
 * @own: the member that the module chose
 *
 * Not inlined, so that maps without a policy do not pay for it; and arguments are as many as
 * registers have.
 *
 * Context: any but NMI.
 * Return: the member to be used.
 */
noinline unsigned int lw_policy_choose(struct lw_selector *sel, u32 op_bit, s32 longer_q4,
				       const u32 *ticks, size_t nr_bytes, unsigned int own)
{
	struct lw_ask ask = { .op_bit = op_bit, .longer_q4 = longer_q4, .ticks = ticks };
	struct lw_policy_use *use;
	enum lw_policy_end end;

	/*
	 * The CPU's room is for one program at a time, and 7.x would skip one that runs already.
	 * RCU also waits for code without preemption, since 4.20 and in RHEL 8; but BPF's helpers ask
	 * lockdep for a reader.
	 */
	preempt_disable();
	rcu_lock_acquire(&rcu_lock_map);
	use = rcu_dereference(sel->policy);
	if (likely(use && !READ_ONCE(use->slow))) {
		/* Not as an index below: some machines would run it with interrupts off. */
		end = lw_policy_ask(sel, use, ask, nr_bytes, &own);
		if (likely(end < LW_POLICY_ENDS))
			this_cpu_inc(use->cpu->ends[end]);
	}
	rcu_lock_release(&rcu_lock_map);
	preempt_enable();
	return own;
}

#define LW_AT(type, field, offset)	static_assert(offsetof(struct type, field) == (offset))

/* The interface that programs are compiled for, and the module's own values in it. */
LW_AT(lw_policy, version, 0);
LW_AT(lw_policy, map, 4);
LW_AT(lw_policy, name, 8);
LW_AT(lw_policy, bytes, 12);
LW_AT(lw_policy, op, 16);
LW_AT(lw_policy, cpu, 20);
LW_AT(lw_policy, node, 24);
LW_AT(lw_policy, nr, 28);
LW_AT(lw_policy, cgroup, 32);
LW_AT(lw_policy, own, 40);
LW_AT(lw_policy, choice, 44);
LW_AT(lw_policy, reserved, 48);
LW_AT(lw_policy, path, 64);
LW_AT(lw_policy, mark, 64 + 16 * 48);
LW_AT(lw_policy_path, dev, 0);
LW_AT(lw_policy_path, state, 4);
LW_AT(lw_policy_path, latency_ns, 8);
LW_AT(lw_policy_path, base_ns, 12);
LW_AT(lw_policy_path, ios, 16);
LW_AT(lw_policy_path, kib, 20);
LW_AT(lw_policy_path, knee, 24);
LW_AT(lw_policy_path, reserved, 28);
LW_AT(lw_policy_path, cost, 32);
LW_AT(lw_policy_path, reserved2, 40);
static_assert(sizeof(struct lw_policy_path) == 48);
static_assert(sizeof(struct lw_policy) == 64 + 16 * 48 + 64);
static_assert(LW_POLICY_DATA == (int)LW_OP_DATA && LW_POLICY_READ == (int)LW_OP_READ &&
	      LW_POLICY_WRITE == (int)LW_OP_WRITE && LW_POLICY_OTHER == (int)LW_OP_OTHER);
static_assert(LW_POLICY_USABLE == (int)LW_USE && LW_POLICY_SUSPECTED == (int)LW_SUSPECTED &&
	      LW_POLICY_FULL == (int)LW_FULL && LW_POLICY_UNUSABLE == (int)LW_AVOID);
