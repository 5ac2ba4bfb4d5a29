/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Policies: BPF programs that choose paths. Their interface to the rest of the module; the
 * programs themselves see lw_policy.h.
 *
 *	select.c -> choose.c	shows a program the paths, runs it, checks its choice
 *	admin/policy.c -> use.c	takes a pinned program into use, and gives it back
 *	compat/bpf.c		the kernel's part of both
 */
#ifndef LW_POLICY_POLICY_H
#define LW_POLICY_POLICY_H

#include <linux/rcupdate.h>

#include "ask.h"

/* The map for which a program is taken into use. */
struct lw_policy_map {
	const char *label;	/* as in the kernel log */
	dev_t number;		/* 0 if unknown */
	const char *name;	/* "" if unknown */
};

/* use.c */
struct lw_policy_use *lw_policy_get(const struct lw_policy_map *map, const char *pin);
void lw_policy_put(struct lw_policy_use *use);
void lw_policy_log(const char *label, const struct lw_policy_use *use, const char *what);
ssize_t lw_policy_show(const struct lw_policy_use *use, char *page);
bool lw_policy_slow(const struct lw_policy_use *use);
void lw_policy_log_slow(const char *label, const struct lw_policy_use *use);
void lw_policy_exit(void);

/* choose.c */
unsigned int lw_policy_choose(struct lw_selector *sel, u32 op_bit, s32 longer_q4,
			      const u32 *ticks, size_t nr_bytes, unsigned int own);

#endif
