/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Per-CPU data, with pointers that are not to be followed as they are: as in the
 * kernel, what they point to lies elsewhere, for each CPU at another distance,
 * and the distance is the same for all data. So a member of a per-CPU struct is
 * per-CPU data, too, and code that forgets this_cpu_ptr() does not run by chance.
 *
 * For static variables the pointer is into the section where their first values
 * lie; percpu.c has the copies.
 */
#ifndef SIM_LINUX_PERCPU_H
#define SIM_LINUX_PERCPU_H

#include <linux/smp.h>
#include <linux/types.h>

/* From CPU to CPU. No multiple of 4 KiB, which would all share one set of a cache. */
#define PERCPU_STRIDE	(16384 + 64)

#define DEFINE_PER_CPU(type, name)					\
	__attribute__((section("percpu_first"))) typeof(type) name
#define DECLARE_PER_CPU(type, name)	extern typeof(type) name
#define DEFINE_PER_CPU_ALIGNED(type, name)				\
	DEFINE_PER_CPU(type, name) __attribute__((aligned(64)))
#define DEFINE_PER_CPU_SHARED_ALIGNED(type, name)			\
	DEFINE_PER_CPU_ALIGNED(type, name)

/* The linker's bounds of the section. */
extern char __start_percpu_first[], __stop_percpu_first[];
extern char percpu_copies[KERNEL_MAX_CPUS * PERCPU_STRIDE];

static inline uintptr_t percpu_distance(unsigned int cpu)
{
	return (uintptr_t)percpu_copies - (uintptr_t)__start_percpu_first +
	       (uintptr_t)cpu * PERCPU_STRIDE;
}

/* The compiler must not know that it leaves the variable it started from. */
#define per_cpu_ptr(ptr, cpu) ({					\
	uintptr_t __percpu_at;						\
	__asm__("" : "=r" (__percpu_at) : "0" (ptr));			\
	(typeof(&*(ptr)))(__percpu_at + percpu_distance(cpu)); })
#define per_cpu(var, cpu)	(*per_cpu_ptr(&(var), cpu))
#define this_cpu_ptr(ptr)	per_cpu_ptr(ptr, world_cpu)
#define raw_cpu_ptr(ptr)	this_cpu_ptr(ptr)
#define get_cpu_ptr(ptr)	({ preempt_disable(); this_cpu_ptr(ptr); })
#define put_cpu_ptr(ptr)	preempt_enable()

#define this_cpu_read(var)		(*this_cpu_ptr(&(var)))
#define this_cpu_write(var, value)	((void)(*this_cpu_ptr(&(var)) = (value)))
#define this_cpu_add(var, n)		((void)(*this_cpu_ptr(&(var)) += (n)))
#define this_cpu_sub(var, n)		((void)(*this_cpu_ptr(&(var)) -= (n)))
#define this_cpu_inc(var)		this_cpu_add(var, 1)
#define this_cpu_dec(var)		this_cpu_sub(var, 1)
#define this_cpu_add_return(var, n)	(*this_cpu_ptr(&(var)) += (n))
#define this_cpu_inc_return(var)	this_cpu_add_return(var, 1)
#define this_cpu_dec_return(var)	this_cpu_add_return(var, -1)
#define this_cpu_xchg(var, value)	xchg(this_cpu_ptr(&(var)), value)
#define this_cpu_cmpxchg(var, old, new)	cmpxchg(this_cpu_ptr(&(var)), old, new)
#define __this_cpu_read(var)		this_cpu_read(var)
#define __this_cpu_write(var, value)	this_cpu_write(var, value)
#define __this_cpu_add(var, n)		this_cpu_add(var, n)
#define __this_cpu_sub(var, n)		this_cpu_sub(var, n)
#define __this_cpu_inc(var)		this_cpu_inc(var)
#define __this_cpu_dec(var)		this_cpu_dec(var)
#define raw_cpu_read(var)		this_cpu_read(var)
#define raw_cpu_write(var, value)	this_cpu_write(var, value)

/* Zeroed, for world_cpus CPUs. */
void *__alloc_percpu(size_t size, size_t align);
void free_percpu(void *ptr);

#define alloc_percpu(type)						\
	((typeof(type) *)__alloc_percpu(sizeof(type), __alignof__(type)))
#define alloc_percpu_gfp(type, gfp)	alloc_percpu(type)

#endif
