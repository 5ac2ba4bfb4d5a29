// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's own selectors: drivers/md/dm-ps-*.c as Debian 13 has them, unchanged, in the
 * simulated kernel that runs the module.
 */
#include <cstdio>

#include "group_selector.h"
#include "peers.h"
#include "world.h"

extern "C" {
int dm_ps_round_robin_init();
int dm_ps_queue_length_init();
int dm_ps_service_time_init();
int dm_ps_historical_service_time_init();
int dm_ps_io_affinity_init();
}

namespace {

/* The CPUs of each path, as hexadecimal words: CPU n has path n modulo their number. */
std::vector<std::string> masks(int paths)
{
	std::vector<std::string> found;

	for (int path = 0; path < paths; path++) {
		std::string mask;

		for (unsigned int low = 0; low < world_cpus; low += 32) {
			unsigned int word = 0;
			char text[16];

			for (unsigned int cpu = low; cpu < world_cpus && cpu < low + 32; cpu++)
				word |= static_cast<unsigned int>(cpu % paths == unsigned(path)) << (cpu - low);
			snprintf(text, sizeof(text), low ? "%08x," : "%08x", word);
			mask.insert(0, text);
		}
		found.push_back(mask);
	}
	return found;
}

void register_all()
{
	static bool done;

	if (done)
		return;
	done = true;
	dm_ps_round_robin_init();
	dm_ps_queue_length_init();
	dm_ps_service_time_init();
	dm_ps_historical_service_time_init();
	dm_ps_io_affinity_init();
}

} /* namespace */

std::unique_ptr<Selector> make_kernel_peer(const std::string &name, int paths)
{
	Words of_paths(masks(paths));
	dm_table table = {};

	table.type = name.c_str();
	table.paths = paths;
	table.words = name == "io-affinity" ? of_paths.argv() : nullptr;
	register_all();
	return std::make_unique<GroupSelector>(load_group(table));
}
