/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The simulator's operations are not atomic: these take their place. What is new there has
 * to come here, too.
 */
#ifndef NATIVE_LINUX_ATOMIC_H
#define NATIVE_LINUX_ATOMIC_H

#include_next <linux/atomic.h>

#undef xchg
#undef cmpxchg
#undef try_cmpxchg

#define xchg(ptr, value)	__atomic_exchange_n(ptr, value, __ATOMIC_SEQ_CST)
#define try_cmpxchg(ptr, old, new)					\
	__atomic_compare_exchange_n(ptr, old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define cmpxchg(ptr, old, new) ({					\
	typeof(*(ptr)) __cmpxchg_old = (old);				\
	try_cmpxchg(ptr, &__cmpxchg_old, new);				\
	__cmpxchg_old; })

#define __native_fetch(what, n, v)	__atomic_fetch_##what(&(v)->counter, n, __ATOMIC_SEQ_CST)
#define __native_return(what, n, v)	__atomic_##what##_fetch(&(v)->counter, n, __ATOMIC_SEQ_CST)

#define atomic_set(v, value)		WRITE_ONCE((v)->counter, value)
#define atomic_add(n, v)		((void)__native_fetch(add, n, v))
#define atomic_sub(n, v)		((void)__native_fetch(sub, n, v))
#define atomic_add_return(n, v)		__native_return(add, n, v)
#define atomic_sub_return(n, v)		__native_return(sub, n, v)
#define atomic_fetch_add(n, v)		__native_fetch(add, n, v)
#define atomic_fetch_sub(n, v)		__native_fetch(sub, n, v)
#define atomic_xchg(v, value)		xchg(&(v)->counter, value)
#define atomic_cmpxchg(v, old, value)	cmpxchg(&(v)->counter, old, value)
#define atomic_try_cmpxchg(v, old, value)	try_cmpxchg(&(v)->counter, old, value)
#define atomic_add_unless(v, n, unless)	__native_add_unless(v, n, unless)

#define atomic64_set(v, value)		atomic_set(v, value)
#define atomic64_add(n, v)		atomic_add(n, v)
#define atomic64_sub(n, v)		atomic_sub(n, v)
#define atomic64_add_return(n, v)	atomic_add_return(n, v)
#define atomic64_sub_return(n, v)	atomic_sub_return(n, v)
#define atomic64_fetch_add(n, v)	atomic_fetch_add(n, v)
#define atomic64_fetch_sub(n, v)	atomic_fetch_sub(n, v)
#define atomic64_xchg(v, value)		atomic_xchg(v, value)
#define atomic64_cmpxchg(v, old, value)	atomic_cmpxchg(v, old, value)
#define atomic64_try_cmpxchg(v, old, value)	atomic_try_cmpxchg(v, old, value)
#define atomic64_add_unless(v, n, unless)	__native_add_unless(v, n, unless)

#define __native_add_unless(v, n, unless) ({				\
	typeof((v)->counter) __was = READ_ONCE((v)->counter);		\
	while (__was != (unless) && !try_cmpxchg(&(v)->counter, &__was, __was + (n))) \
		;							\
	__was != (unless); })

#endif
