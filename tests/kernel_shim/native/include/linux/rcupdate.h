/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NATIVE_LINUX_RCUPDATE_H
#define NATIVE_LINUX_RCUPDATE_H

#include_next <linux/rcupdate.h>

#undef rcu_assign_pointer
#undef kfree_rcu
#define rcu_assign_pointer(p, value)	smp_store_release(&(p), value)
/* A reader may still be there, and nobody tells when not: never freed. */
void native_forget(const void *p);
#define kfree_rcu(p, member)	native_forget(p)

#endif
