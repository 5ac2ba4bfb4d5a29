/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_ERR_H
#define SHIM_LINUX_ERR_H

#include <errno.h>

#include <linux/types.h>

#define MAX_ERRNO	4095

static inline void *ERR_PTR(long error)
{
	return (void *)error;
}

static inline long PTR_ERR(const void *ptr)
{
	return (long)ptr;
}

static inline bool IS_ERR(const void *ptr)
{
	return (uintptr_t)ptr >= (uintptr_t)-MAX_ERRNO;
}

static inline bool IS_ERR_OR_NULL(const void *ptr)
{
	return !ptr || IS_ERR(ptr);
}

#define ERR_CAST(ptr)	((void *)(ptr))

#endif
