// SPDX-License-Identifier: GPL-2.0
/* Strings. */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>

char *kstrdup(const char *s, gfp_t gfp)
{
	char *copy = kmalloc(strlen(s) + 1, gfp);

	return copy ? strcpy(copy, s) : NULL;
}

ssize_t strscpy(char *to, const char *from, size_t size)
{
	size_t length = strnlen(from, size);

	if (!size)
		return -E2BIG;
	memcpy(to, from, min(length, size - 1));
	to[min(length, size - 1)] = '\0';
	return length < size ? (ssize_t)length : -E2BIG;
}

char *strim(char *s)
{
	char *end = s + strlen(s);

	while (end > s && isspace((unsigned char)end[-1]))
		*--end = '\0';
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

int __sysfs_match_string(const char *const *array, size_t n, const char *s)
{
	size_t length = strlen(s), i;

	length -= length && s[length - 1] == '\n';
	for (i = 0; i < n && array[i]; i++)
		if (strlen(array[i]) == length && !strncmp(array[i], s, length))
			return i;
	return -EINVAL;
}

/* strtoull() alone takes more than the kernel does: blanks, a minus, a tail. */
int kstrtoull(const char *s, unsigned int base, unsigned long long *res)
{
	char *end;

	s += *s == '+';
	if (!isxdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	*res = strtoull(s, &end, base);
	if (end == s || (*end && strcmp(end, "\n")))
		return -EINVAL;
	return -errno;
}

int kstrtouint(const char *s, unsigned int base, unsigned int *res)
{
	unsigned long long wide;
	int err = kstrtoull(s, base, &wide);

	if (err)
		return err;
	if (wide > UINT_MAX)
		return -ERANGE;
	*res = wide;
	return 0;
}

int scnprintf(char *buf, size_t size, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(buf, size, format, args);
	va_end(args);
	return min_t(size_t, length, size ? size - 1 : 0);
}
