// SPDX-License-Identifier: GPL-2.0
/* Memory; native/ has one that counts. */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <stdlib.h>

/* What nobody wrote is not zero by chance. */
#define GARBAGE	0xa5

void *kmalloc(size_t size, gfp_t gfp)
{
	void *p;

	if (gfp & __GFP_MAY_SLEEP)
		might_sleep();
	if (!kernel_has_memory() || posix_memalign(&p, 64, size))
		return NULL;
	return memset(p, gfp & __GFP_ZERO ? 0 : GARBAGE, size);
}

void *kmalloc_array(size_t n, size_t size, gfp_t gfp)
{
	size_t bytes;

	return __builtin_mul_overflow(n, size, &bytes) ? NULL : kmalloc(bytes, gfp);
}

void kfree(const void *p)
{
	free((void *)p);
}
