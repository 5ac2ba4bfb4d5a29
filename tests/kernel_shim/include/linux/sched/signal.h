/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_SCHED_SIGNAL_H
#define SHIM_LINUX_SCHED_SIGNAL_H

#include <linux/sched.h>

/* Nobody kills a reader. */
#define fatal_signal_pending(task)	((void)(task), false)

#endif
