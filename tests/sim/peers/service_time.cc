// SPDX-License-Identifier: GPL-2.0
/*
 * service-time, as in Linux 6.1 and 6.12, drivers/md/dm-ps-service-time.c: the
 * path with the least (bytes in flight + bytes of this I/O) / relative_throughput.
 * A throughput of 0 is for paths that are used only if all others have failed.
 * Of paths that compare equal, the first in the list.
 *
 * multipathd cannot set relative_throughput, so it is 1 in practice; the option
 * "relative_throughput" has one number for each path, as in "1,4". Where it differs
 * the kernel cuts a difference of products to 32 bits, and so does this: above some
 * 20 MB in flight at a ratio of 100 the worse path may win.
 *
 * Left out: sums of 2 GiB in flight and more, which the kernel's 32 bits do not hold.
 */
#include "path_list.h"
#include "peers.h"

namespace {

constexpr uint64_t most_throughput = 100;

struct Path {
	uint64_t in_flight;	/* bytes */
	uint64_t throughput;
};

/* To send so many bytes: below 0 if a is better, above 0 if b is. */
int32_t compare(const Path &a, const Path &b, size_t bytes)
{
	if (a.throughput == b.throughput)
		return a.in_flight - b.in_flight;
	/* Differing in nothing else; and 0 stands for "not at all". */
	if (a.in_flight == b.in_flight || !a.throughput || !b.throughput)
		return b.throughput - a.throughput;

	uint64_t time_a = (a.in_flight + bytes) * b.throughput;
	uint64_t time_b = (b.in_flight + bytes) * a.throughput;

	return time_a != time_b ? time_a - time_b : b.throughput - a.throughput;
}

class ServiceTime final : public Selector {
public:
	ServiceTime(int paths, const std::vector<uint64_t> &throughput) : list_(paths)
	{
		for (uint64_t one : throughput)
			path_.push_back({ 0, one });
	}

	int select(size_t bytes) override
	{
		return list_.choose(std::min_element(list_.begin(), list_.end(), [&](int a, int b) {
			return compare(path_[a], path_[b], bytes) < 0;
		}));
	}

	void start(int path, size_t bytes) override { path_[path].in_flight += bytes; }
	void end(int path, size_t bytes, uint64_t) override { path_[path].in_flight -= bytes; }
	void fail(int path) override { list_.remove(path); }
	void reinstate(int path) override { list_.add_last(path); }

private:
	PathList list_;
	std::vector<Path> path_;
};

} /* namespace */

std::unique_ptr<Selector> make_service_time(int paths, OptionReader &options)
{
	return std::make_unique<ServiceTime>(paths,
		options.numbers("relative_throughput", paths, 1, 0, most_throughput));
}
