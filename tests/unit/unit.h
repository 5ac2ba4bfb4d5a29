/* SPDX-License-Identifier: GPL-2.0 */
/* What cmocka wants to be included before it. */
#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define MS 1000000ULL		/* ns */
#define SEC (1000 * MS)

#endif
