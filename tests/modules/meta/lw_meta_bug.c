// SPDX-License-Identifier: GPL-2.0
/*
 * Does what it must not, as its parameter says, when loaded: to see that the kernel's
 * checkers speak. For kernels that have them; in another one, nothing may be the matter
 * until long after. But any kernel stops at an oops.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

#define LW_META_SIZE	64
#define LW_META_RACE_MS	10000
#define LW_META_LEAKS	100	/* several slabs: whoever had the memory before may still point to some */

static char *bug = "";
module_param(bug, charp, 0444);
MODULE_PARM_DESC(bug, "which one");

/* The compiler knows nothing of what it returns, and so warns of nothing. */
static char *lw_meta_memory(void)
{
	char *memory = kmalloc(LW_META_SIZE, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(memory);
	return memory;
}

static int lw_meta_hidden(int value)
{
	OPTIMIZER_HIDE_VAR(value);
	return value;
}

static void lw_meta_use_after_free(void)
{
	char *memory = lw_meta_memory();
	char *gone = memory;

	OPTIMIZER_HIDE_VAR(gone);
	kfree(memory);
	if (gone)
		WRITE_ONCE(*gone, 1);
}

static void lw_meta_out_of_bounds(void)
{
	char *memory = lw_meta_memory();

	if (memory)
		(void)READ_ONCE(memory[lw_meta_hidden(LW_META_SIZE)]);
	kfree(memory);
}

static void lw_meta_leak(void)
{
	int i;

	for (i = 0; i < LW_META_LEAKS; i++)
		lw_meta_memory();
}

/* There must be one, or the timer does not start. */
static void lw_meta_expired(struct timer_list *unused)
{
}

static void lw_meta_free_with_timer(void)
{
	struct timer_list *timer = kzalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return;
	timer_setup(timer, lw_meta_expired, 0);
	mod_timer(timer, jiffies + 1000 * HZ);
	kfree(timer);
}

static void lw_meta_oops(void)
{
	char *nothing = NULL;

	OPTIMIZER_HIDE_VAR(nothing);
	WRITE_ONCE(*nothing, 1);
}

static void lw_meta_sleep_in_atomic(void)
{
	static DEFINE_SPINLOCK(lock);

	spin_lock(&lock);
	might_sleep();
	spin_unlock(&lock);
}

/* On PREEMPT_RT, where such a lock sleeps. Elsewhere it is in order. */
static void lw_meta_spin_with_irqs_off(void)
{
	static DEFINE_SPINLOCK(lock);
	unsigned long flags;

	local_irq_save(flags);
	spin_lock(&lock);
	spin_unlock(&lock);
	local_irq_restore(flags);
}

static void lw_meta_preempted(void)
{
	(void)smp_processor_id();
}

static void lw_meta_lock_inversion(void)
{
	static DEFINE_MUTEX(one);
	static DEFINE_MUTEX(other);

	mutex_lock(&one);
	mutex_lock(&other);
	mutex_unlock(&other);
	mutex_unlock(&one);
	mutex_lock(&other);
	mutex_lock(&one);
	mutex_unlock(&one);
	mutex_unlock(&other);
}

static void lw_meta_rcu_misuse(void)
{
	static int __rcu *pointer;

	(void)rcu_dereference(pointer);
}

static void lw_meta_shift(void)
{
	static int result;

	WRITE_ONCE(result, 1 << lw_meta_hidden(40));
}

static void lw_meta_list_corruption(void)
{
	static LIST_HEAD(list);
	static struct list_head entry;

	list_add(&entry, &list);
	list_add(&entry, &list);
}

static unsigned long lw_meta_count;

static int lw_meta_racer(void *unused)
{
	while (!kthread_should_stop()) {
		lw_meta_count++;
		barrier();
		cond_resched();
	}
	return 0;
}

static void lw_meta_race(void)
{
	struct task_struct *racers[2];
	int i;

	for (i = 0; i < 2; i++)
		racers[i] = kthread_run(lw_meta_racer, NULL, "lw_meta_racer");
	msleep(LW_META_RACE_MS);
	for (i = 0; i < 2; i++)
		if (!IS_ERR(racers[i]))
			kthread_stop(racers[i]);
}

static const struct {
	const char *name;
	void (*make)(void);
} lw_meta_bugs[] = {
	{ "use_after_free", lw_meta_use_after_free },
	{ "out_of_bounds", lw_meta_out_of_bounds },
	{ "leak", lw_meta_leak },
	{ "free_with_timer", lw_meta_free_with_timer },
	{ "oops", lw_meta_oops },
	{ "sleep_in_atomic", lw_meta_sleep_in_atomic },
	{ "spin_with_irqs_off", lw_meta_spin_with_irqs_off },
	{ "preempted", lw_meta_preempted },
	{ "lock_inversion", lw_meta_lock_inversion },
	{ "rcu_misuse", lw_meta_rcu_misuse },
	{ "shift", lw_meta_shift },
	{ "list_corruption", lw_meta_list_corruption },
	{ "race", lw_meta_race },
};

static int __init lw_meta_bug_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(lw_meta_bugs); i++) {
		if (strcmp(bug, lw_meta_bugs[i].name) == 0) {
			lw_meta_bugs[i].make();
			return 0;
		}
	}
	return -EINVAL;
}

static void __exit lw_meta_bug_exit(void)
{
}

module_init(lw_meta_bug_init);
module_exit(lw_meta_bug_exit);
MODULE_DESCRIPTION("Makes mistakes, for the tests of the kernel's checkers");
MODULE_LICENSE("GPL");
