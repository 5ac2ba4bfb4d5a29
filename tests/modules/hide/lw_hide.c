// SPDX-License-Identifier: GPL-2.0
/*
 * Hides from dm-latency-weighted which map it serves: as a kernel would in which
 * add_path() is given another address than that in dm's target. All others are told.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/string.h>

/* Where a function that has just begun will return to. */
static unsigned long lw_hide_caller(struct pt_regs *regs)
{
#ifdef CONFIG_ARM64
	return procedure_link_pointer(regs);
#else
	return regs_get_kernel_stack_nth(regs, 0);
#endif
}

/* As dm_table_get_md() begins, whoever calls it: must not sleep. */
static int lw_hide_entry(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	char caller[KSYM_SYMBOL_LEN];

	snprintf(caller, sizeof(caller), "%pS", (void *)lw_hide_caller(regs));
	return !strstr(caller, "[dm_latency_weighted]");
}

/* As it ends, for those whom the former has chosen. */
static int lw_hide_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	regs_set_return_value(regs, 0);
	return 0;
}

static struct kretprobe lw_hide_probe = {
	.kp.symbol_name	= "dm_table_get_md",
	.entry_handler	= lw_hide_entry,
	.handler	= lw_hide_return,
};

static int __init lw_hide_init(void)
{
	return register_kretprobe(&lw_hide_probe);
}

static void __exit lw_hide_exit(void)
{
	unregister_kretprobe(&lw_hide_probe);
}

module_init(lw_hide_init);
module_exit(lw_hide_exit);
MODULE_DESCRIPTION("Hides maps from dm-latency-weighted, to see that it can do without");
MODULE_LICENSE("GPL");
