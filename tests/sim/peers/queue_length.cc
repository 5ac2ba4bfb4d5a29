// SPDX-License-Identifier: GPL-2.0
/*
 * queue-length, as in Linux 6.1 and 6.12, drivers/md/dm-ps-queue-length.c: the
 * path with the fewest I/Os in flight; of several, the first in the list, so the
 * one that was not chosen for longest. The walk ends at the first idle path, which
 * changes nothing but its cost. repeat_count is always 1 there.
 *
 * Left out: nothing that decides.
 */
#include "path_list.h"
#include "peers.h"

namespace {

class QueueLength final : public Selector {
public:
	explicit QueueLength(int paths) : list_(paths), in_flight_(paths) { }

	int select(size_t) override
	{
		return list_.choose(std::min_element(list_.begin(), list_.end(), [this](int a, int b) {
			return in_flight_[a] < in_flight_[b];
		}));
	}

	void start(int path, size_t) override { in_flight_[path]++; }
	void end(int path, size_t, uint64_t) override { in_flight_[path]--; }
	void fail(int path) override { list_.remove(path); }
	void reinstate(int path) override { list_.add_last(path); }

private:
	PathList list_;
	std::vector<unsigned int> in_flight_;
};

} /* namespace */

std::unique_ptr<Selector> make_queue_length(int paths, OptionReader &)
{
	return std::make_unique<QueueLength>(paths);
}
