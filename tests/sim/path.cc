// SPDX-License-Identifier: GPL-2.0
#include "path.h"

#include "world.h"

namespace {

/* Of 1000 and so on the first is the server's. */
enum { stream_service, stream_delay, stream_tail, streams };
enum { stream_length, stream_fault, later_streams = 16 };

} /* namespace */

Path::Path(const PathConfig &config, uint64_t seed, unsigned int index)
	: config_(config), server_(seed, index, false),
	  delay_(seed, 1000 + index * streams + stream_delay),
	  tail_(seed, 1000 + index * streams + stream_tail),
	  length_(seed, 400000 + index * later_streams + stream_length),
	  fault_(seed, 400000 + index * later_streams + stream_fault), start_ns_(world_now_ns)
{
}

double Path::median_us(uint32_t bytes, bool write) const
{
	if (!bytes && config_.flush_delay_us >= 0)
		return config_.flush_delay_us;
	return write && config_.write_delay_us >= 0 ? config_.write_delay_us : config_.delay_us;
}

uint64_t Path::delay_ns(uint32_t bytes, unsigned int node, bool write)
{
	double us = median_us(bytes, write);

	if (config_.sigma)
		us *= delay_.lognormal(config_.sigma);
	us *= server_.wave().factor(config_, config_.wave_delay);
	if (node < config_.remote_us.size())
		us += config_.remote_us[node];
	if (config_.tail && tail_.uniform() < config_.tail)
		us += config_.tail_us *
		      (config_.tail_pareto ? length_.pareto(config_.tail_pareto) : 1);
	return us * 1000;
}

bool Path::fails()
{
	return config_.error && (config_.error_part >= 1 || fault_.uniform() < config_.error_part);
}

bool Path::stamped()
{
	return config_.stamps && !(config_.no_stamp && fault_.uniform() < config_.no_stamp);
}

uint64_t Path::lost_ns()
{
	if (lost_ >= config_.lost || world_now_ns < start_ns_ + config_.lost_at_ms * 1e6)
		return 0;
	lost_++;
	return config_.lost_ms * 1e6;
}

void Path::stamp_retry(uint64_t &stamp_ns) const
{
	if (config_.retry_us && stamp_ns && world_now_ns - stamp_ns >= 1000000000)
		stamp_ns = world_now_ns - config_.retry_us * 1000;
}

Path::Due Path::admit(uint32_t bytes, unsigned int node, bool write)
{
	Due due = { 0, 0, world_now_ns, fails() };

	inflight_++;
	if (due.failed) {
		due.served_ns = world_now_ns + config_.error_us * 1000;
	} else {
		Server::Served served = server_.serve(config_, bytes, write);

		due.served_ns = served.done_ns;
		due.delay_ns = delay_ns(bytes, node, write);
		if (config_.hidden)
			due.stamp_ns = served.begin_ns;
	}
	if (!stamped())
		due.stamp_ns = 0;
	return due;
}
