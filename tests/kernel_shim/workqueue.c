// SPDX-License-Identifier: GPL-2.0
/*
 * Work and its delay. An alarm stands between the world's timers, which cannot be
 * taken back, and a work that may be cancelled and freed: a timer that finds its
 * alarm in other use does nothing.
 */
#include <linux/kernel.h>
#include <linux/workqueue.h>
#include <stdlib.h>

struct workqueue_struct {
	unsigned int pending;
};

/**
 * struct alarm - a pending work
 * @work: what is to be done
 * @wq: where
 * @turn: how often this alarm was in use
 * @next_free: if not in use, the next one that is not
 */
struct alarm {
	struct work_struct *work;
	struct workqueue_struct *wq;
	unsigned long turn;
	unsigned int next_free;
};

/* A timer knows the alarm's index in these bits, and its turn in those above. */
#define ALARM_BITS	20
#define ALARM_FEW	16

static struct alarm *alarms;
static unsigned int nr_alarms, free_alarm;

static struct workqueue_struct system_workqueue;
struct workqueue_struct *const system_wq = &system_workqueue;

/* The worker's task, and what it is doing. */
static const char worker;
static struct work_struct *running;

/* Alarm 0 stands for none, here and in struct work_struct. */
static void alarms_grow(void)
{
	unsigned int i, n = nr_alarms ? 2 * nr_alarms : ALARM_FEW;

	KERNEL_ASSERT(n <= 1U << ALARM_BITS);
	alarms = realloc(alarms, n * sizeof(*alarms));
	KERNEL_ASSERT(alarms);
	for (i = max(nr_alarms, 1U); i < n; i++)
		alarms[i] = (struct alarm){ .next_free = i + 1 < n ? i + 1 : 0 };
	free_alarm = max(nr_alarms, 1U);
	nr_alarms = n;
}

static void *alarm_set(struct workqueue_struct *wq, struct work_struct *work)
{
	struct alarm *alarm;

	if (!free_alarm)
		alarms_grow();
	work->alarm = free_alarm;
	alarm = &alarms[free_alarm];
	free_alarm = alarm->next_free;
	alarm->work = work;
	alarm->wq = wq;
	wq->pending++;
	return (void *)(alarm->turn << ALARM_BITS | work->alarm);
}

static void alarm_clear(struct work_struct *work)
{
	struct alarm *alarm = &alarms[work->alarm];

	KERNEL_ASSERT(alarm->work == work);
	alarm->wq->pending--;
	alarm->work = NULL;
	alarm->turn++;
	alarm->next_free = free_alarm;
	free_alarm = work->alarm;
	work->alarm = 0;
}

static void alarm_rings(void *arg)
{
	struct alarm *alarm = &alarms[(uintptr_t)arg & ((1U << ALARM_BITS) - 1)];
	struct work_struct *work = alarm->work;
	struct kernel_context was;

	if (alarm->turn != (uintptr_t)arg >> ALARM_BITS || !work)
		return;
	alarm_clear(work);
	was = kernel_enter_task(&worker, 0);
	running = work;
	work->func(work);	/* which may free the work */
	running = NULL;
	kernel_leave(was);
}

/*
 * When the timer wheel runs a timer: at the step after the one in which it is due.
 * A step is a tick; for delays of 63 ticks and more 8 ticks, from 504 on 64 ...
 */
static u64 wheel_ns(unsigned long delay)
{
	unsigned int shift = 0;
	u64 steps;

	while (delay >= 63UL << shift && shift < 24)
		shift += 3;
	steps = (((u64)jiffies + delay) >> shift) + 1;
	return (steps << shift) * NSEC_PER_JIFFY;
}

struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags,
					 int max_active)
{
	might_sleep();
	return calloc(1, sizeof(struct workqueue_struct));
}

void destroy_workqueue(struct workqueue_struct *wq)
{
	might_sleep();
	KERNEL_ASSERT(!wq->pending);
	free(wq);
}

static bool queue_in(struct workqueue_struct *wq, struct work_struct *work, u64 ns)
{
	KERNEL_ASSERT(work->func);
	if (work->alarm)
		return false;
	world_after(ns, alarm_rings, alarm_set(wq, work));
	return true;
}

bool queue_work(struct workqueue_struct *wq, struct work_struct *work)
{
	return queue_in(wq, work, 0);
}

bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *work,
			unsigned long delay)
{
	return queue_in(wq, &work->work, delay ? wheel_ns(delay) - world_now_ns : 0);
}

static bool cancel(struct work_struct *work)
{
	bool pending = work->alarm;

	if (pending)
		alarm_clear(work);
	return pending;
}

bool mod_delayed_work(struct workqueue_struct *wq, struct delayed_work *work,
		      unsigned long delay)
{
	bool pending = cancel(&work->work);

	queue_delayed_work(wq, work, delay);
	return pending;
}

bool cancel_work_sync(struct work_struct *work)
{
	might_sleep();
	/* It would wait for itself. */
	KERNEL_ASSERT(running != work);
	return cancel(work);
}

bool cancel_delayed_work(struct delayed_work *work)
{
	return cancel(&work->work);
}

bool cancel_delayed_work_sync(struct delayed_work *work)
{
	return cancel_work_sync(&work->work);
}
