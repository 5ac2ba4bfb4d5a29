/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_MODULEPARAM_H
#define SIM_LINUX_MODULEPARAM_H

#include <linux/kernel.h>
#include <linux/sysfs.h>
#include <linux/types.h>

struct kernel_param;

struct kernel_param_ops {
	int (*set)(const char *value, const struct kernel_param *kp);
	int (*get)(char *buffer, const struct kernel_param *kp);
};

struct kernel_param {
	const char *name;
	const struct kernel_param_ops *ops;
	void *arg;
};

/*
 * A simulated selector gets its arguments by its table line. tests/fuzz sets these, and finds
 * them between the linker's bounds of their section.
 */
#define module_param_cb(param, param_ops, param_arg, mode)		\
	static const struct kernel_param __param_##param __used		\
	__attribute__((section("kernel_params"), aligned(8))) = {			\
		.name = #param, .ops = (param_ops), .arg = (param_arg),	\
	}

extern const struct kernel_param __start_kernel_params[], __stop_kernel_params[];

#define module_param(param, type, mode)					\
	static typeof(param) *const __param_##param __used = &(param)
#define module_param_named(param, variable, type, mode)			\
	static typeof(variable) *const __param_##param __used = &(variable)
#define MODULE_PARM_DESC(param, text)	_Static_assert(sizeof(text) > 1, #param)

#endif
