/* SPDX-License-Identifier: GPL-2.0 */
/* Who does the I/O. */
#ifndef SIM_LOAD_H
#define SIM_LOAD_H

#include <memory>
#include <vector>

#include "mpath.h"

/* All that the flows do on this map; begins at once and goes on for ever. */
void add_loads(const Config &config, Mpath &mpath, std::vector<std::unique_ptr<Submitter>> &loads);

#endif
