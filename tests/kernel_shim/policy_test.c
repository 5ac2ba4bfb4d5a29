// SPDX-License-Identifier: GPL-2.0
/* src/policy/choose.c: what a policy sees, and which of its choices are taken. */
/* promise steering/policy, service/policy-and-faults */
#include "test_world.h"

#include "check.h"
#include "dm.h"
#include "policy/policy.h"
#include "policy/use.h"
#include "selector.h"
#include "shim_policy.h"

#define BYTES	8192

static struct dm_group *group;
static struct lw_policy_use *use;
static struct lw_policy seen;
static int wanted;
static unsigned int runs;

static struct lw_selector *selector(void)
{
	return dm_group_selector(group)->context;
}

static void obeyed(struct lw_policy *io)
{
	seen = *io;
	runs++;
	/* All that it may write, of which nothing but the choice counts. */
	memset(io, 0x55, sizeof(*io));
	io->choice = wanted;
}

static u64 ended(enum lw_policy_end end)
{
	return per_cpu_ptr(use->cpu, world_cpu)->ends[end];
}

static void attach(unsigned int paths, void (*fn)(struct lw_policy *io), bool reads_cost)
{
	unsigned int i;

	group = dm_group_create(paths, 0, NULL);
	CHECK(group);
	for (i = 0; i < paths; i++) {
		selector()->member[i].use = LW_USE;
		selector()->member[i].probe = 0;
	}
	use = kernel_attach(selector(), fn, reads_cost);
	runs = 0;
}

static void detach(void)
{
	kernel_detach(selector());
	dm_group_destroy(group);
}

static void selects(int path)
{
	CHECK(dm_group_select(group, BYTES) == path);
}

static void choice_is_taken(void)
{
	attach(4, obeyed, false);
	for (wanted = 0; wanted < 4; wanted++)
		selects(wanted);
	CHECK(runs == 4);
	CHECK(ended(LW_POLICY_CHOSE) + ended(LW_POLICY_OWN) == 4);
	detach();
}

static void own(struct lw_policy *io)
{
	runs++;
}

static void own_choice_is_the_default(void)
{
	attach(2, own, false);
	selector()->member[0].use = LW_FAILED;
	selects(1);
	CHECK(runs == 1 && ended(LW_POLICY_OWN) == 1);
	detach();
}

static void no_path_is_no_choice(void)
{
	static const int no_paths[] = { 2, 16, 1000, -1, INT_MIN, INT_MAX };
	unsigned int i;

	attach(2, obeyed, false);
	selector()->member[0].use = LW_FAILED;
	for (i = 0; i < ARRAY_SIZE(no_paths); i++) {
		wanted = no_paths[i];
		selects(1);
	}
	CHECK(ended(LW_POLICY_BAD_INDEX) == ARRAY_SIZE(no_paths));
	detach();
}

/* The choice is of the first path, the module's of the second one. */
static void states(int first, int second, bool taken, bool asked)
{
	attach(2, obeyed, false);
	selector()->member[0].use = first;
	selector()->member[1].use = second;
	wanted = 0;
	selects(taken ? 0 : 1);
	CHECK(runs == asked);
	CHECK(ended(LW_POLICY_CHOSE) == taken);
	CHECK(ended(LW_POLICY_BAD_STATE) == (asked && !taken));
	detach();
}

static void worse_path_is_no_choice(void)
{
	int use_of_first;

	for (use_of_first = LW_SUSPECTED; use_of_first <= LW_FAILED; use_of_first++) {
		states(use_of_first, LW_USE, false, true);
		if (use_of_first > LW_FULL)
			states(use_of_first, LW_FULL, false, true);
	}
	for (use_of_first = LW_BACKOFF; use_of_first <= LW_FAILED; use_of_first++)
		states(use_of_first, LW_AVOID, false, false);
}

/* A path may fail while the program runs. */
static void fails_meanwhile(struct lw_policy *io)
{
	CHECK(io->path[0].state == LW_POLICY_USABLE);
	selector()->member[0].use = LW_FAILED;
	io->choice = 0;
}

static void path_that_fails_meanwhile_is_no_choice(void)
{
	attach(2, fails_meanwhile, false);
	/* The module chooses the second one. */
	per_cpu_ptr(selector()->cpu, world_cpu)->cursor = 1;
	selects(1);
	CHECK(ended(LW_POLICY_BAD_STATE) == 1);
	detach();
}

static void probe_is_not_asked_for(void)
{
	attach(2, obeyed, false);
	wanted = 0;
	selector()->member[1].probe = BIT(LW_OP_DATA);
	per_cpu_ptr(selector()->cpu, world_cpu)->cursor = 1;
	selects(1);
	CHECK(!runs);
	selects(0);
	CHECK(runs == 1);
	detach();
}

static void interrupts(struct lw_policy *io)
{
	runs++;
	/* As an interrupt would; its I/O gets the module's choice. */
	CHECK(dm_group_select(group, BYTES) >= 0);
	io->choice = wanted;
}

static void policy_does_not_interrupt_itself(void)
{
	attach(2, interrupts, false);
	wanted = 1;
	selects(1);
	CHECK(runs == 1 && ended(LW_POLICY_NESTED) == 1);
	wanted = 0;
	selects(0);
	CHECK(runs == 2 && ended(LW_POLICY_NESTED) == 2);
	detach();
}

static void large_group_is_not_asked_for(void)
{
	attach(LW_POLICY_PATHS + 1, obeyed, false);
	wanted = 0;
	CHECK(dm_group_select(group, BYTES) >= 0);
	CHECK(!runs && ended(LW_POLICY_TOO_MANY) == 1);
	detach();
	attach(LW_POLICY_PATHS, obeyed, false);
	wanted = LW_POLICY_PATHS - 1;
	selects(wanted);
	detach();
}

static void policy_sees_the_io_and_its_paths(void)
{
	struct lw_path_info *m;

	world_cpu = 1;
	attach(2, obeyed, true);
	use->map = 0xfd00001;
	use->name = lw_policy_hash("lwtest");
	m = &selector()->member[1];
	selector()->kind = LW_MAP_BY_BIO;
	kernel_cgroup = 4711;
	selector()->ticks[0] = 100;
	selector()->ticks[1] = LW_TICKS_AVOID;
	selector()->ticks[lw_row(selector(), 0, LW_OP_OTHER)] = 100;
	m->shown.lat_ns = 12345;
	m->compared.knee = 7 << 8;
	atomic64_set(&m->path->line.work, lw_flight(3) + lw_flight(2));
	wanted = 0;
	selects(0);
	CHECK(seen.version == LW_POLICY_VERSION && seen.map == 0xfd00001);
	CHECK(seen.name == lw_policy_hash("lwtest") && seen.bytes == BYTES);
	CHECK(seen.op == LW_POLICY_DATA && seen.cpu == 1 && !seen.node && seen.nr == 2);
	CHECK(seen.cgroup == 4711 && seen.own == 0 && seen.choice == 0);
	CHECK(seen.path[0].dev != seen.path[1].dev && seen.path[1].dev == m->path->known.bdev_nr);
	CHECK(seen.path[0].base_ns == 100 << LW_TICK_SHIFT && !seen.path[1].base_ns);
	CHECK(seen.path[1].latency_ns == 12345 && seen.path[1].knee == 7);
	CHECK(seen.path[1].ios == 2 && seen.path[1].kib == 5 * 4);
	CHECK(seen.path[0].cost && seen.path[0].cost < seen.path[1].cost);
	CHECK(dm_group_select(group, 0) == 0);
	CHECK(seen.op == LW_POLICY_OTHER && !seen.bytes);
	selector()->kind = LW_MAP_BY_REQUEST;
	selects(0);
	CHECK(!seen.cgroup);
	atomic64_set(&m->path->line.work, 0);
	detach();
	world_cpu = 0;
}

static void cost_is_for_those_that_read_it(void)
{
	attach(2, obeyed, false);
	wanted = 0;
	selects(0);
	/* Left by the one before, or nothing. */
	CHECK(seen.path[0].cost == 0);
	selects(0);
	CHECK(seen.path[0].cost == 0x5555555555555555);
	detach();
}

static unsigned int takes_us;

static void slow(struct lw_policy *io)
{
	runs++;
	world_now_ns += takes_us * 1000;
}

static void slow_policy_runs_no_more(void)
{
	unsigned int i;

	takes_us = 40;
	attach(2, slow, false);
	for (i = 0; i < 100000; i++)
		dm_group_select(group, BYTES);
	CHECK(runs == i && !use->slow);
	takes_us = 400000;
	while (!use->slow && runs < i + 100)
		dm_group_select(group, BYTES);
	CHECK(use->slow && runs < i + 100);
	i = runs;
	dm_group_select(group, BYTES);
	CHECK(runs == i);
	detach();
}

int main(void)
{
	choice_is_taken();
	own_choice_is_the_default();
	no_path_is_no_choice();
	worse_path_is_no_choice();
	path_that_fails_meanwhile_is_no_choice();
	probe_is_not_asked_for();
	policy_does_not_interrupt_itself();
	large_group_is_not_asked_for();
	policy_sees_the_io_and_its_paths();
	cost_is_for_those_that_read_it();
	slow_policy_runs_no_more();
	dm_unload_module();
	return 0;
}
