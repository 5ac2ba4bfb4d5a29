/* SPDX-License-Identifier: GPL-2.0 */
/* A policy of one selector at a time, which is a function. */
#ifndef SHIM_POLICY_H
#define SHIM_POLICY_H

#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lw_policy;
struct lw_policy_use;
struct lw_selector;

/* Attach the function as a program, which reads costs or does not; of one group in the world. */
struct lw_policy_use *kernel_attach(struct lw_selector *sel, void (*fn)(struct lw_policy *io),
				    bool reads_cost);
void kernel_detach(struct lw_selector *sel);

extern u64 kernel_cgroup;

#ifdef __cplusplus
}
#endif

#endif
