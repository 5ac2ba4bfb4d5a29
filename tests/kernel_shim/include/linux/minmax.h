/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_MINMAX_H
#define SIM_LINUX_MINMAX_H

#define __ORDER(a, op, b) ({						\
	__auto_type __order_a = (a);					\
	__auto_type __order_b = (b);					\
	__order_a op __order_b ? __order_a : __order_b; })
#define __ORDER_T(type, a, op, b) ({					\
	type __order_a = (a);						\
	type __order_b = (b);						\
	__order_a op __order_b ? __order_a : __order_b; })

#define min(a, b)		__ORDER(a, <, b)
#define max(a, b)		__ORDER(a, >, b)
#define min_t(type, a, b)	__ORDER_T(type, a, <, b)
#define max_t(type, a, b)	__ORDER_T(type, a, >, b)
#define min3(a, b, c)		min(min(a, b), c)
#define max3(a, b, c)		max(max(a, b), c)
#define clamp(v, lo, hi)	min(max(v, lo), hi)
#define clamp_t(type, v, lo, hi)	min_t(type, max_t(type, v, lo), hi)
#define clamp_val(v, lo, hi)	clamp_t(typeof(v), v, lo, hi)

#define swap(a, b)							\
	do {								\
		typeof(a) __swap = (a);					\
		(a) = (b);						\
		(b) = __swap;						\
	} while (0)

#endif
