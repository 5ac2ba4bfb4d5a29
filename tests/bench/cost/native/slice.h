/* SPDX-License-Identifier: GPL-2.0 */
/* All threads use one map for a short time. */
#ifndef COST_SLICE_H
#define COST_SLICE_H

#include "native.h"

#define MAX_THREADS	64

/* One thread for each CPU of the machine; this one is CPU 0. They wait for slices. */
void slice_threads_begin(unsigned int threads);
void slice_threads_end(void);

struct slice {
	u64 ns;			/* that it took */
	u64 ios;		/* all threads' */
	bool disturbed;		/* one of them lost its CPU meanwhile */
};

struct slice slice_run(struct native_map *map, u64 ns);

#endif
