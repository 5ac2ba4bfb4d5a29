/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_STRING_H
#define SHIM_LINUX_STRING_H

#include <linux/types.h>
#include <string.h>

ssize_t strscpy(char *to, const char *from, size_t size);
char *strim(char *s);
char *kstrdup(const char *s, gfp_t gfp);

static inline size_t str_has_prefix(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(text, prefix, length) ? 0 : length;
}

/* Where the string is in the array, but for a newline at its end; -EINVAL. */
int __sysfs_match_string(const char *const *array, size_t n, const char *s);

#endif
