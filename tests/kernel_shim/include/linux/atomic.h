/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_ATOMIC_H
#define SIM_LINUX_ATOMIC_H

#include <linux/types.h>

#define xchg(ptr, value) ({						\
	typeof(ptr) __xchg_at = (ptr);					\
	typeof(*__xchg_at) __xchg_was = *__xchg_at;			\
	*__xchg_at = (value);						\
	__xchg_was; })

#define cmpxchg(ptr, old, new) ({					\
	typeof(ptr) __cmpxchg_at = (ptr);				\
	typeof(*__cmpxchg_at) __cmpxchg_was = *__cmpxchg_at;		\
	typeof(*__cmpxchg_at) __cmpxchg_new = (new);			\
	if (__cmpxchg_was == (old))					\
		*__cmpxchg_at = __cmpxchg_new;				\
	__cmpxchg_was; })

#define try_cmpxchg(ptr, old, new) ({					\
	typeof(old) __try_old = (old);					\
	typeof(*__try_old) __try_was = cmpxchg(ptr, *__try_old, new);	\
	bool __try_done = __try_was == *__try_old;			\
	*__try_old = __try_was;						\
	__try_done; })

#define cmpxchg64		cmpxchg
#define xchg_relaxed		xchg
#define xchg_acquire		xchg
#define xchg_release		xchg
#define cmpxchg_relaxed		cmpxchg
#define cmpxchg_acquire		cmpxchg
#define cmpxchg_release		cmpxchg

#define ATOMIC_INIT(value)	{ (value) }
#define ATOMIC64_INIT(value)	{ (value) }

#define __ATOMIC_OPERATIONS(prefix, type, value_t)			\
static inline value_t prefix##_read(const type *v)			\
{									\
	return READ_ONCE(v->counter);					\
}									\
static inline void prefix##_set(type *v, value_t value)		\
{									\
	v->counter = value;						\
}									\
static inline void prefix##_add(value_t n, type *v)			\
{									\
	v->counter += n;						\
}									\
static inline void prefix##_sub(value_t n, type *v)			\
{									\
	v->counter -= n;						\
}									\
static inline value_t prefix##_add_return(value_t n, type *v)		\
{									\
	return v->counter += n;						\
}									\
static inline value_t prefix##_sub_return(value_t n, type *v)		\
{									\
	return v->counter -= n;						\
}									\
static inline value_t prefix##_fetch_add(value_t n, type *v)		\
{									\
	return prefix##_add_return(n, v) - n;				\
}									\
static inline value_t prefix##_fetch_sub(value_t n, type *v)		\
{									\
	return prefix##_sub_return(n, v) + n;				\
}									\
static inline value_t prefix##_xchg(type *v, value_t value)		\
{									\
	return xchg(&v->counter, value);				\
}									\
static inline value_t prefix##_cmpxchg(type *v, value_t old, value_t value) \
{									\
	return cmpxchg(&v->counter, old, value);			\
}									\
static inline bool prefix##_try_cmpxchg(type *v, value_t *old, value_t value) \
{									\
	return try_cmpxchg(&v->counter, old, value);			\
}									\
static inline bool prefix##_add_unless(type *v, value_t n, value_t unless) \
{									\
	bool add = v->counter != unless;				\
									\
	v->counter += add ? n : 0;					\
	return add;							\
}

__ATOMIC_OPERATIONS(atomic, atomic_t, int)
__ATOMIC_OPERATIONS(atomic64, atomic64_t, s64)

#define atomic_inc(v)			atomic_add(1, v)
#define atomic_dec(v)			atomic_sub(1, v)
#define atomic_inc_return(v)		atomic_add_return(1, v)
#define atomic_dec_return(v)		atomic_sub_return(1, v)
#define atomic_dec_and_test(v)		(!atomic_sub_return(1, v))
#define atomic_inc_not_zero(v)		atomic_add_unless(v, 1, 0)
#define atomic_read_acquire(v)		atomic_read(v)
#define atomic_set_release(v, value)	atomic_set(v, value)
#define atomic64_inc(v)			atomic64_add(1, v)
#define atomic64_dec(v)			atomic64_sub(1, v)
#define atomic64_inc_return(v)		atomic64_add_return(1, v)
#define atomic64_dec_return(v)		atomic64_sub_return(1, v)
#define atomic64_add_return_relaxed(n, v) atomic64_add_return(n, v)
#define atomic64_sub_return_relaxed(n, v) atomic64_sub_return(n, v)
#define atomic64_try_cmpxchg_relaxed(v, old, value) atomic64_try_cmpxchg(v, old, value)

/* On 64 bits these are the same. */
typedef atomic64_t atomic_long_t;
#define atomic_long_read(v)		atomic64_read(v)
#define atomic_long_set(v, value)	atomic64_set(v, value)
#define atomic_long_add(n, v)		atomic64_add(n, v)
#define atomic_long_sub(n, v)		atomic64_sub(n, v)
#define atomic_long_inc(v)		atomic64_inc(v)
#define atomic_long_dec(v)		atomic64_dec(v)
#define atomic_long_xchg(v, value)	atomic64_xchg(v, value)

#define smp_mb__before_atomic()	barrier()
#define smp_mb__after_atomic()	barrier()

#endif
