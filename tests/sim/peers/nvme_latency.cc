// SPDX-License-Identifier: GPL-2.0
/*
 * The latency policy proposed for NVMe's native multipath: version 6 of 2026-05-20
 * on linux-nvme, Message 2026-May/063121, with the author's tree (shroffni/linux,
 * drivers/nvme/host/multipath.c); "adaptive" before. In no kernel yet.
 *
 * Each CPU by itself: the mean latency of 15 s goes into a moving average of shift
 * 3, whose inverse is the path's score. A path's share of all scores, of 64 and at
 * least 1, is its weight: so many I/Os in a run go there, then it is the next one's
 * turn. A path without weight keeps all I/Os of the CPU until the first ends.
 *
 * The first sample of a path closes a window at once, since windows begin at 0 and
 * machines have been up for longer than 15 s. Latencies above 1 s are ignored. A
 * path that fails is forgotten.
 *
 * That first sample is of an idle path, and weighs 7/8 for 15 s and 2/3 for a minute:
 * a run of some seconds would show nothing else. In the policy's favour, windows are
 * short for the first settle_ms, which stands for minutes of the same load; 0 is as
 * posted.
 *
 * Left out: writes and other operations, which have statistics of their own; ANA
 * states; the moment between the end of a window and the work that makes weights of
 * it. A run without time stamps is none for this policy, which has them always.
 */
#include <algorithm>
#include <vector>

#include "peers.h"
#include "world.h"

namespace {

constexpr uint64_t second_ns = 1000000000, ns_per_ms = 1000000;
constexpr uint64_t usual_window_ms = 15000, longest_window_ms = 3600000;
constexpr uint64_t usual_settle_ms = 500, longest_settle_ms = 3600000;
constexpr uint64_t windows_to_settle = 20;	/* 7/8 to the 20th is 7 % */
constexpr uint64_t all_weight = 64;

/* What a CPU knows of a path. */
struct Stat {
	uint64_t sum_ns = 0;		/* of the window's samples */
	uint64_t samples = 0;
	uint64_t window_end_ns = 0;	/* earliest */
	uint64_t average_ns = 0;	/* 0: none yet */
	uint64_t score = 0;
	uint64_t weight = 0;
	uint64_t credit = 0;		/* I/Os left in this run */
};

class NvmeLatency final : public Selector {
public:
	NvmeLatency(int paths, uint64_t window_ns, uint64_t settle_ns, unsigned int shift)
		: paths_(paths), window_ns_(window_ns), settle_ns_(settle_ns),
		  settled_ns_(world_now_ns + settle_ns), shift_(shift),
		  stats_(world_cpus, std::vector<Stat>(paths)), current_(world_cpus),
		  failed_(paths) { }

	int select(size_t) override
	{
		std::vector<Stat> &stats = stats_[world_cpu];
		int path = usable_from(current_[world_cpu]);

		while (path >= 0 && stats[path].weight) {
			if (stats[path].credit) {
				stats[path].credit--;
				break;
			}
			stats[path].credit = stats[path].weight;
			path = usable_from(after(path));
		}
		if (path >= 0)
			current_[world_cpu] = path;
		return path;
	}

	void start(int, size_t) override { }

	void end(int path, size_t, uint64_t start_ns) override
	{
		uint64_t latency = start_ns && world_now_ns > start_ns ? world_now_ns - start_ns : 0;
		Stat &stat = stats_[world_cpu][path];

		if (!latency || latency > second_ns || failed_[path] || paths_ == 1)
			return;
		stat.sum_ns += latency;
		stat.samples++;
		if (world_now_ns >= stat.window_end_ns)
			close_window(stat);
	}

	void fail(int path) override
	{
		failed_[path] = true;
		for (unsigned int cpu = 0; cpu < stats_.size(); cpu++) {
			stats_[cpu][path] = Stat();
			if (current_[cpu] == path)
				current_[cpu] = 0;
		}
	}

	void reinstate(int path) override { failed_[path] = false; }
	bool completes_where_submitted() const override { return true; }

private:
	int after(int path) const { return path + 1 < paths_ ? path + 1 : 0; }

	/* The first path from this one on that works; -1 if there is none. */
	int usable_from(int path) const
	{
		for (int i = 0; i < paths_; i++, path = after(path))
			if (!failed_[path])
				return path;
		return -1;
	}

	void close_window(Stat &stat)
	{
		uint64_t mean = stat.sum_ns / stat.samples;

		stat.average_ns = stat.average_ns ?
			((stat.average_ns << shift_) - stat.average_ns + mean) >> shift_ : mean;
		stat.sum_ns = stat.samples = 0;
		stat.window_end_ns = world_now_ns + next_window_ns();
		weigh(stats_[world_cpu]);
	}

	uint64_t next_window_ns() const
	{
		return world_now_ns >= settled_ns_ ? window_ns_ :
		       std::min(window_ns_, settle_ns_ / windows_to_settle);
	}

	/* Paths that are not measured yet have score 0, and so the least weight. */
	static void weigh(std::vector<Stat> &stats)
	{
		uint64_t total = 0;

		for (Stat &stat : stats) {
			stat.score = stat.average_ns ? second_ns / stat.average_ns : 0;
			total += stat.score;
		}
		for (Stat &stat : stats)
			stat.weight = std::max<uint64_t>(stat.score * all_weight / total, 1);
	}

	int paths_;
	uint64_t window_ns_;
	uint64_t settle_ns_, settled_ns_;
	unsigned int shift_;
	std::vector<std::vector<Stat>> stats_;	/* by CPU and path */
	std::vector<int> current_;		/* by CPU */
	std::vector<char> failed_;
};

} /* namespace */

std::unique_ptr<Selector> make_nvme_latency(int paths, OptionReader &options)
{
	uint64_t window_ms = options.number("window_ms", usual_window_ms, 1, longest_window_ms);
	uint64_t settle_ms = options.number("settle_ms", usual_settle_ms, 0, longest_settle_ms);
	uint64_t shift = options.number("ewma_shift", 3, 0, 8);

	return std::make_unique<NvmeLatency>(paths, window_ms * ns_per_ms, settle_ms * ns_per_ms,
					     shift);
}
