// SPDX-License-Identifier: GPL-2.0
#include "path.h"

#include <algorithm>

#include "world.h"

namespace {

enum stream { stream_service, stream_delay, stream_tail, streams };

} /* namespace */

Path::Path(const PathConfig &config, uint64_t seed, unsigned int index)
	: config_(config), service_(seed, 1000 + index * streams + stream_service),
	  delay_(seed, 1000 + index * streams + stream_delay),
	  tail_(seed, 1000 + index * streams + stream_tail)
{
}

/* When the server can begin: after what came before, and not during a stall. */
uint64_t Path::begin_ns() const
{
	uint64_t begin = std::max(world_now_ns, server_free_ns_);
	uint64_t period = config_.stall_period_ms * 1e6;

	if (period && begin % period < config_.stall_ms * 1e6)
		begin += config_.stall_ms * 1e6 - begin % period;
	return begin;
}

uint64_t Path::service_ns(uint32_t bytes)
{
	double us = config_.service_us;

	if (config_.jitter)
		us *= 1 + config_.jitter * (2 * service_.uniform() - 1);
	if (config_.mbps)
		us += bytes / config_.mbps;
	return us * 1000;
}

uint64_t Path::delay_ns(unsigned int node)
{
	double us = config_.delay_us;

	if (config_.sigma)
		us *= delay_.lognormal(config_.sigma);
	if (node < config_.remote_us.size())
		us += config_.remote_us[node];
	if (config_.tail && tail_.uniform() < config_.tail)
		us += config_.tail_us;
	return us * 1000;
}

Path::Due Path::admit(uint32_t bytes, unsigned int node)
{
	Due due = { 0, world_now_ns, config_.error };

	inflight_++;
	if (config_.error) {
		due.done_ns = world_now_ns + config_.error_us * 1000;
	} else {
		uint64_t begin = begin_ns();

		server_free_ns_ = begin + service_ns(bytes);
		due.done_ns = server_free_ns_ + delay_ns(node);
		if (config_.hidden)
			due.stamp_ns = begin;
	}
	if (!config_.stamps)
		due.stamp_ns = 0;
	return due;
}
