// SPDX-License-Identifier: GPL-2.0
#include "load.h"

#include <algorithm>

#include "engine.h"
#include "random.h"
#include "world.h"

namespace {

enum { stream_sizes = 1, stream_arrivals, stream_writes, streams = 8 };

/* A flow on a map. The first one has the streams of chance that it had when it was alone. */
struct Source {
	const Config &config;
	const Flow &flow;
	unsigned int index;	/* of the flow */
	unsigned int map;

	uint64_t stream(unsigned int which) const
	{
		unsigned int at = index + map * config.flows.size();

		return at ? 300000 + at * streams + which : which;
	}
};

/* What the next I/O is. */
class Mix {
public:
	explicit Mix(const Source &source)
		: flow_(source.flow), index_(source.index),
		  sizes_(source.config.seed, source.stream(stream_sizes)),
		  writes_(source.config.seed, source.stream(stream_writes))
	{
		use(flow_.sizes, flow_.writes);
	}

	void enter(const PhaseConfig &phase)
	{
		use(phase.sizes.empty() ? flow_.sizes : phase.sizes,
		    phase.writes < 0 ? flow_.writes : phase.writes);
	}

	void next(Io *io)
	{
		io->flow = index_;
		io->bytes = size();
		io->write = part_ && writes_.uniform() < part_;
	}

private:
	void use(const Sizes &mix, double writes)
	{
		mix_ = &mix;
		part_ = writes;
		total_ = 0;
		for (const auto &size : mix)
			total_ += size.second;
	}

	uint32_t size()
	{
		double at = sizes_.uniform() * total_;

		for (const auto &size : *mix_) {
			at -= size.second;
			if (at < 0)
				return size.first;
		}
		return mix_->back().first;
	}

	const Flow &flow_;
	const Sizes *mix_;	/* of now */
	double part_;		/* of writes */
	unsigned int index_;
	Random sizes_;
	Random writes_;
	double total_ = 0;
};

/* Each job keeps its depth in flight. */
class ClosedLoad : public Submitter {
public:
	ClosedLoad(const Source &source, Mpath &mpath)
		: mpath_(mpath), mix_(source), phases_(source.flow.load.phases),
		  together_(source.flow.load.together)
	{
		unsigned int total = 0;

		rest(source.flow.load.period_ms, source.flow.load.pause_ms);
		for (const Job &job : source.flow.jobs)
			total += most(job);
		ios_.resize(total);
		for (const Job &job : source.flow.jobs)
			for (unsigned int i = 0; i < most(job); i++) {
				Io *io = &ios_[places_.size()];

				io->cpu = (job.cpu + source.map) % source.config.cpus;
				io->submitter = this;
				places_.push_back({ i, job.depth, true });
			}
		enter();
	}

	void done(Io *io) override
	{
		uint64_t at = period_ns_ ? world_now_ns % period_ns_ : 0;

		if (!wanted(index(io)))
			places_[index(io)].idle = true;
		else if (together_)
			done_of_all();
		else if (at < busy_ns_ || !period_ns_)
			begin(io);
		else
			begin_at(world_now_ns - at + period_ns_ + index(io) * stagger_ns, io);
	}

private:
	/* Of an I/O: which one of its job, whose depth is so much, unless the phase has another. */
	struct Place {
		unsigned int number;
		unsigned int depth;
		bool idle;
	};

	/* How many I/Os of the job there are at once, in any phase. */
	unsigned int most(const Job &job) const
	{
		unsigned int found = phases_.empty() ? job.depth : 0;

		for (const PhaseConfig &phase : phases_)
			found = std::max(found, phase.depth ? phase.depth : job.depth);
		return found;
	}

	size_t index(const Io *io) const { return io - ios_.data(); }

	bool wanted(size_t index) const
	{
		unsigned int depth = phases_.empty() ? 0 : phases_[phase_].depth;

		return places_[index].number < (depth ? depth : places_[index].depth);
	}

	void rest(double period_ms, double pause_ms)
	{
		period_ns_ = period_ms * 1e6;
		busy_ns_ = (period_ms - pause_ms) * 1e6;
	}

	/* The phase begins, or the whole load. */
	void enter()
	{
		if (!phases_.empty()) {
			const PhaseConfig &phase = phases_[phase_];

			mix_.enter(phase);
			rest(phase.period_ms, phase.pause_ms);
			if (phase_ + 1 < phases_.size())
				engine_at(world_now_ns + phase.ms * 1e6, 0, [](void *arg) {
					ClosedLoad *load = static_cast<ClosedLoad *>(arg);

					load->phase_++;
					load->enter();
				}, this);
		}
		for (size_t i = 0; i < ios_.size(); i++)
			if (places_[i].idle && wanted(i)) {
				places_[i].idle = false;
				begin_at(world_now_ns + i * stagger_ns, &ios_[i]);
			}
	}

	void done_of_all()
	{
		if (++done_ < ios_.size())
			return;
		done_ = 0;
		for (Io &io : ios_)
			begin_at(world_now_ns + index(&io) * stagger_ns, &io);
	}

	void begin(Io *io)
	{
		if (!wanted(index(io))) {
			places_[index(io)].idle = true;
			return;
		}
		mix_.next(io);
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
	Mix mix_;
	const std::vector<PhaseConfig> &phases_;
	size_t phase_ = 0;
	uint64_t period_ns_;	/* 0: no pauses */
	uint64_t busy_ns_;	/* of each period */
	bool together_;
	size_t done_ = 0;	/* of those that began together */
	std::vector<Io> ios_;
	std::vector<Place> places_;	/* of each of them */
};

/* I/Os that come by themselves, on all CPUs: one by one, or many at once. */
class OpenLoad : public Submitter {
public:
	OpenLoad(const Source &source, Mpath &mpath)
		: load_(source.flow.load), cpus_(source.config.cpus), mpath_(mpath), mix_(source),
		  arrivals_(source.config.seed, source.stream(stream_arrivals))
	{
		arrive_later();
	}

	void done(Io *io) override { idle_.push_back(io); }

private:
	double gap_ns()
	{
		if (load_.type == LoadType::poisson)
			return arrivals_.exponential(1e9 / load_.iops);
		return load_.random ? arrivals_.exponential(load_.period_ms * 1e6) :
				      load_.period_ms * 1e6;
	}

	void arrive_later()
	{
		double ns = gap_ns();

		engine_at(world_now_ns + ns, 0, [](void *arg) {
			static_cast<OpenLoad *>(arg)->arrive();
		}, this);
	}

	void arrive()
	{
		unsigned int n = load_.type == LoadType::poisson ? 1 : load_.burst;

		for (unsigned int i = 0; i < n; i++) {
			Io *io = take();

			io->cpu = load_.type == LoadType::poisson ? arrivals_.next() % cpus_ :
								    i % cpus_;
			mix_.next(io);
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

	const LoadConfig &load_;
	unsigned int cpus_;
	Mpath &mpath_;
	Mix mix_;
	Random arrivals_;
	std::vector<std::unique_ptr<Io>> all_;
	std::vector<Io *> idle_;
};

} /* namespace */

void add_loads(const Config &config, Mpath &mpath, std::vector<std::unique_ptr<Submitter>> &loads)
{
	for (unsigned int i = 0; i < config.flows.size(); i++) {
		Source source = { config, config.flows[i], i, mpath.index() };

		if (source.flow.map >= 0 && source.flow.map != static_cast<int>(mpath.index()))
			continue;
		if (source.flow.load.type == LoadType::closed)
			loads.push_back(std::make_unique<ClosedLoad>(source, mpath));
		else
			loads.push_back(std::make_unique<OpenLoad>(source, mpath));
	}
}
