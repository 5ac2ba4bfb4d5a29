// SPDX-License-Identifier: GPL-2.0
/*
 * round-robin, as in Linux 6.1 and 6.12, drivers/md/dm-ps-round-robin.c: one list
 * for all CPUs, the first path takes the I/O and goes to the tail. repeat_count is
 * always 1 there. A path that is reinstated goes to the head, unlike in the other
 * selectors.
 *
 * Left out: nothing that decides. (Kernels 4.6 to 4.10 had a current path per CPU.)
 */
#include "path_list.h"
#include "peers.h"

namespace {

class RoundRobin final : public Selector {
public:
	explicit RoundRobin(int paths) : list_(paths) { }

	int select(size_t) override { return list_.choose(list_.begin()); }
	void start(int, size_t) override { }
	void end(int, size_t, uint64_t) override { }
	void fail(int path) override { list_.remove(path); }
	void reinstate(int path) override { list_.add_first(path); }

private:
	PathList list_;
};

} /* namespace */

std::unique_ptr<Selector> make_round_robin(int paths, OptionReader &)
{
	return std::make_unique<RoundRobin>(paths);
}
