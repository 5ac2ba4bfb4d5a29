/* SPDX-License-Identifier: GPL-2.0 */
/* Which operation the I/O has for which select or end is called next, by the program. */
#ifndef SHIM_OPERATION_H
#define SHIM_OPERATION_H

#ifdef __cplusplus
extern "C" {
/* As enum lw_op of src/model/operation.h, which C++ does not include. */
enum lw_op { LW_OP_DATA, LW_OP_READ, LW_OP_WRITE, LW_OP_OTHER };
#else
#include "model/operation.h"
#endif

/* Matters only to selectors with by_operation; LW_OP_DATA: nobody knows. */
extern enum lw_op lw_shim_op;

#ifdef __cplusplus
}
#endif

#endif
