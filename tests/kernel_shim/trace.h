/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_TRACE_H
#define SIM_TRACE_H

#include <stdio.h>

struct dm_path;

/* A line: what the module knows of a path. */
void trace_path(FILE *out, struct dm_path *path, unsigned int index);

#endif
