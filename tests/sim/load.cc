// SPDX-License-Identifier: GPL-2.0
#include "load.h"

#include <algorithm>

#include "engine.h"
#include "random.h"
#include "world.h"

namespace {

enum stream { stream_sizes = 1, stream_arrivals };

class Sizes {
public:
	explicit Sizes(const Config &config)
		: sizes_(config.sizes), random_(config.seed, stream_sizes)
	{
		for (const auto &size : sizes_)
			total_ += size.second;
	}

	uint32_t next()
	{
		double at = random_.uniform() * total_;

		for (const auto &size : sizes_) {
			at -= size.second;
			if (at < 0)
				return size.first;
		}
		return sizes_.back().first;
	}

private:
	std::vector<std::pair<uint32_t, double>> sizes_;
	Random random_;
	double total_ = 0;
};

/* Each job keeps its depth in flight. */
class ClosedLoad : public Submitter {
public:
	ClosedLoad(const Config &config, Mpath &mpath)
		: mpath_(mpath), sizes_(config), period_ns_(config.period_ms * 1e6),
		  busy_ns_((config.period_ms - config.pause_ms) * 1e6), together_(config.together)
	{
		unsigned int total = 0;

		for (const Job &job : config.jobs)
			total += job.depth;
		ios_.resize(total);
		total = 0;
		for (const Job &job : config.jobs)
			for (unsigned int i = 0; i < job.depth; i++) {
				ios_[total].cpu = job.cpu;
				ios_[total].submitter = this;
				begin_at(world_now_ns + total * stagger_ns, &ios_[total]);
				total++;
			}
	}

	void done(Io *io) override
	{
		uint64_t at = period_ns_ ? world_now_ns % period_ns_ : 0;

		if (together_)
			done_of_all();
		else if (at < busy_ns_ || !period_ns_)
			begin(io);
		else
			begin_at(world_now_ns - at + period_ns_ + (io - ios_.data()) * stagger_ns, io);
	}

private:
	void done_of_all()
	{
		if (++done_ < ios_.size())
			return;
		done_ = 0;
		for (Io &io : ios_)
			begin_at(world_now_ns + (&io - ios_.data()) * stagger_ns, &io);
	}

	void begin(Io *io)
	{
		io->bytes = sizes_.next();
		mpath_.prepare(io);
	}

	static void begin_at(uint64_t ns, Io *io)
	{
		engine_at(ns, io->cpu, [](void *arg) {
			Io *io = static_cast<Io *>(arg);

			static_cast<ClosedLoad *>(io->submitter)->begin(io);
		}, io);
	}

	/* One after the other, as a real submitter does. */
	static constexpr uint64_t stagger_ns = 1000;

	Mpath &mpath_;
	Sizes sizes_;
	uint64_t period_ns_;	/* 0: no pauses */
	uint64_t busy_ns_;	/* of each period */
	bool together_;
	size_t done_ = 0;	/* of those that began together */
	std::vector<Io> ios_;
};

/* I/Os that come by themselves, on all CPUs: one by one, or many at once. */
class OpenLoad : public Submitter {
public:
	OpenLoad(const Config &config, Mpath &mpath)
		: config_(config), mpath_(mpath), sizes_(config),
		  arrivals_(config.seed, stream_arrivals)
	{
		arrive_later();
	}

	void done(Io *io) override { idle_.push_back(io); }

private:
	void arrive_later()
	{
		double ns = config_.load == LoadType::poisson ?
			    arrivals_.exponential(1e9 / config_.iops) :
			    config_.period_ms * 1e6;

		engine_at(world_now_ns + ns, 0, [](void *arg) {
			static_cast<OpenLoad *>(arg)->arrive();
		}, this);
	}

	void arrive()
	{
		unsigned int n = config_.load == LoadType::poisson ? 1 : config_.burst;

		for (unsigned int i = 0; i < n; i++) {
			Io *io = take();

			io->cpu = config_.load == LoadType::poisson ?
				  arrivals_.next() % config_.cpus : i % config_.cpus;
			io->bytes = sizes_.next();
			mpath_.prepare(io);
		}
		arrive_later();
	}

	Io *take()
	{
		if (idle_.empty()) {
			all_.push_back(std::make_unique<Io>());
			all_.back()->submitter = this;
			return all_.back().get();
		}
		Io *io = idle_.back();

		idle_.pop_back();
		return io;
	}

	const Config &config_;
	Mpath &mpath_;
	Sizes sizes_;
	Random arrivals_;
	std::vector<std::unique_ptr<Io>> all_;
	std::vector<Io *> idle_;
};

} /* namespace */

std::unique_ptr<Submitter> make_load(const Config &config, Mpath &mpath)
{
	if (config.load == LoadType::closed)
		return std::make_unique<ClosedLoad>(config, mpath);
	return std::make_unique<OpenLoad>(config, mpath);
}
