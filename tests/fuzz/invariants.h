/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What must hold of the module, whatever happens to it. Whoever drives it tells each step;
 * the first thing that is not so ends the program with its line.
 */
#ifndef FUZZ_INVARIANTS_H
#define FUZZ_INVARIANTS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dm_group;

/* Before the first I/O. @worn: its counts are near 2^64, as after ages of use. */
void invariants_begin(struct dm_group *group, bool worn);

/* After each step; @path as select returned it, that is -1 for none. */
void invariants_selected(size_t bytes, int path);
void invariants_started(int path, size_t bytes);
void invariants_ended(int path, size_t bytes);
void invariants_failed(int path, bool failed);
void invariants_window(void);

/* All I/O is done. */
void invariants_end(void);

#ifdef __cplusplus
}
#endif

#endif
