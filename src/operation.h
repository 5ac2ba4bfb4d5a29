/* SPDX-License-Identifier: GPL-2.0 */
/* The operation of the I/O for which dm-mpath calls. */
#ifndef LW_OPERATION_H
#define LW_OPERATION_H

#include "model/operation.h"
#include "selector.h"

/* Operation of the I/O to be placed. */
static inline enum lw_op lw_op(const struct lw_selector *sel, size_t nr_bytes)
{
	return nr_bytes ? LW_OP_DATA : LW_OP_OTHER;
}

#endif
