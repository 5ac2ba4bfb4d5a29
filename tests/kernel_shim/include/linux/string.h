/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_STRING_H
#define SIM_LINUX_STRING_H

#include <linux/types.h>
#include <string.h>

ssize_t strscpy(char *to, const char *from, size_t size);
char *strim(char *s);
char *kstrdup(const char *s, gfp_t gfp);

#endif
