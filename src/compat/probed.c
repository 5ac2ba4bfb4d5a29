// SPDX-License-Identifier: GPL-2.0
/*
 * What src/compat/probe found, for "modinfo -F probed": which interface the
 * module was compiled for, what proved that it is the kernel's, and which
 * functions the kernel has.
 */
#include <linux/module.h>
#include <linux/stringify.h>

MODULE_INFO(probed, __stringify(LW_PROBED));
