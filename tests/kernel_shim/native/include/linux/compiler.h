/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NATIVE_LINUX_COMPILER_H
#define NATIVE_LINUX_COMPILER_H

#include_next <linux/compiler.h>

/* Others run meanwhile. */
#undef smp_mb
#undef smp_rmb
#undef smp_wmb
#undef smp_load_acquire
#undef smp_store_release
#undef smp_store_mb
#define smp_mb()	__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb()	__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()	__atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_load_acquire(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, value)	__atomic_store_n(p, value, __ATOMIC_RELEASE)
#define smp_store_mb(x, value)		((void)__atomic_exchange_n(&(x), value, __ATOMIC_SEQ_CST))

#ifdef __x86_64__
#define native_relax()	__builtin_ia32_pause()
#else
#define native_relax()	barrier()
#endif

#endif
