/* SPDX-License-Identifier: GPL-2.0 */
/* The operation of the I/O for which dm-mpath calls. */
#ifndef LW_OPERATION_H
#define LW_OPERATION_H

#include <linux/jump_label.h>

#include "model/operation.h"
#include "selector.h"

/* On while any selector has by_operation and the kernel has the tracepoints for it. */
DECLARE_STATIC_KEY_FALSE(lw_by_operation);

enum lw_op lw_op_asked(const struct lw_selector *sel);

/* Operation of the I/O to be placed. Costs nothing while nobody asks. */
static inline enum lw_op lw_current_op(const struct lw_selector *sel, size_t nr_bytes)
{
	if (!nr_bytes)
		return LW_OP_OTHER;
	return static_branch_unlikely(&lw_by_operation) ? lw_op_asked(sel) : LW_OP_DATA;
}

#endif
