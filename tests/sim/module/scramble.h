/* SPDX-License-Identifier: GPL-2.0 */
/* What the module has learned, replaced by chance: it has to find its way back from any state. */
#ifndef SIM_SCRAMBLE_H
#define SIM_SCRAMBLE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct path_selector;

/*
 * Of all paths of a selector: estimates become 1/30 to 30 times what they were, flags what chance
 * says. What is counted stays true.
 */
void scramble_selector(struct path_selector *ps, uint64_t seed);

#ifdef __cplusplus
}
#endif

#endif
