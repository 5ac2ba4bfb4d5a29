/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What stands behind the shims: the kernel's interface in linux/ is made of these
 * and of world.h. One thread, so that no operation is ever cut in two.
 */
#ifndef SIM_SIMULATED_H
#define SIM_SIMULATED_H

#include "world.h"

/* Static per-CPU variables have room for so many; see linux/percpu.h. */
#ifndef KERNEL_MAX_CPUS
#define KERNEL_MAX_CPUS	256
#endif

/* Interrupts are off, or a spinlock is held. */
extern unsigned int kernel_atomic_depth;

_Noreturn void kernel_bug(const char *file, int line, const char *what);

#define KERNEL_ASSERT(condition)					\
	do {								\
		if (__builtin_expect(!(condition), 0))			\
			kernel_bug(__FILE__, __LINE__, #condition);	\
	} while (0)

/* A real kernel sees such a mistake now and then; here each one ends the run. */
static inline void might_sleep(void)
{
	KERNEL_ASSERT(world_in_task && !kernel_atomic_depth);
}

/* There is no memory for the nth allocation from now on; 0: for each there is. */
extern unsigned int kernel_no_memory_at;
bool kernel_has_memory(void);

/* Who runs; kernel_leave() gives it back. */
struct kernel_context {
	const void *task;
	unsigned int cpu;
	unsigned int atomic_depth;
	bool in_task;
};

/* From here on a task runs on a CPU, and may sleep. */
struct kernel_context kernel_enter_task(const void *task, unsigned int cpu);
void kernel_leave(struct kernel_context was);

/* The log keeps what was written since the last kernel_log_clear(). */
__attribute__((format(printf, 1, 2)))
void kernel_log(const char *format, ...);
void kernel_log_clear(void);
const char *kernel_log_text(void);

/*
 * A machine with world_cpus CPUs comes up: static per-CPU variables have their first
 * values again. The module stays loaded, but nothing may be in use.
 */
void kernel_boot(void);

/* What the module gave to module_init() and module_exit(). */
int kernel_module_init(void);
void kernel_module_exit(void);

#endif
