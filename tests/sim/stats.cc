// SPDX-License-Identifier: GPL-2.0
#include "stats.h"

#include <algorithm>
#include <ostream>

#include <nlohmann/json.hpp>

#include "dm.h"
#include "mpath.h"
#include "world.h"

Histogram::Histogram() : buckets_((64 - bits) << bits)
{
}

/* Linear up to 2^bits ns; above, 2^bits buckets for each power of two. */
void Histogram::add(uint64_t ns)
{
	unsigned int shift = 0;

	while (ns >> shift >= 2ULL << bits)
		shift++;
	buckets_[(shift << bits) + (ns >> shift)]++;
	count_++;
	sum_ns_ += ns;
}

double Histogram::mean_us() const
{
	return count_ ? sum_ns_ / count_ / 1000 : 0;
}

double Histogram::percentile_us(double percent) const
{
	uint64_t wanted = count_ * percent / 100, seen = 0;

	for (size_t i = 0; i < buckets_.size(); i++) {
		size_t shift = i < (2u << bits) ? 0 : (i >> bits) - 1;

		seen += buckets_[i];
		if (seen > wanted)
			return ((i - (shift << bits) + 0.5) * (1ULL << shift)) / 1000;
	}
	return 0;
}

Stats::Stats(const Config &config)
	: config_(config), start_ns_(world_now_ns),
	  measure_from_ns_(start_ns_ + config.warmup_ms * 1e6),
	  measure_to_ns_(measure_from_ns_ + config.runtime_ms * 1e6),
	  maps_(config.maps), starts_(config.nodes, std::vector<int64_t>(config.paths.size()))
{
	name_flows();
	if (config.part_ms)
		parts_.resize(config.runtime_ms / config.part_ms);
	if (config.bucket_ms) {
		size_t buckets = (config.warmup_ms + config.runtime_ms) / config.bucket_ms + 1;

		timeline_.assign(config.paths.size(), std::vector<int64_t>(buckets));
		done_by_bucket_.assign(buckets, 0);
	}
}

void Stats::name_flows()
{
	for (const Flow &flow : config_.flows) {
		auto known = std::find_if(flows_.begin(), flows_.end(), [&](const FlowStats &stats) {
			return stats.name == flow.name;
		});

		slot_.push_back(known - flows_.begin());
		if (known == flows_.end())
			flows_.push_back({ flow.name, {}, 0 });
	}
	if (flows_.size() == 1 && flows_[0].name.empty())
		flows_.clear();
}

bool Stats::measured() const
{
	return world_now_ns >= measure_from_ns_ && world_now_ns < measure_to_ns_;
}

size_t Stats::bucket() const
{
	return (world_now_ns - start_ns_) / (config_.bucket_ms * 1e6);
}

void Stats::started(unsigned int path, unsigned int node)
{
	if (measured())
		starts_[node][path]++;
	if (config_.bucket_ms)
		timeline_[path][bucket()]++;
}

void Stats::not_issued(unsigned int path, unsigned int node)
{
	if (measured())
		starts_[node][path]--;
	if (config_.bucket_ms)
		timeline_[path][bucket()]--;
}

void Stats::done(const Io &io, unsigned int map)
{
	if (measured()) {
		latency_.add(world_now_ns - io.submitted_ns);
		maps_[map]++;
		if (config_.part_ms) {
			size_t part = (world_now_ns - measure_from_ns_) / (config_.part_ms * 1e6);

			if (part < parts_.size())
				parts_[part].add(world_now_ns - io.submitted_ns);
		}
		if (!flows_.empty()) {
			FlowStats &flow = flows_[slot_[io.flow]];

			flow.latency.add(world_now_ns - io.submitted_ns);
			flow.bytes += io.bytes;
		}
	}
	if (config_.bucket_ms)
		done_by_bucket_[bucket()]++;
}

void Stats::failed()
{
	if (measured())
		errors_++;
}

void Stats::print_flows(nlohmann::json &result) const
{
	double seconds = config_.runtime_ms / 1000;

	for (const FlowStats &flow : flows_)
		if (!flow.name.empty())
			result["jobs"].push_back({ { "name", flow.name },
						   { "iops", flow.latency.count() / seconds },
						   { "mbps", flow.bytes / seconds / 1e6 },
						   { "mean_us", flow.latency.mean_us() },
						   { "p99_us", flow.latency.percentile_us(99) } });
	if (config_.maps > 1)
		for (uint64_t ios : maps_)
			result["maps"].push_back(ios / seconds);
}

void Stats::print_parts(nlohmann::json &result) const
{
	for (const Histogram &part : parts_)
		result["parts"].push_back({ { "iops", part.count() / (config_.part_ms / 1000) },
					    { "p99_us", part.percentile_us(99) } });
}

void Stats::print(std::ostream &out) const
{
	std::vector<int64_t> starts(config_.paths.size());
	nlohmann::json result = {
		{ "name", config_.name },
		{ "selector", config_.selector },
		{ "seed", config_.seed },
		{ "ios", latency_.count() },
		{ "iops", latency_.count() / (config_.runtime_ms / 1000) },
		{ "mean_us", latency_.mean_us() },
		{ "p50_us", latency_.percentile_us(50) },
		{ "p99_us", latency_.percentile_us(99) },
		{ "p999_us", latency_.percentile_us(99.9) },
		{ "errors", errors_ },
		{ "reports", kernel_notices.slow },
	};

	for (const auto &node : starts_)
		for (size_t i = 0; i < node.size(); i++)
			starts[i] += node[i];
	result["starts"] = starts;
	if (config_.nodes > 1)
		result["starts_by_node"] = starts_;
	if (config_.bucket_ms)
		result["timeline"] = { { "bucket_ms", config_.bucket_ms },
				       { "starts", timeline_ },
				       { "done", done_by_bucket_ } };
	print_flows(result);
	print_parts(result);
	out << result << '\n';
}
