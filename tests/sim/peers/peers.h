/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The selectors that ours is compared with: the kernel's own code, and NVMe's policies written
 * anew, whose files open with where the behaviour comes from and what is left out. Locks cost
 * nothing here, and paths do not come and go with the table.
 */
#ifndef SIM_PEERS_H
#define SIM_PEERS_H

#include <memory>

#include "options.h"
#include "selector.h"

/* One that dm-mpath knows by this name; without arguments, as multipathd loads it. */
std::unique_ptr<Selector> make_kernel_peer(const std::string &name, int paths);
std::unique_ptr<Selector> make_nvme_queue_depth(int paths, OptionReader &options);
std::unique_ptr<Selector> make_nvme_latency(int paths, OptionReader &options);
std::unique_ptr<Selector> make_simple(int paths, OptionReader &options);

#endif
