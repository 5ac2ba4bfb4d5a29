// SPDX-License-Identifier: GPL-2.0
/* Warns when loaded; everything is fine otherwise. */
#include <linux/module.h>

static int __init lw_meta_warn_init(void)
{
	WARN(1, "lw_meta_warn: a warning on purpose\n");
	return 0;
}

static void __exit lw_meta_warn_exit(void)
{
}

module_init(lw_meta_warn_init);
module_exit(lw_meta_warn_exit);
MODULE_DESCRIPTION("Warns when loaded, for the tests of the test runner");
MODULE_LICENSE("GPL");
