// SPDX-License-Identifier: GPL-2.0
/*
 * The queue-depth policy of NVMe's native multipath, as in Linux 6.12,
 * drivers/nvme/host/multipath.c (new in 6.11): the path with the fewest I/Os in
 * flight; of several, the first. The order of the paths never changes, so at low
 * load the first takes all.
 *
 * Left out: ANA states (all paths are optimized), and that a controller counts the
 * I/Os of all its namespaces (here it has one).
 */
#include <vector>

#include "peers.h"

namespace {

class NvmeQueueDepth final : public Selector {
public:
	explicit NvmeQueueDepth(int paths) : path_(paths) { }

	int select(size_t) override
	{
		int best = -1;

		for (int i = 0; i < static_cast<int>(path_.size()); i++)
			if (!path_[i].failed &&
			    (best < 0 || path_[i].in_flight < path_[best].in_flight))
				best = i;
		return best;
	}

	void start(int path, size_t) override { path_[path].in_flight++; }
	void end(int path, size_t, uint64_t) override { path_[path].in_flight--; }
	void fail(int path) override { path_[path].failed = true; }
	void reinstate(int path) override { path_[path].failed = false; }

private:
	struct Path {
		unsigned int in_flight = 0;
		bool failed = false;
	};

	std::vector<Path> path_;
};

} /* namespace */

std::unique_ptr<Selector> make_nvme_queue_depth(int paths, OptionReader &)
{
	return std::make_unique<NvmeQueueDepth>(paths);
}
