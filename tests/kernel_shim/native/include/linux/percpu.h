/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As in the simulator, but what lies where is as in the kernel: each CPU has a unit of its
 * own, in which allocations follow each other, and the way there is one load and one
 * addition.
 */
#ifndef NATIVE_LINUX_PERCPU_H
#define NATIVE_LINUX_PERCPU_H

#include_next <linux/percpu.h>

extern __thread uintptr_t native_percpu;
extern uintptr_t native_percpu_of[];

/* The compiler must not know that it leaves the variable it started from. */
#define __native_percpu(ptr, distance) ({				\
	uintptr_t __percpu_at;						\
	__asm__("" : "=r" (__percpu_at) : "0" (ptr));			\
	(typeof(&*(ptr)))(__percpu_at + (distance)); })

#undef per_cpu_ptr
#undef this_cpu_ptr
#define per_cpu_ptr(ptr, cpu)	__native_percpu(ptr, native_percpu_of[cpu])
#define this_cpu_ptr(ptr)	__native_percpu(ptr, native_percpu)

#endif
