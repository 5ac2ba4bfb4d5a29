/* SPDX-License-Identifier: GPL-2.0 */
/* I/O to maps: one thread that is all CPUs in turn. */
#ifndef SCALE_LOAD_H
#define SCALE_LOAD_H

#include "native.h"

#define BYTES		4096
#define WINDOW_NS	(20 * 1000000ULL)

/* An I/O in flight. */
struct io {
	struct dm_path *path;	/* NULL: none */
	u64 started_ns;
	unsigned int ends_on;
	u32 bytes;
};

struct loaded_map {
	struct native_map map;
	struct io io;		/* of the steady load */
	bool busy;
};

/*
 * Where I/Os begin and end, of how many sizes: made once, so that it costs the same whoever is
 * measured.
 */
void load_prepare(unsigned int sizes);

/* A steady load for a window, of so many I/Os a map, evenly, next to none at a time. */
u64 load_window(struct loaded_map *maps, unsigned int nr, unsigned int ios);
/* All that is in flight ends. */
void load_finish(struct loaded_map *maps, unsigned int nr);

/* A deep load on one map: the median of batches, in picoseconds of an I/O. */
u64 load_deep(struct loaded_map *map, unsigned int batches);

/* Sorts them. */
u64 load_median(u64 *values, unsigned int nr);

/* An I/O on each path by each CPU. */
void load_touch(struct loaded_map *map);

#endif
