/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints that are never on: the call remains, so that its arguments are checked.
 * What an event keeps and prints is for the kernel builds to see.
 */
#ifndef SIM_LINUX_TRACEPOINT_H
#define SIM_LINUX_TRACEPOINT_H

#include <linux/types.h>

#define TP_PROTO(...)		__VA_ARGS__
#define TP_ARGS(...)
#define TP_STRUCT__entry(...)
#define TP_fast_assign(...)
#define TP_printk(...)

#define TRACE_EVENT(name, proto, ...)					\
	static inline bool trace_##name##_enabled(void)			\
	{								\
		return false;						\
	}								\
	static inline void trace_##name(proto)				\
	{								\
	}								\
	_Static_assert(1, "")

#endif
