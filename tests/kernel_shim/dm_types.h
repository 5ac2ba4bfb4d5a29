/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_DM_TYPES_H
#define SHIM_DM_TYPES_H

#include "dm-path-selector.h"

#define MODULE_TYPE	"latency-weighted"

/* The selector that was registered with this name; NULL if there is none. */
struct path_selector_type *dm_type(const char *name);

#endif
