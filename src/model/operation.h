/* SPDX-License-Identifier: GPL-2.0 */
/* Operations, which take different times on different paths. */
#ifndef LW_MODEL_OPERATION_H
#define LW_MODEL_OPERATION_H

#include "model/math.h"

/* What an I/O does. Without by_operation, all data is LW_OP_DATA. */
enum lw_op {
	LW_OP_DATA,	/* a read or a write, nobody knows which */
	LW_OP_READ,
	LW_OP_WRITE,	/* also discard, write-zeroes and the like */
	LW_OP_OTHER,	/* without data: flush, passthrough */
	LW_OPS
};

/* Stamped completions of one operation, with data. */
struct lw_op_samples {
	u64 count;	/* number of completions */
	u64 blocks;	/* their total length */
	u64 took_ns;	/* sum of their latencies */
};

#endif
