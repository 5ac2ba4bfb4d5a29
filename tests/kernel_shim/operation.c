// SPDX-License-Identifier: GPL-2.0
/*
 * Stands in for src/admin/operation.c, which asks the kernel's tracepoints: here the program says
 * of each call of select and end which operation its I/O has.
 */
#include "admin/admin.h"

#include "shim_operation.h"

enum lw_op lw_shim_op;

DEFINE_STATIC_KEY_FALSE(lw_by_operation);

int lw_operation_init(void)
{
	return 0;
}

void lw_operation_exit(void)
{
	KERNEL_ASSERT(!lw_by_operation.users);
}

void lw_operation_want(void)
{
	static_branch_inc(&lw_by_operation);
}

void lw_operation_unwant(void)
{
	static_branch_dec(&lw_by_operation);
}

void lw_operation_forget(struct lw_device *path)
{
}

bool lw_operation_known(const struct lw_selector *sel, const struct lw_device *path)
{
	return path->measuring.by_operation;
}

enum lw_op lw_op_asked(const struct lw_selector *sel)
{
	return READ_ONCE(sel->config.by_operation) ? lw_shim_op : LW_OP_DATA;
}

void lw_operation_end(const struct lw_selector *sel, const struct lw_ended *io,
		      size_t nr_bytes, bool counts)
{
	if (!counts)
		return;
	lw_count_unknown(io->path);
	if (lw_shim_op != LW_OP_DATA)
		lw_count_operation(io, lw_shim_op);
}
