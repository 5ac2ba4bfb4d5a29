/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_BITOPS_H
#define SIM_LINUX_BITOPS_H

#include <linux/bits.h>
#include <linux/types.h>

#define BITS_TO_LONGS(n)	(((n) + BITS_PER_LONG - 1) / BITS_PER_LONG)
#define DECLARE_BITMAP(name, bits)	unsigned long name[BITS_TO_LONGS(bits)]

static inline int fls(unsigned int x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

/* As in the kernel, for x other than 0. */
static inline unsigned long __ffs(unsigned long x)
{
	return __builtin_ctzl(x);
}

#define hweight8(x)	((unsigned int)__builtin_popcount((u8)(x)))
#define hweight32(x)	((unsigned int)__builtin_popcount((u32)(x)))
#define hweight64(x)	((unsigned long)__builtin_popcountll(x))
#define hweight_long(x)	((unsigned long)__builtin_popcountl(x))

static inline bool test_bit(long nr, const volatile unsigned long *addr)
{
	return addr[nr / BITS_PER_LONG] & BIT(nr % BITS_PER_LONG);
}

static inline void set_bit(long nr, volatile unsigned long *addr)
{
	addr[nr / BITS_PER_LONG] |= BIT(nr % BITS_PER_LONG);
}

static inline void clear_bit(long nr, volatile unsigned long *addr)
{
	addr[nr / BITS_PER_LONG] &= ~BIT(nr % BITS_PER_LONG);
}

static inline bool test_and_set_bit(long nr, volatile unsigned long *addr)
{
	bool was = test_bit(nr, addr);

	set_bit(nr, addr);
	return was;
}

static inline bool test_and_clear_bit(long nr, volatile unsigned long *addr)
{
	bool was = test_bit(nr, addr);

	clear_bit(nr, addr);
	return was;
}

#define __set_bit	set_bit
#define __clear_bit	clear_bit
#define __test_and_set_bit	test_and_set_bit
#define __test_and_clear_bit	test_and_clear_bit

static inline unsigned long find_next_bit(const unsigned long *addr,
					  unsigned long size, unsigned long from)
{
	while (from < size) {
		unsigned long rest = addr[from / BITS_PER_LONG] >>
				     from % BITS_PER_LONG;

		if (rest) {
			from += __ffs(rest);
			return from < size ? from : size;
		}
		from = (from / BITS_PER_LONG + 1) * BITS_PER_LONG;
	}
	return size;
}

#define find_first_bit(addr, size)	find_next_bit(addr, size, 0)

#define for_each_set_bit(bit, addr, size)				\
	for ((bit) = find_first_bit(addr, size); (bit) < (size);	\
	     (bit) = find_next_bit(addr, size, (bit) + 1))

#endif
