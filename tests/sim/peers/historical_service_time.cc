// SPDX-License-Identifier: GPL-2.0
/*
 * historical-service-time, as in Linux 6.1 and 6.12,
 * drivers/md/dm-ps-historical-service-time.c: the least (I/Os in flight + 1) times
 * the moving average of service times. Service time is what is left of an I/O's
 * time after the one before it had ended. A path that has not ended an I/O for as
 * many averages as there are paths is stale: if idle it is tried, if in use it gets
 * no more than the others.
 *
 * start_ns is the time of submission for bio-based maps and the stamp of the
 * request for others. Where that is 0 for lack of stamps, the kernel computes with
 * the 0, and so does this: gaps between completions become samples.
 *
 * Left out: sched_clock() and jiffies as clocks, which 5.10 mixes with ktime; caps
 * against overflow of averages beyond 208 days.
 */
#include "hst_average.h"
#include "path_list.h"
#include "peers.h"
#include "world.h"

namespace {

constexpr uint64_t usual_base = 972;	/* 0.95 */
/* So many in flight could overflow the product with the longest average. */
constexpr int64_t many_in_flight = HST_ONE;

struct Path {
	uint64_t average = HST_ONE;	/* of service times, in fixed point: 1 ns */
	int64_t in_flight = 0;
	int64_t stale_after = 0;
	uint64_t last_finish = 0;
};

class HistoricalServiceTime final : public Selector {
public:
	HistoricalServiceTime(int paths, uint64_t base, uint64_t threshold)
		: list_(paths), path_(paths), threshold_(threshold)
	{
		hst_average_init(&averaging_, base);
	}

	int select(size_t) override
	{
		auto best = list_.begin();

		for (auto it = best; it != list_.end(); ++it)
			if (it != best && compare(path_[*it], path_[*best], world_now_ns) < 0)
				best = it;
		return list_.choose(best);
	}

	void start(int path, size_t) override { path_[path].in_flight++; }

	void end(int path, size_t, uint64_t start_ns) override
	{
		Path &p = path_[path];
		uint64_t begin = std::max(start_ns, p.last_finish);

		p.in_flight--;
		p.last_finish = world_now_ns;
		p.average = hst_average_next(&averaging_, p.average,
					     world_now_ns > begin ? world_now_ns - begin : 0);
		p.stale_after = world_now_ns + list_.size() * (p.average >> HST_SHIFT);
	}

	void fail(int path) override { list_.remove(path); }
	void reinstate(int path) override { list_.add_last(path); }

private:
	/* Below 0: a is better; above 0: b is; 0: whichever comes first. */
	int64_t compare(const Path &a, const Path &b, int64_t now) const
	{
		uint64_t longer = std::max(a.average, b.average);
		uint64_t shorter = std::min(a.average, b.average);
		bool a_idle = !a.in_flight, b_idle = !b.in_flight;

		if (longer <= threshold_ * shorter)
			return a.in_flight - b.in_flight;
		/* Among idle paths the one that ended its last I/O first. */
		if ((a_idle && a.stale_after < now) || (b_idle && b.stale_after < now) ||
		    (a_idle && b_idle))
			return b_idle * a.stale_after - a_idle * b.stale_after;

		bool b_better = is_longer(a, b);

		if ((b_better ? b : a).stale_after < now)
			return a.in_flight - b.in_flight;
		return b_better ? 1 : -1;
	}

	/* Is an I/O expected to take longer on a than on b? */
	static bool is_longer(const Path &a, const Path &b)
	{
		unsigned int shift = 0;

		if (a.in_flight == b.in_flight)
			return a.average > b.average;
		if (a.in_flight >= many_in_flight || b.in_flight >= many_in_flight)
			shift = HST_SHIFT;
		return (1 + a.in_flight) * (a.average >> shift) >
		       (1 + b.in_flight) * (b.average >> shift);
	}

	PathList list_;
	std::vector<Path> path_;
	hst_average averaging_;
	uint64_t threshold_;
};

} /* namespace */

std::unique_ptr<Selector> make_historical_service_time(int paths, OptionReader &options)
{
	uint64_t base = options.number("base_weight", usual_base, 0, HST_ONE - 1);
	uint64_t threshold = options.number("threshold_multiplier", 0, 0, 1000);

	return std::make_unique<HistoricalServiceTime>(paths, base, threshold);
}
