/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_HASHTABLE_H
#define SIM_LINUX_HASHTABLE_H

#include <linux/kernel.h>
#include <linux/list.h>

#define DECLARE_HASHTABLE(name, bits)	struct hlist_head name[1 << (bits)]
#define DEFINE_HASHTABLE(name, bits)	DECLARE_HASHTABLE(name, bits) = {}

#define HASH_SIZE(table)	ARRAY_SIZE(table)

/* The keys here are small numbers that follow each other: none better. */
#define __hash_bucket(table, key)	(&(table)[(u64)(key) % HASH_SIZE(table)])

#define hash_init(table)	memset(table, 0, sizeof(table))
#define hash_add(table, node, key)					\
	hlist_add_head(node, __hash_bucket(table, key))
#define hash_del(node)		hlist_del_init(node)
#define hash_hashed(node)	(!hlist_unhashed(node))
#define hash_for_each_possible(table, pos, member, key)			\
	hlist_for_each_entry(pos, __hash_bucket(table, key), member)
#define hash_for_each(table, bucket, pos, member)			\
	for ((bucket) = 0; (bucket) < HASH_SIZE(table); (bucket)++)	\
		hlist_for_each_entry(pos, &(table)[bucket], member)

#endif
