/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_MODULEPARAM_H
#define SHIM_LINUX_MODULEPARAM_H

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

/* As modinfo shows it. */
struct kernel_description {
	const char *name, *text;
};

#define MODULE_PARM_DESC(param, description)				\
	static const struct kernel_description __description_##param __used	\
	__attribute__((section("kernel_descriptions"), aligned(8))) = {		\
		.name = #param, .text = (description),			\
	}

extern const struct kernel_description __start_kernel_descriptions[], __stop_kernel_descriptions[];

#endif
