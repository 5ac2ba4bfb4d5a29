/* SPDX-License-Identifier: GPL-2.0 */
/* Policies of selectors, which are functions. */
#ifndef SHIM_POLICY_H
#define SHIM_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lw_policy;
struct lw_policy_use;
struct lw_selector;
struct path_selector;

/* Attach the function as a program, which reads costs or does not. */
struct lw_policy_use *kernel_attach(struct lw_selector *sel, void (*fn)(struct lw_policy *io),
				    bool reads_cost);
void kernel_detach(struct lw_selector *sel);

/* The same of a function as LW_POLICY_PROGRAM() makes it. */
void kernel_attach_program(struct path_selector *ps, int (*program)(struct lw_policy **io),
			   bool reads_cost);
void kernel_detach_program(struct path_selector *ps);

extern uint64_t kernel_cgroup;

#ifdef __cplusplus
}
#endif

#endif
