// SPDX-License-Identifier: GPL-2.0
/* Work waits until its delay is over and the program wants it done: native_run_works(). */
#include "native.h"

#include <linux/kernel.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <stdlib.h>

struct workqueue_struct {
	int dummy;
};

static struct workqueue_struct system_workqueue;
struct workqueue_struct *const system_wq = &system_workqueue;

/* A ring; a work knows its place plus one, and leaves a hole if it is cancelled. */
#define RING	(1U << 16)

static struct work_struct *ring[RING];
static u64 due_ns[RING];
static unsigned int first, behind, holes;
static DEFINE_SPINLOCK(lock);

static const char worker;

struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags, int max_active)
{
	return calloc(1, sizeof(struct workqueue_struct));
}

void destroy_workqueue(struct workqueue_struct *wq)
{
	free(wq);
}

static bool queue_at(struct work_struct *work, u64 ns)
{
	bool queued;

	spin_lock(&lock);
	queued = !work->alarm;
	if (queued) {
		KERNEL_ASSERT(behind - first < RING);
		work->alarm = behind % RING + 1;
		due_ns[behind % RING] = ns;
		ring[behind++ % RING] = work;
	}
	spin_unlock(&lock);
	return queued;
}

bool queue_work(struct workqueue_struct *wq, struct work_struct *work)
{
	return queue_at(work, 0);
}

bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *work,
			unsigned long delay)
{
	return queue_at(&work->work, world_now_ns + jiffies_to_nsecs(delay));
}

static bool cancel(struct work_struct *work)
{
	bool pending;

	spin_lock(&lock);
	pending = work->alarm;
	if (pending) {
		ring[work->alarm - 1] = NULL;
		work->alarm = 0;
		holes++;
	}
	spin_unlock(&lock);
	return pending;
}

bool mod_delayed_work(struct workqueue_struct *wq, struct delayed_work *work,
		      unsigned long delay)
{
	return !queue_delayed_work(wq, work, delay);
}

bool cancel_work_sync(struct work_struct *work)
{
	return cancel(work);
}

bool cancel_delayed_work(struct delayed_work *work)
{
	return cancel(&work->work);
}

bool cancel_delayed_work_sync(struct delayed_work *work)
{
	return cancel(&work->work);
}

unsigned int native_works(void)
{
	return behind - first - holes;
}

/* The next work that is due; one that is not goes to the end. */
static struct work_struct *take(void)
{
	struct work_struct *work;
	u64 ns;

	spin_lock(&lock);
	ns = due_ns[first % RING];
	work = ring[first++ % RING];
	if (work)
		work->alarm = 0;
	else
		holes--;
	spin_unlock(&lock);
	if (!work || ns <= world_now_ns)
		return work;
	queue_at(work, ns);
	return NULL;
}

/* On CPU 0, by a task of its own. */
unsigned int native_run_works(void)
{
	const void *task = world_task;
	unsigned int cpu = world_cpu, until = behind, done = 0;
	bool in_task = world_in_task;

	world_task = &worker;
	world_in_task = true;
	native_run_on(0);
	while (first != until) {
		struct work_struct *work = take();

		if (!work)
			continue;
		work->func(work);
		done++;
	}
	world_task = task;
	world_in_task = in_task;
	native_run_on(cpu);
	return done;
}
