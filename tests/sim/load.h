/* SPDX-License-Identifier: GPL-2.0 */
/* Who does the I/O. */
#ifndef SIM_LOAD_H
#define SIM_LOAD_H

#include <memory>

#include "mpath.h"

/* Begins at once and goes on for ever. */
std::unique_ptr<Submitter> make_load(const Config &config, Mpath &mpath);

#endif
