// SPDX-License-Identifier: GPL-2.0
/* Context, mistakes and log of the simulated kernel. */
/*
 * promise memory/locks: Nothing sleeps with interrupts off, and no lock is taken twice | by: the
 *   shim at each call; lockdep | check: simulated | full: `guests-debug-*`, `guests-debug-rt-*`,
 *   `planted-*`
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulated.h"

unsigned long kernel_rcu_waits;
unsigned int kernel_atomic_depth;
unsigned int kernel_no_memory_at;
const void *kernel_work;
void (*kernel_mutex_waits)(void), (*kernel_reader_waits)(void);

static char kernel_log_buffer[4096];

_Noreturn void kernel_bug(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: %s: at %llu ns on CPU %u, %s, atomic depth %u\n%s",
		file, line, what, (unsigned long long)world_now_ns, world_cpu,
		world_in_task ? "in a task" : "in an interrupt",
		kernel_atomic_depth, kernel_log_buffer);
	abort();
}

struct kernel_context kernel_enter_task(const void *task, unsigned int cpu)
{
	struct kernel_context was = {
		.task = world_task,
		.cpu = world_cpu,
		.atomic_depth = kernel_atomic_depth,
		.in_task = world_in_task,
	};

	world_task = task;
	world_cpu = cpu;
	world_in_task = true;
	kernel_atomic_depth = 0;
	return was;
}

void kernel_leave(struct kernel_context was)
{
	KERNEL_ASSERT(!kernel_atomic_depth);
	world_task = was.task;
	world_cpu = was.cpu;
	world_in_task = was.in_task;
	kernel_atomic_depth = was.atomic_depth;
}

bool kernel_has_memory(void)
{
	return !kernel_no_memory_at || --kernel_no_memory_at;
}

/* What no longer fits is lost: it is the first message that explains. */
void kernel_log(const char *format, ...)
{
	size_t used = strlen(kernel_log_buffer);
	va_list args;

	va_start(args, format);
	vsnprintf(kernel_log_buffer + used, sizeof(kernel_log_buffer) - used,
		  format, args);
	va_end(args);
}

void kernel_log_clear(void)
{
	kernel_log_buffer[0] = '\0';
}

const char *kernel_log_text(void)
{
	return kernel_log_buffer;
}
