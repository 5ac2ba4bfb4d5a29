/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_MODULE_H
#define SIM_LINUX_MODULE_H

#include <linux/kernel.h>
#include <linux/moduleparam.h>

struct module;

#define THIS_MODULE	((struct module *)NULL)

#define module_init(fn)							\
	int kernel_module_init(void)					\
	{								\
		return fn();						\
	}								\
	_Static_assert(1, "")
#define module_exit(fn)							\
	void kernel_module_exit(void)					\
	{								\
		fn();							\
	}								\
	_Static_assert(1, "")

#define __MODULE_TEXT(text)	_Static_assert(sizeof(text) > 0, "")
#define MODULE_DESCRIPTION(text)	__MODULE_TEXT(text)
#define MODULE_AUTHOR(text)	__MODULE_TEXT(text)
#define MODULE_VERSION(text)	__MODULE_TEXT(text)
#define MODULE_LICENSE(text)	__MODULE_TEXT(text)
#define MODULE_ALIAS(text)	__MODULE_TEXT(text)
#define MODULE_SOFTDEP(text)	__MODULE_TEXT(text)
#define EXPORT_SYMBOL_GPL(name)	_Static_assert(1, "")

#endif
