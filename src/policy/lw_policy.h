/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The input and the answer of a BPF policy. A policy is a program of type "raw
 * tracepoint, writable" that root attaches to a map; it runs once for each I/O that the module
 * would place by its own estimates. See docs/policies.md.
 *
 * A field is never moved or given another meaning; new ones take the room that is reserved.
 */
#ifndef LW_POLICY_H
#define LW_POLICY_H

#include <linux/types.h>

#define LW_POLICY_VERSION	1	/* raised with each new field */
#define LW_POLICY_PATHS		16	/* a group with more paths keeps the module's choice */
#define LW_POLICY_VERSIONS	32	/* versions for which struct lw_policy has marks */

/* Operation of the I/O. LW_POLICY_DATA where reads and writes are not told apart (by_operation). */
enum lw_policy_op {
	LW_POLICY_DATA,
	LW_POLICY_READ,
	LW_POLICY_WRITE,
	LW_POLICY_OTHER,	/* flush, discard, ioctl */
};

/* May the path be chosen? The module refuses a path that is worse than its own choice. */
enum lw_policy_state {
	LW_POLICY_USABLE,
	LW_POLICY_SUSPECTED,	/* suddenly so fast that it may fail its I/Os */
	LW_POLICY_FULL,		/* its queue has no room */
	LW_POLICY_UNUSABLE,	/* failed, hung, resting or not yet known */
};

/*
 * A path of the group, 48 bytes. The module compares @base_ns, and so it is the same for paths
 * that differ by less than its tolerance, and half of what is true for a preferred path.
 */
struct lw_policy_path {
	__u32 dev;		/* device number: major << 20 | minor */
	__u32 state;		/* enum lw_policy_state */
	__u32 latency_ns;	/* recent mean latency of its I/Os, 0 for unknown */
	__u32 base_ns;		/* latency without a queue, for this length; 0 for unknown */
	__u32 ios;		/* I/Os in flight */
	__u32 kib;		/* KiB in flight */
	__u32 knee;		/* I/Os of the usual length that it carries before it queues */
	__u32 reserved;
	__u64 cost;		/* the least one wins, by the module's rule */
	__u64 reserved2;
};

/*
 * An I/O and the paths to choose from, in the order of the table. A policy may write anywhere;
 * only @choice is read. Reserved fields, and entries from @nr on, have any value.
 */
struct lw_policy {
	__u32 version;		/* of the module */
	__u32 map;		/* device number of the map: major << 20 | minor */
	__u32 name;		/* lw_policy_hash() of the map's name when it was attached */
	__u32 bytes;		/* length, as the block layer split it; 0 for a flush or an ioctl */
	__u32 op;		/* enum lw_policy_op */
	__u32 cpu;		/* CPU that chooses */
	__u32 node;		/* NUMA node of that CPU */
	__u32 nr;		/* paths in path[] */
	__u64 cgroup;		/* id of the cgroup of the submitter; 0 for unknown */
	__s32 own;		/* index of the path that the module chose */
	__s32 choice;		/* index of the path that is to be used; @own at start */
	__u32 reserved[4];
	struct lw_policy_path path[LW_POLICY_PATHS];
	/*
	 * Where a program writes says which version it was compiled for: two bytes for each, of
	 * which the second is for programs that read @cost. LW_POLICY_PROGRAM() writes it. The
	 * module refuses a program that writes behind its own.
	 */
	__u8 mark[2 * LW_POLICY_VERSIONS];
};

#define LW_POLICY_NAME_LEN	128	/* of a map's name, with its end */

/* FNV-1a; the compiler makes it a constant for a literal. */
static inline __attribute__((always_inline)) __u32 lw_policy_hash(const char *name)
{
	__u32 hash = 2166136261U;
	int i;

	for (i = 0; i < LW_POLICY_NAME_LEN && name[i]; i++)
		hash = (hash ^ (__u8)name[i]) * 16777619U;
	return hash;
}

#ifndef __KERNEL__
#define LW_POLICY_SECTION(name)	__attribute__((section(name), used))

#define LW_POLICY_DEFINE(name, reads_cost)						\
	static inline __attribute__((always_inline)) void name##_choose(struct lw_policy *io); \
	LW_POLICY_SECTION("raw_tp.w/lw_policy") int name(struct lw_policy **io)		\
	{										\
		(*io)->mark[2 * (LW_POLICY_VERSION - 1) + (reads_cost)] = 1;		\
		name##_choose(*io);							\
		return 0;								\
	}										\
	static inline __attribute__((always_inline)) void name##_choose(struct lw_policy *io)

/* Begin a policy; its body gets struct lw_policy *io. The first one finds no true @cost. */
#define LW_POLICY_PROGRAM(name)		LW_POLICY_DEFINE(name, 0)
#define LW_POLICY_PROGRAM_COST(name)	LW_POLICY_DEFINE(name, 1)

#ifdef __bpf__
static __u64 (*const lw_policy_now_ns)(void) = (void *)5;	/* BPF's bpf_ktime_get_ns() */
#else
__u64 lw_policy_now_ns(void);	/* of the simulator */
#endif
#endif

#endif
