// SPDX-License-Identifier: GPL-2.0
/*
 * io-affinity, as in Linux 6.12, drivers/md/dm-ps-io-affinity.c: each CPU has a path,
 * which takes its I/O while it is not failed. Else it is the path of the first CPU of
 * the same node whose path works, else of the first CPU at all. Load and latency do not
 * matter. The table line gives each path a mask of CPUs; here CPU n has path n modulo
 * their number, as somebody without knowledge would write it. A path that gets no CPU
 * is never used; the kernel would refuse its table.
 *
 * Left out: other masks.
 */
#include <vector>

#include "peers.h"
#include "world.h"

namespace {

class IoAffinity final : public Selector {
public:
	explicit IoAffinity(int paths) : failed_(paths) { }

	int select(size_t) override
	{
		unsigned int node = world_node_of(world_cpu);

		if (works(world_cpu))
			return path_of(world_cpu);
		for (unsigned int cpu = 0; cpu < world_cpus; cpu++)
			if (world_node_of(cpu) == node && works(cpu))
				return path_of(cpu);
		for (unsigned int cpu = 0; cpu < world_cpus; cpu++)
			if (works(cpu))
				return path_of(cpu);
		return -1;
	}

	void start(int, size_t) override { }
	void end(int, size_t, uint64_t) override { }
	void fail(int path) override { failed_[path] = true; }
	void reinstate(int path) override { failed_[path] = false; }

private:
	int path_of(unsigned int cpu) const { return cpu % failed_.size(); }
	bool works(unsigned int cpu) const { return !failed_[path_of(cpu)]; }

	std::vector<bool> failed_;
};

} /* namespace */

std::unique_ptr<Selector> make_io_affinity(int paths, OptionReader &)
{
	return std::make_unique<IoAffinity>(paths);
}
