// SPDX-License-Identifier: GPL-2.0
#include "server.h"

#include <algorithm>

#include "world.h"

namespace {

/* Streams of chance: what each path always had, and what came later. */
constexpr uint64_t old_streams = 1000, old_per_path = 3;
constexpr uint64_t new_streams = 100000, shared_streams = 200000, per_server = 16;
enum { stream_spread, stream_miss, stream_rests, stream_wave, stream_service };

uint64_t stream(unsigned int index, bool shared, unsigned int which)
{
	return (shared ? shared_streams : new_streams) + index * per_server + which;
}

} /* namespace */

Rests::Rests(uint64_t seed, uint64_t stream)
	: random_(seed, stream), from_ns_(world_now_ns), to_ns_(world_now_ns)
{
}

uint64_t Rests::after(uint64_t begin_ns, const ServerConfig &config)
{
	if (!config.gc_every_ms)
		return begin_ns;
	while (begin_ns >= to_ns_) {
		double ratio = config.gc_max_ms / config.gc_min_ms;

		from_ns_ = to_ns_ + random_.exponential(config.gc_every_ms * 1e6);
		to_ns_ = from_ns_ + config.gc_min_ms * 1e6 * std::pow(ratio, random_.uniform());
	}
	return begin_ns >= from_ns_ ? to_ns_ : begin_ns;
}

Wave::Wave(uint64_t seed, uint64_t stream) : random_(seed, stream), start_ns_(world_now_ns)
{
}

/* A hundred steps up or down, of a tenth, in each period: about once from end to end. */
double Wave::walk(double periods, double first)
{
	if (level_ < 0)
		level_ = first;
	for (uint64_t steps = periods * 100; steps_ < steps; steps_++) {
		level_ += random_.next() >> 63 ? 0.1 : -0.1;
		if (level_ > 1)
			level_ = 2 - level_;
		level_ = std::abs(level_);
	}
	return level_;
}

double Wave::level(const ServerConfig &config)
{
	double periods = (world_now_ns - start_ns_) / (config.wave_period_ms * 1e6);
	double at = periods + config.wave_phase;

	switch (config.wave) {
	case Shape::sine:
		return (1 - std::cos(2 * M_PI * at)) / 2;
	case Shape::square:
		return at - std::floor(at) >= 0.5;
	case Shape::walk:
		return walk(periods, config.wave_phase);
	default:
		return 0;
	}
}

double Wave::factor(const ServerConfig &config, double most)
{
	return most == 1 || config.wave == Shape::none ? 1 : std::pow(most, level(config));
}

Server::Server(uint64_t seed, unsigned int index, bool shared)
	: service_(seed, shared ? stream(index, shared, stream_service) :
			 old_streams + index * old_per_path),
	  spread_(seed, stream(index, shared, stream_spread)),
	  miss_(seed, stream(index, shared, stream_miss)),
	  rests_(seed, stream(index, shared, stream_rests)),
	  wave_(seed, stream(index, shared, stream_wave)), start_ns_(world_now_ns)
{
}

/* When it can begin: after what came before, and not during a rest. */
uint64_t Server::begin_ns(const ServerConfig &config)
{
	uint64_t begin = rests_.after(std::max(world_now_ns, free_ns_), config);
	uint64_t period = config.stall_period_ms * 1e6, first = start_ns_ + config.stall_at_ms * 1e6;

	if (period && begin >= first && (begin - first) % period < config.stall_ms * 1e6)
		begin += config.stall_ms * 1e6 - (begin - first) % period;
	return begin;
}

double Server::service_us(const ServerConfig &config, bool write)
{
	double us = write && config.write_service_us >= 0 ? config.write_service_us :
							    config.service_us;

	if (config.jitter)
		us *= 1 + config.jitter * (2 * service_.uniform() - 1);
	if (config.service_sigma)
		us *= spread_.lognormal(config.service_sigma) /
		      std::exp(config.service_sigma * config.service_sigma / 2);
	if (config.service_pareto)
		us *= spread_.pareto(config.service_pareto);
	if (config.miss && miss_.uniform() < config.miss)
		us += config.miss_us;
	return us;
}

Server::Served Server::serve(const ServerConfig &config, uint32_t bytes, bool write)
{
	double mbps = write && config.write_mbps >= 0 ? config.write_mbps : config.mbps;
	double us = service_us(config, write);
	uint64_t begin = begin_ns(config);

	if (mbps)
		us += bytes / mbps;
	free_ns_ = begin + static_cast<uint64_t>(us * wave_.factor(config, config.wave_service) * 1000);
	return { begin, free_ns_ };
}
