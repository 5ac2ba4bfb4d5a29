// SPDX-License-Identifier: GPL-2.0
/* Programs that maps use as their policies. Process context, may sleep. */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "lw.h"
#include "policy/policy.h"
#include "policy/use.h"

/* Where pins are. A path through another file system might wait for I/O on the very map. */
#define LW_POLICY_PINS	"/sys/fs/bpf/"

/* Characters of a wrong name that the kernel log quotes. */
#define LW_PIN_SHOWN	100

/* Each CPU's, since a program was first attached. */
static struct lw_policy_room __percpu *lw_policy_rooms;
static DEFINE_MUTEX(lw_policy_rooms_lock);

unsigned int lw_policy_limit_us = 50;

static const struct lw_option lw_policy_limit = { .name = "policy_max_us", .max = 1000000 };

/* Called by sysfs and modprobe in process context; may sleep. */
static int lw_policy_limit_set(const char *text, const struct kernel_param *kp)
{
	unsigned int value;
	int err = lw_option_parse(&lw_policy_limit, text, &value);

	if (!err)
		WRITE_ONCE(lw_policy_limit_us, value);
	return err;
}

static int lw_policy_limit_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%u\n", READ_ONCE(lw_policy_limit_us));
}

static const struct kernel_param_ops lw_policy_limit_ops = {
	.set = lw_policy_limit_set,
	.get = lw_policy_limit_get,
};

module_param_cb(policy_max_us, &lw_policy_limit_ops, NULL, 0644);
MODULE_PARM_DESC(policy_max_us, "us that a map's policy may take in the mean, else it is detached, 0 for any time (0-1000000, default 50)");

static struct lw_policy_room __percpu *lw_policy_rooms_get(void)
{
	struct lw_policy_room __percpu *rooms;

	mutex_lock(&lw_policy_rooms_lock);
	if (!lw_policy_rooms)
		lw_policy_rooms = alloc_percpu(struct lw_policy_room);
	rooms = lw_policy_rooms;
	mutex_unlock(&lw_policy_rooms_lock);
	return rooms;
}

/* The module goes, after all its maps. */
void lw_policy_exit(void)
{
	free_percpu(lw_policy_rooms);
}

/* Log why a pin is refused; return @err. */
static __printf(4, 5) int lw_policy_refuse(const struct lw_policy_map *map, const char *pin,
					   int err, const char *format, ...)
{
	char why[100];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	DMERR("%s: policy \"%.*s\" %s (error %d)", map->label,
	      min_t(int, strcspn(pin, "\n"), LW_PIN_SHOWN), pin, why, err);
	return err;
}

static int lw_policy_check_pin(const struct lw_policy_map *map, const char *pin)
{
	if (!lw_bpf_works)
		return lw_policy_refuse(map, pin, -EOPNOTSUPP,
					"needs a kernel with CONFIG_BPF_SYSCALL");
	if (!str_has_prefix(pin, LW_POLICY_PINS) || strstr(pin, "/../"))
		return lw_policy_refuse(map, pin, -EINVAL,
					"is no name of a pin below " LW_POLICY_PINS);
	return 0;
}

/* A map's removal waits for the file's writer, and I/O may wait for the removal. */
static struct bpf_prog *lw_policy_program(const struct lw_policy_map *map, const char *pin)
{
	unsigned int noio = memalloc_noio_save();
	struct bpf_prog *prog = lw_bpf_get(pin);
	const char *why = "cannot be used";

	memalloc_noio_restore(noio);
	if (!IS_ERR(prog))
		return prog;
	if (PTR_ERR(prog) == -ENOENT)
		why = "does not exist";
	else if (PTR_ERR(prog) == -EACCES)
		why = "is no pin of a program";
	else if (PTR_ERR(prog) == -EINVAL)
		why = "is no program of type raw_tracepoint_writable";
	lw_policy_refuse(map, pin, PTR_ERR(prog), "%s", why);
	return prog;
}

/* Marks that a program accesses. */
static u32 lw_policy_marks(const struct lw_bpf_facts *facts)
{
	u32 before = offsetof(struct lw_policy, mark);

	return facts->accesses > before ? facts->accesses - before : 0;
}

static int lw_policy_check(const struct lw_policy_map *map, const char *pin,
			   const struct lw_bpf_facts *facts)
{
	unsigned int version = lw_policy_version(lw_policy_marks(facts));

	if (facts->accesses > sizeof(struct lw_policy))
		return lw_policy_refuse(map, pin, -E2BIG,
					"accesses byte %u of struct lw_policy, which has %zu",
					facts->accesses - 1, sizeof(struct lw_policy));
	if (version > LW_POLICY_VERSION)
		return lw_policy_refuse(map, pin, -EPROTONOSUPPORT,
					"was compiled for interface version %u, this module has %u",
					version, LW_POLICY_VERSION);
	if (facts->args > sizeof(u64))
		return lw_policy_refuse(map, pin, -EINVAL, "reads more than its one argument");
	if (facts->sleeps)
		return lw_policy_refuse(map, pin, -EINVAL, "may sleep");
	/* The functions it calls are found when it runs, and were not checked. */
	if (facts->calls_others)
		return lw_policy_refuse(map, pin, -EINVAL, "makes tail calls");
	return 0;
}

/* Memory per CPU may wait for I/O: many kernels otherwise count it as atomic, and have little. */
static struct lw_policy_use *lw_policy_alloc(void)
{
	struct lw_policy_use *use = kzalloc(sizeof(*use), GFP_NOIO);

	if (!use)
		return NULL;
	use->cpu = alloc_percpu(struct lw_policy_cpu);
	if (use->cpu)
		use->room = lw_policy_rooms_get();
	if (use->room)
		return use;
	free_percpu(use->cpu);
	kfree(use);
	return NULL;
}

/**
 * lw_policy_get() - take a pinned program into use
 * @map: the map
 * @pin: name of the pin
 * Return: the use, or an error pointer after logging why.
 */
struct lw_policy_use *lw_policy_get(const struct lw_policy_map *map, const char *pin)
{
	int err = lw_policy_check_pin(map, pin);
	struct lw_policy_use *use;
	struct lw_bpf_facts facts;
	struct bpf_prog *prog;

	if (err)
		return ERR_PTR(err);
	prog = lw_policy_program(map, pin);
	if (IS_ERR(prog))
		return ERR_CAST(prog);
	facts = lw_bpf_look(prog);
	err = lw_policy_check(map, pin, &facts);
	use = err ? NULL : lw_policy_alloc();
	if (!use) {
		lw_bpf_put(prog);
		return ERR_PTR(err ? err : lw_policy_refuse(map, pin, -ENOMEM, "lacks memory"));
	}
	use->prog = prog;
	use->map = map->number;
	use->name = lw_policy_hash(map->name);
	use->version = lw_policy_version(lw_policy_marks(&facts));
	use->reads_cost = lw_policy_reads_cost(lw_policy_marks(&facts));
	return use;
}

/**
 * lw_policy_put() - give a program back
 * @use: its use; or NULL, or an error of lw_policy_get()
 *
 * Nobody may find the use any more, and who did is gone.
 */
void lw_policy_put(struct lw_policy_use *use)
{
	if (IS_ERR_OR_NULL(use))
		return;
	lw_bpf_put(use->prog);
	free_percpu(use->cpu);
	kfree(use);
}

/**
 * lw_policy_log() - log an event of a policy
 * @label: the map, as in the kernel log
 * @use: the use
 * @what: the event
 */
void lw_policy_log(const char *label, const struct lw_policy_use *use, const char *what)
{
	struct lw_bpf_facts facts = lw_bpf_look(use->prog);

	DMINFO("%s: policy %s (program %u) %s", label, facts.name, facts.id, what);
}

/**
 * lw_policy_slow() - did a policy take too long, so that it runs no more?
 * @use: its use
 */
bool lw_policy_slow(const struct lw_policy_use *use)
{
	return READ_ONCE(use->slow);
}

/**
 * lw_policy_log_slow() - log that a policy is detached since it took too long
 * @label: the map, as in the kernel log
 * @use: the use
 */
void lw_policy_log_slow(const char *label, const struct lw_policy_use *use)
{
	struct lw_bpf_facts facts = lw_bpf_look(use->prog);

	DMWARN("%s: policy %s (program %u) took more than %u us in the mean for a second: detached",
	       label, facts.name, facts.id, READ_ONCE(lw_policy_limit_us));
}

static u64 lw_policy_ends(const struct lw_policy_use *use, enum lw_policy_end end)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(use->cpu, cpu)->ends[end]);
	return sum;
}

/* The mean of the last seconds; a CPU may add to it meanwhile. */
static u64 lw_policy_mean_ns(const struct lw_policy_use *use)
{
	u64 runs = 0, took_ns = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		const struct lw_policy_time *t = &per_cpu_ptr(use->cpu, cpu)->time;

		runs += READ_ONCE(t->runs) + READ_ONCE(t->was_runs);
		took_ns += READ_ONCE(t->took_ns) + READ_ONCE(t->was_took_ns);
	}
	return runs ? div64_u64(took_ns, runs) : 0;
}

/**
 * lw_policy_show() - show a policy and the results of its choices
 * @use: its use, or NULL for none
 * @page: buffer
 * Return: number of characters.
 */
ssize_t lw_policy_show(const struct lw_policy_use *use, char *page)
{
	static const char * const names[LW_POLICY_ENDS] = {
		[LW_POLICY_CHOSE] = "chose",
		[LW_POLICY_OWN] = "own",
		[LW_POLICY_BAD_INDEX] = "bad_index",
		[LW_POLICY_BAD_STATE] = "bad_state",
		[LW_POLICY_NESTED] = "nested",
		[LW_POLICY_TOO_MANY] = "too_many_paths",
	};
	struct lw_bpf_facts facts;
	enum lw_policy_end end;
	ssize_t n;

	if (!lw_bpf_works)
		return sysfs_emit(page, "unsupported: this kernel has no CONFIG_BPF_SYSCALL\n");
	if (!use)
		return sysfs_emit(page, "none\n");
	facts = lw_bpf_look(use->prog);
	n = sysfs_emit(page, "name=%s id=%u version=%u", facts.name, facts.id, use->version);
	for (end = 0; end < LW_POLICY_ENDS; end++)
		n += sysfs_emit_at(page, n, " %s=%llu", names[end], lw_policy_ends(use, end));
	return n + sysfs_emit_at(page, n, " mean_ns=%llu\n", lw_policy_mean_ns(use));
}
