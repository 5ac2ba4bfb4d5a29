// SPDX-License-Identifier: GPL-2.0
/*
 * src/policy/use.c as a later module would have it, of interface version 2: which programs are
 * taken, and what the kernel log and the file say. BPF is what the test says.
 */
#include "test_world.h"

#include "check.h"
#include "dm.h"
#include "policy/lw_policy.h"

#undef LW_POLICY_VERSION
#define LW_POLICY_VERSION	2

/* policy.c has these for selectors without such a file. */
#define lw_policy_limit_us	test_limit_us
#define lw_policy_exit		test_exit

#include "policy/use.c"

const bool lw_bpf_works = true;
static struct lw_bpf_facts facts;
static int references;

struct bpf_prog *lw_bpf_get(const char *pin)
{
	references++;
	return (struct bpf_prog *)&facts;
}

void lw_bpf_put(struct bpf_prog *prog)
{
	references--;
}

struct lw_bpf_facts lw_bpf_look(const struct bpf_prog *prog)
{
	return *(const struct lw_bpf_facts *)prog;
}

static const struct lw_policy_map map = { .label = "dm-0", .number = 5, .name = "lwtest" };

/* A program that accesses so many bytes. */
static struct lw_policy_use *get(u32 accesses)
{
	facts = (struct lw_bpf_facts){
		.name = "tried", .id = 7, .accesses = accesses, .args = sizeof(u64)
	};
	return lw_policy_get(&map, LW_POLICY_PINS "tried");
}

static u32 marked(unsigned int version, bool reads_cost)
{
	return offsetof(struct lw_policy, mark) + 2 * (version - 1) + reads_cost + 1;
}

static void taken(u32 accesses, unsigned int version, bool reads_cost)
{
	struct lw_policy_use *use = get(accesses);

	CHECK(!IS_ERR(use) && references == 1);
	CHECK(use->version == version && use->reads_cost == reads_cost);
	CHECK(use->map == 5 && use->name == lw_policy_hash("lwtest"));
	lw_policy_put(use);
	CHECK(!references);
}

static void refused(u32 accesses, int err, const char *why)
{
	CHECK(get(accesses) == ERR_PTR(err) && !references);
	CHECK(strstr(kernel_log_text(), why));
}

static void older_programs_are_taken_and_newer_ones_refused(void)
{
	static const char why[] = "was compiled for interface version 3, this module has 2";

	for (int reads_cost = 0; reads_cost < 2; reads_cost++) {
		taken(marked(1, reads_cost), 1, reads_cost);
		taken(marked(2, reads_cost), 2, reads_cost);
		refused(marked(3, reads_cost), -EPROTONOSUPPORT, why);
	}
	taken(0, 0, true);
	taken(offsetof(struct lw_policy, mark), 0, true);
	refused(sizeof(struct lw_policy) + 1, -E2BIG, "accesses byte 896 of struct lw_policy");
}

static void name_of_no_pin_is_refused(void)
{
	static const char * const names[] = {
		"", "tried", "/etc/passwd", "/sys/fs/bpf", "/sys/fs/bpf/../a", "/sys/fs/bpf/a/../b"
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		CHECK(lw_policy_get(&map, names[i]) == ERR_PTR(-EINVAL));
		CHECK(strstr(kernel_log_text(), "is no name of a pin below /sys/fs/bpf/"));
	}
	CHECK(!references);
}

#define SHOWN								\
	"name=tried id=7 version=1 chose=21 own=0 bad_index=0 bad_state=1 "	\
	"nested=0 too_many_paths=0 mean_ns=200\n"

static void file_shows_sums_of_all_cpus(void)
{
	static char page[PAGE_SIZE];
	struct lw_policy_use *use = get(marked(1, false));
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct lw_policy_cpu *c = per_cpu_ptr(use->cpu, cpu);

		c->ends[LW_POLICY_CHOSE] = 10 + cpu;
		c->ends[LW_POLICY_BAD_STATE] = cpu;
		lw_policy_time_add(&c->time, 1000, 1100 + 200 * cpu, 0);
	}
	lw_policy_show(use, page);
	CHECK(!strcmp(page, SHOWN));
	lw_policy_show(NULL, page);
	CHECK(!strcmp(page, "none\n"));
	lw_policy_put(use);
}

static void without_memory_nothing_stays(void)
{
	lw_policy_exit();
	lw_policy_rooms = NULL;
	for (unsigned int nth = 1; nth <= 3; nth++) {
		kernel_no_memory_at = nth;
		CHECK(get(0) == ERR_PTR(-ENOMEM) && !references);
	}
	kernel_no_memory_at = 0;
	taken(0, 0, true);
}

int main(void)
{
	older_programs_are_taken_and_newer_ones_refused();
	name_of_no_pin_is_refused();
	file_shows_sums_of_all_cpus();
	without_memory_nothing_stays();
	lw_policy_exit();
	return 0;
}
