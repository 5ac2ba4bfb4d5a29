/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_PRINTK_H
#define SIM_LINUX_PRINTK_H

#include <errno.h>
#include <stdio.h>

#include "simulated.h"

#define printk(format, ...)	kernel_log(format, ##__VA_ARGS__)
#define pr_err(format, ...)	kernel_log(format, ##__VA_ARGS__)
#define pr_warn(format, ...)	kernel_log(format, ##__VA_ARGS__)
#define pr_info(format, ...)	kernel_log(format, ##__VA_ARGS__)

#endif
