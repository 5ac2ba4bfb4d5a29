/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_WORKQUEUE_H
#define SIM_LINUX_WORKQUEUE_H

#include <linux/jiffies.h>
#include <linux/types.h>

struct workqueue_struct;
struct work_struct;

typedef void (*work_func_t)(struct work_struct *work);

/**
 * struct work_struct - something to be done by a worker
 * @func: does it
 * @alarm: pending: the alarm (workqueue.c) that will start it, 0 for none
 */
struct work_struct {
	work_func_t func;
	unsigned int alarm;
};

struct delayed_work {
	struct work_struct work;
};

#define INIT_WORK(w, fn)						\
	do {								\
		*(w) = (struct work_struct){ .func = (fn) };		\
	} while (0)
#define INIT_DELAYED_WORK(dw, fn)	INIT_WORK(&(dw)->work, fn)
#define INIT_DEFERRABLE_WORK(dw, fn)	INIT_DELAYED_WORK(dw, fn)
#define to_delayed_work(w)	container_of(w, struct delayed_work, work)

/* What all of them have in common is all that is simulated. */
#define WQ_UNBOUND	1u
#define WQ_HIGHPRI	2u
#define WQ_MEM_RECLAIM	4u
#define WQ_FREEZABLE	8u
#define WQ_POWER_EFFICIENT	16u
#define WQ_PERCPU	32u

extern struct workqueue_struct *const system_wq;
#define system_unbound_wq	system_wq
#define system_highpri_wq	system_wq
#define system_long_wq		system_wq

struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags,
					 int max_active);
void destroy_workqueue(struct workqueue_struct *wq);

/* Only ever compared, like current. */
extern const void *kernel_work;
#define current_work()	((struct work_struct *)(uintptr_t)(in_task() ? kernel_work : NULL))

bool queue_work(struct workqueue_struct *wq, struct work_struct *work);
bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *work,
			unsigned long delay);
bool mod_delayed_work(struct workqueue_struct *wq, struct delayed_work *work,
		      unsigned long delay);
bool cancel_work_sync(struct work_struct *work);
bool cancel_delayed_work(struct delayed_work *work);
bool cancel_delayed_work_sync(struct delayed_work *work);

#define schedule_work(w)		queue_work(system_wq, w)
#define schedule_delayed_work(dw, d)	queue_delayed_work(system_wq, dw, d)
#define work_pending(w)			((w)->alarm != 0)
#define delayed_work_pending(dw)	work_pending(&(dw)->work)

#endif
