/* SPDX-License-Identifier: GPL-2.0 */
/* Static keys: here, words that are read. */
#ifndef SHIM_LINUX_JUMP_LABEL_H
#define SHIM_LINUX_JUMP_LABEL_H

struct static_key_false {
	int users;
};

#define DECLARE_STATIC_KEY_FALSE(name)	extern struct static_key_false name
#define DEFINE_STATIC_KEY_FALSE(name)	struct static_key_false name
#define static_branch_unlikely(key)	__builtin_expect(__atomic_load_n(&(key)->users, __ATOMIC_RELAXED), 0)
#define static_branch_inc(key)		((void)__atomic_add_fetch(&(key)->users, 1, __ATOMIC_RELAXED))
#define static_branch_dec(key)		((void)__atomic_sub_fetch(&(key)->users, 1, __ATOMIC_RELAXED))

#endif
