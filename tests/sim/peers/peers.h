/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The selectors that ours is compared with. Each file opens with where its
 * behaviour comes from and what is left out. Left out everywhere: locks and
 * what they cost, and paths that come and go with the table.
 */
#ifndef SIM_PEERS_H
#define SIM_PEERS_H

#include <memory>

#include "options.h"
#include "selector.h"

std::unique_ptr<Selector> make_round_robin(int paths, OptionReader &options);
std::unique_ptr<Selector> make_queue_length(int paths, OptionReader &options);
std::unique_ptr<Selector> make_service_time(int paths, OptionReader &options);
std::unique_ptr<Selector> make_historical_service_time(int paths, OptionReader &options);
std::unique_ptr<Selector> make_io_affinity(int paths, OptionReader &options);
std::unique_ptr<Selector> make_nvme_queue_depth(int paths, OptionReader &options);
std::unique_ptr<Selector> make_nvme_latency(int paths, OptionReader &options);
std::unique_ptr<Selector> make_simple(int paths, OptionReader &options);

#endif
