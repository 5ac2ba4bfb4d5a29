/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NATIVE_LINUX_BITOPS_H
#define NATIVE_LINUX_BITOPS_H

#include_next <linux/bitops.h>

#undef __set_bit
#undef __clear_bit
#undef __test_and_set_bit
#undef __test_and_clear_bit

/* In brackets: the simulator's, which are not atomic. */
#define __set_bit(nr, addr)		(set_bit)(nr, addr)
#define __clear_bit(nr, addr)		(clear_bit)(nr, addr)
#define __test_and_set_bit(nr, addr)	(test_and_set_bit)(nr, addr)
#define __test_and_clear_bit(nr, addr)	(test_and_clear_bit)(nr, addr)

#define __native_word(nr, addr)		(&(addr)[(nr) / BITS_PER_LONG])
#define __native_bit(nr)		BIT((nr) % BITS_PER_LONG)
#define __native_or(nr, addr)						\
	__atomic_fetch_or(__native_word(nr, addr), __native_bit(nr), __ATOMIC_SEQ_CST)
#define __native_and_not(nr, addr)					\
	__atomic_fetch_and(__native_word(nr, addr), ~__native_bit(nr), __ATOMIC_SEQ_CST)

#define set_bit(nr, addr)		((void)__native_or(nr, addr))
#define clear_bit(nr, addr)		((void)__native_and_not(nr, addr))
#define test_and_set_bit(nr, addr)	(!!(__native_or(nr, addr) & __native_bit(nr)))
#define test_and_clear_bit(nr, addr)	(!!(__native_and_not(nr, addr) & __native_bit(nr)))

#endif
