/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_COMPILER_H
#define SIM_LINUX_COMPILER_H

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define typeof		__typeof__

#define __init
#define __exit
#define __user
#define __percpu
#define __rcu
#define __read_mostly
#define __must_check	__attribute__((warn_unused_result))
#define __used		__attribute__((used))
#define __maybe_unused	__attribute__((unused))
#define noinline	__attribute__((noinline))
#define __packed	__attribute__((packed))
#define __aligned(n)	__attribute__((aligned(n)))
#define __printf(a, b)	__attribute__((format(printf, a, b)))
#define fallthrough	__attribute__((fallthrough))

/* The C library defines it without a value. */
#undef __always_inline
#define __always_inline	inline __attribute__((always_inline))

#define READ_ONCE(x)	(*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, value)						\
	do {								\
		*(volatile typeof(x) *)&(x) = (value);			\
	} while (0)
#define data_race(x)	(x)

#define barrier()	__asm__ volatile("" : : : "memory")
#define smp_mb()	barrier()
#define smp_rmb()	barrier()
#define smp_wmb()	barrier()
#define smp_load_acquire(p)		READ_ONCE(*(p))
#define smp_store_release(p, value)	WRITE_ONCE(*(p), value)
#define smp_store_mb(x, value)		WRITE_ONCE(x, value)

#define __ASSERT_SAME_TYPE(a, b)					\
	_Static_assert(__builtin_types_compatible_p(typeof(a), typeof(b)), \
		       "wrong type of pointer")

#define container_of(ptr, type, member) ({				\
	__ASSERT_SAME_TYPE(*(ptr), ((type *)0)->member);		\
	(type *)((char *)(ptr) - offsetof(type, member)); })

#endif
