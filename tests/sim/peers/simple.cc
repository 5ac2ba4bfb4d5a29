// SPDX-License-Identifier: GPL-2.0
/*
 * The simplest selector by latency that can be taken seriously, as a measure of what
 * the rest of the module pays for: least (n + u) * L, with u the work of the I/O, four
 * and its blocks of 4k, n the work in flight, and L the moving average of the latency of
 * the path and size class. A path that is idle is probed at the module's periods
 * (lw_probe_period_ms() in src/model/math.h).
 *
 * Left out, against the module: knee, base latency, windows, CPUs and nodes, the
 * tolerance, stalls, full paths.
 */
#include <algorithm>
#include <deque>
#include <vector>

#include "peers.h"
#include "world.h"

namespace {

constexpr uint64_t ms = 1000000;
constexpr uint64_t probe_min_ns = 100 * ms, probe_max_ns = 5000 * ms;
constexpr uint64_t unknown_ns = 1ULL << 40;	/* longer than any latency */
constexpr unsigned int classes = 8;	/* 0, up to 32k, 64k, ... 1M, more */

unsigned int class_of(size_t bytes)
{
	unsigned int c = bytes ? 1 : 0;

	for (size_t limit = 32 << 10; bytes > limit && c + 1 < classes; limit *= 2)
		c++;
	return c;
}

uint64_t work_of(size_t bytes) { return (bytes >> 12) + 4; }

struct Class {
	uint64_t latency_ns = 0;	/* 0: nothing known of the path */
	bool measured = false;		/* not just taken from another class */
	uint64_t seen_ns = 0;		/* last sample or probe */
	std::deque<uint64_t> started;	/* of I/Os in flight */
};

struct Path {
	uint64_t work = 0, in_flight = 0;
	bool failed = false;
	Class cls[classes];
};

class Simple final : public Selector {
public:
	Simple(int paths, unsigned int shift) : path_(paths), shift_(shift) { }

	int select(size_t bytes) override
	{
		unsigned int c = class_of(bytes);
		int n = path_.size(), best = -1;
		uint64_t least = UINT64_MAX;

		turn_ = turn_ + 1 < n ? turn_ + 1 : 0;
		for (int i = turn_, left = n; left; left--, i = i + 1 < n ? i + 1 : 0) {
			Path &p = path_[i];

			if (p.failed)
				continue;
			if (wants_probe(p, p.cls[c])) {
				p.cls[c].seen_ns = world_now_ns;
				return i;
			}
			/* Avoided until its probe tells; if all are unknown, the least work. */
			uint64_t latency = p.cls[c].latency_ns ? p.cls[c].latency_ns : unknown_ns;
			uint64_t cost = (p.work + work_of(bytes)) * latency;

			if (cost < least) {
				least = cost;
				best = i;
			}
		}
		return best;
	}

	void start(int path, size_t bytes) override
	{
		path_[path].work += work_of(bytes);
		path_[path].in_flight++;
		in_flight_++;
		path_[path].cls[class_of(bytes)].started.push_back(world_now_ns);
	}

	void end(int path, size_t bytes, uint64_t start_ns) override
	{
		Path &p = path_[path];
		unsigned int c = class_of(bytes);
		auto &started = p.cls[c].started;

		p.work -= work_of(bytes);
		p.in_flight--;
		in_flight_--;
		/* Never issued: taken back in the moment in which it was started. */
		if (!start_ns && started.back() == world_now_ns) {
			started.pop_back();
			return;
		}
		/* Without stamp the oldest is as good as any: the mean is the same. */
		uint64_t begin = start_ns ? start_ns : started.front();

		started.pop_front();
		if (!p.failed)
			sample(p, c, world_now_ns - begin);
	}

	void fail(int path) override { path_[path].failed = true; }

	void reinstate(int path) override
	{
		Path &p = path_[path];

		p.failed = false;
		for (Class &cls : p.cls) {
			cls.latency_ns = 0;
			cls.measured = false;
			cls.seen_ns = 0;
		}
	}

private:
	/* Once in clamp(64 L / I/Os in flight, 100 ms, 5 s), if nothing is in flight there. */
	bool wants_probe(const Path &p, const Class &cls) const
	{
		uint64_t rest = world_now_ns - cls.seen_ns;

		if (p.in_flight || rest < probe_min_ns)
			return false;
		return rest >= probe_max_ns ||
		       rest * std::max<uint64_t>(in_flight_, 1) >= cls.latency_ns * 64;
	}

	void sample(Path &p, unsigned int c, uint64_t latency)
	{
		Class &own = p.cls[c];

		if (!own.measured)
			own.latency_ns = std::max<uint64_t>(latency, 1);
		else
			own.latency_ns += (latency >> shift_) - (own.latency_ns >> shift_);
		own.measured = true;
		own.seen_ns = world_now_ns;
		for (Class &other : p.cls)
			if (!other.measured)
				other.latency_ns = own.latency_ns;
	}

	std::vector<Path> path_;
	unsigned int shift_;
	uint64_t in_flight_ = 0;
	int turn_ = -1;
};

} /* namespace */

std::unique_ptr<Selector> make_simple(int paths, OptionReader &options)
{
	return std::make_unique<Simple>(paths, options.number("ewma_shift", 5, 0, 8));
}
