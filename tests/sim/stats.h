/* SPDX-License-Identifier: GPL-2.0 */
/* What is counted of a run, and how it is told. */
#ifndef SIM_STATS_H
#define SIM_STATS_H

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "config.h"

/* Latencies in buckets of less than 1 %. */
class Histogram {
public:
	Histogram();
	void add(uint64_t ns);
	uint64_t count() const { return count_; }
	double mean_us() const;
	double percentile_us(double percent) const;

private:
	static constexpr unsigned int bits = 7;

	std::vector<uint64_t> buckets_;
	uint64_t count_ = 0;
	double sum_ns_ = 0;
};

/* The I/Os of all flows that have this name. */
struct FlowStats {
	std::string name;
	Histogram latency;
	uint64_t bytes = 0;
};

class Stats {
public:
	explicit Stats(const Config &config);

	void started(unsigned int path, unsigned int node);
	void not_issued(unsigned int path, unsigned int node);
	void done(const struct Io &io, unsigned int map);
	void failed();
	void print(std::ostream &out) const;

private:
	void name_flows();
	void print_flows(nlohmann::json &result) const;
	void print_parts(nlohmann::json &result) const;
	bool measured() const;
	size_t bucket() const;

	const Config &config_;
	uint64_t start_ns_;
	uint64_t measure_from_ns_;
	uint64_t measure_to_ns_;
	Histogram latency_;
	std::vector<Histogram> parts_;			/* of the time that is measured */
	std::vector<FlowStats> flows_;			/* by name; empty if none has one */
	std::vector<unsigned int> slot_;		/* in it, of each flow */
	std::vector<uint64_t> maps_;			/* I/Os */
	uint64_t errors_ = 0;
	std::vector<std::vector<int64_t>> starts_;	/* by node and path */
	std::vector<std::vector<int64_t>> timeline_;	/* by path and bucket */
	std::vector<int64_t> done_by_bucket_;
};

#endif
