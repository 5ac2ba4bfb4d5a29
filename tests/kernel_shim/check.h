/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of the simulated kernel assert by, in C and in C++. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

/* Ends at once: destructors and exit handlers would meet a world in disorder. */
#define CHECK(condition)						\
	do {								\
		if (!(condition)) {					\
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, \
				__LINE__, #condition);			\
			_Exit(1);					\
		}							\
	} while (0)

#endif
