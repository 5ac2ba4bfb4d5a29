/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_SLAB_H
#define SIM_LINUX_SLAB_H

#include <linux/gfp.h>
#include <linux/string.h>

/* Aligned for any struct of the kernel, that is to a cache line. */
void *kmalloc(size_t size, gfp_t gfp);
void *kmalloc_array(size_t n, size_t size, gfp_t gfp);
void kfree(const void *p);

#define kzalloc(size, gfp)		kmalloc(size, (gfp) | __GFP_ZERO)
#define kcalloc(n, size, gfp)		kmalloc_array(n, size, (gfp) | __GFP_ZERO)
#define kmalloc_node(size, gfp, node)	kmalloc(size, gfp)
#define kzalloc_node(size, gfp, node)	kzalloc(size, gfp)
#define kcalloc_node(n, size, gfp, node)	kcalloc(n, size, gfp)
#define kvmalloc(size, gfp)		kmalloc(size, gfp)
#define kvzalloc(size, gfp)		kzalloc(size, gfp)
#define kvmalloc_array(n, size, gfp)	kmalloc_array(n, size, gfp)
#define kvcalloc(n, size, gfp)		kcalloc(n, size, gfp)
#define kvfree(p)			kfree(p)

#define struct_size(p, member, n)					\
	(sizeof(*(p)) + sizeof(*(p)->member) * (size_t)(n))

#endif
