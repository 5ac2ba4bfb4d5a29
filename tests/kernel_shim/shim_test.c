// SPDX-License-Identifier: GPL-2.0
/* Is the simulated kernel like the kernel, and does it see what must not be done? */
/* promise tests/simulated-kernel: The simulated kernel ends a program that breaks its rules */
#include "test_world.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

struct pair {
	u64 first, second;
};

static DEFINE_PER_CPU(struct pair, static_pair) = { .first = 1, .second = 2 };
static DEFINE_MUTEX(a_mutex);

/* Members of per-CPU data are per-CPU data. */
static void percpu_data_is_per_cpu(void)
{
	struct pair *pair = alloc_percpu(struct pair);
	u64 sum = 0;

	kernel_boot();
	for_each_possible_cpu(world_cpu) {
		CHECK(this_cpu_inc_return(static_pair.second) == 3);
		this_cpu_add(pair->second, world_cpu + 1);
		CHECK(this_cpu_ptr(pair)->second == world_cpu + 1);
		CHECK(!((uintptr_t)this_cpu_ptr(pair) % 64));
	}
	for_each_possible_cpu(world_cpu)
		sum += per_cpu_ptr(pair, world_cpu)->second + this_cpu_read(pair->first);
	CHECK(sum == 36);
	free_percpu(pair);
	world_cpu = 7;
	CHECK(numa_node_id() == 1 && cpu_to_node(3) == 0);
	kernel_boot();
	CHECK(this_cpu_read(static_pair.second) == 2);
	world_cpu = 0;
}

static int worked;

static void work_once(struct work_struct *work)
{
	CHECK(in_task() && smp_processor_id() == 0 && current);
	worked++;
}

static u64 delay_of(struct delayed_work *dw, unsigned long ticks)
{
	CHECK(queue_delayed_work(system_wq, dw, ticks));
	CHECK(!queue_delayed_work(system_wq, dw, ticks));
	CHECK(cancel_delayed_work_sync(dw));
	CHECK(!cancel_delayed_work_sync(dw));
	return timer_ns - world_now_ns;
}

/* One tick more than asked for; from 63 ticks on, the next multiple of eight. */
static void work_waits_as_in_the_timer_wheel(void)
{
	struct delayed_work dw;
	void *stale;

	INIT_DELAYED_WORK(&dw, work_once);
	world_now_ns = 1000 * NSEC_PER_MSEC;
	CHECK(delay_of(&dw, 0) == 0);
	CHECK(delay_of(&dw, msecs_to_jiffies(20)) == 24 * NSEC_PER_MSEC);
	CHECK(delay_of(&dw, 62) == 63 * 4 * NSEC_PER_MSEC);
	CHECK(delay_of(&dw, 64) == 70 * 4 * NSEC_PER_MSEC);
	world_now_ns += 3 * NSEC_PER_MSEC;
	CHECK(delay_of(&dw, msecs_to_jiffies(20)) == 21 * NSEC_PER_MSEC);

	stale = timer_arg;
	queue_delayed_work(system_wq, &dw, 5);
	timer_fn(stale);
	CHECK(!worked);
	world_in_task = false;
	world_cpu = 5;
	timer_fn(timer_arg);
	CHECK(worked == 1 && !in_task() && smp_processor_id() == 5);
	timer_fn(timer_arg);
	CHECK(worked == 1);
	world_in_task = true;
	world_cpu = 0;
}

static void numbers_are_parsed_strictly(void)
{
	unsigned int v;

	CHECK(!kstrtouint("4294967295", 10, &v) && v == U32_MAX);
	CHECK(!kstrtouint("+7\n", 10, &v) && v == 7);
	CHECK(kstrtouint("4294967296", 10, &v) == -ERANGE);
	CHECK(kstrtouint("99999999999999999999", 10, &v) == -ERANGE);
	CHECK(kstrtouint("-1", 10, &v) == -EINVAL);
	CHECK(kstrtouint(" 1", 10, &v) == -EINVAL);
	CHECK(kstrtouint("1x", 10, &v) == -EINVAL);
	CHECK(kstrtouint("+-1", 10, &v) == -EINVAL);
	CHECK(kstrtouint("", 10, &v) == -EINVAL);
}

static void take_mutex_twice(void)
{
	mutex_lock(&a_mutex);
	mutex_lock(&a_mutex);
}

static void take_mutex_in_interrupt(void)
{
	world_in_task = false;
	mutex_lock(&a_mutex);
}

static void sleep_for_memory_with_interrupts_off(void)
{
	unsigned long flags;

	local_irq_save(flags);
	kfree(kzalloc(1, GFP_KERNEL));
	local_irq_restore(flags);
}

static void assert_a_lock_not_taken(void)
{
	lockdep_assert_held(&a_mutex);
}

static void read_within_a_write(void)
{
	seqcount_t seq;

	seqcount_init(&seq);
	write_seqcount_begin(&seq);
	read_seqcount_begin(&seq);
}

static void is_seen(void (*mistake)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(1);
		mistake();
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(void)
{
	world_cpus = 8;
	world_nodes = 2;
	percpu_data_is_per_cpu();
	work_waits_as_in_the_timer_wheel();
	numbers_are_parsed_strictly();
	is_seen(take_mutex_twice);
	is_seen(take_mutex_in_interrupt);
	is_seen(sleep_for_memory_with_interrupts_off);
	is_seen(assert_a_lock_not_taken);
	is_seen(read_within_a_write);
	printf("kernel shims: passed\n");
	return 0;
}
