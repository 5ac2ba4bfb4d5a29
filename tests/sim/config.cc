// SPDX-License-Identifier: GPL-2.0
/* JSON to Config. Unknown fields are errors: a mistyped one must not be ignored. */
#include <istream>
#include <set>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "config.h"

using nlohmann::json;

namespace {

constexpr unsigned int max_cpus = 256;

/* An object whose fields are taken one by one; what is left over is unknown. */
class Fields {
public:
	Fields(const json &object, std::string where) : object_(object), where_(std::move(where))
	{
		if (!object.is_object())
			throw std::invalid_argument(where_ + ": an object is wanted");
	}

	template <typename T> void take(const char *name, T &value)
	{
		known_.insert(name);
		if (!object_.contains(name))
			return;
		try {
			value = object_.at(name).get<T>();
		} catch (const json::exception &) {
			throw std::invalid_argument(where_ + "." + name + ": " +
						    object_.at(name).dump() +
						    " is of the wrong type");
		}
	}

	void take_positive(const char *name, double &value)
	{
		take(name, value);
		if (!(value >= 0 && value < 1e12))
			throw std::invalid_argument(where_ + "." + name + ": " +
						    std::to_string(value) +
						    " is not from 0 to 10^12");
	}

	const json *find(const char *name)
	{
		known_.insert(name);
		return object_.contains(name) ? &object_.at(name) : nullptr;
	}

	void finish() const
	{
		for (const auto &item : object_.items())
			if (!known_.count(item.key()))
				throw std::invalid_argument(where_ + ": unknown field \"" +
							    item.key() + "\"");
	}

private:
	const json &object_;
	std::string where_;
	std::set<std::string> known_;
};

void take_path(Fields &fields, PathConfig &path)
{
	fields.take_positive("delay_us", path.delay_us);
	fields.take_positive("sigma", path.sigma);
	fields.take_positive("service_us", path.service_us);
	fields.take_positive("jitter", path.jitter);
	fields.take_positive("mbps", path.mbps);
	fields.take_positive("tail", path.tail);
	fields.take_positive("tail_us", path.tail_us);
	fields.take_positive("stall_period_ms", path.stall_period_ms);
	fields.take_positive("stall_ms", path.stall_ms);
	fields.take("remote_us", path.remote_us);
	fields.take("tags", path.tags);
	fields.take("driver_depth", path.driver_depth);
	fields.take_positive("error_us", path.error_us);
	fields.take("error", path.error);
	fields.take("error_is_final", path.error_is_final);
	fields.take("hang", path.hang);
	fields.take("hidden", path.hidden);
	fields.take("stamps", path.stamps);
	fields.finish();
}

void read_paths(const json &paths, Config &config)
{
	for (const json &item : paths) {
		Fields fields(item, "paths[" + std::to_string(config.paths.size()) + "]");

		config.paths.emplace_back();
		take_path(fields, config.paths.back());
	}
}

/* Changes add up: each starts from what its path was before. */
void read_changes(const json &changes, Config &config)
{
	std::vector<PathConfig> now = config.paths;
	double last_ms = 0;

	for (const json &item : changes) {
		Fields fields(item, "changes[" + std::to_string(config.changes.size()) + "]");
		PathChange change = {};

		fields.take_positive("at_ms", change.at_ms);
		fields.take("path", change.path);
		if (change.path >= now.size() || change.at_ms < last_ms)
			throw std::invalid_argument("changes: in order of at_ms, each of a path that exists");
		last_ms = change.at_ms;
		take_path(fields, now[change.path]);
		change.becomes = now[change.path];
		config.changes.push_back(change);
	}
}

void read_jobs(const json &jobs, Config &config)
{
	for (const json &item : jobs) {
		Fields fields(item, "jobs[" + std::to_string(config.jobs.size()) + "]");
		Job job = { 0, 1 };

		fields.take("cpu", job.cpu);
		fields.take("depth", job.depth);
		fields.finish();
		if (job.cpu >= config.cpus || !job.depth)
			throw std::invalid_argument("jobs: cpu is below cpus, depth at least 1");
		config.jobs.push_back(job);
	}
}

void read_load(const json &load, Config &config)
{
	Fields fields(load, "load");
	std::string type = "closed";

	fields.take("type", type);
	fields.take_positive("iops", config.iops);
	fields.take("size", config.burst);
	fields.take_positive("period_ms", config.period_ms);
	fields.take_positive("pause_ms", config.pause_ms);
	fields.take("together", config.together);
	fields.finish();
	if (config.together && (type != "closed" || config.pause_ms))
		throw std::invalid_argument("load: together is for a closed loop without pauses");
	if (config.pause_ms && (type != "closed" || config.pause_ms >= config.period_ms))
		throw std::invalid_argument("load: pauses are of a closed loop, and shorter than period_ms");
	if (type == "closed")
		config.load = LoadType::closed;
	else if (type == "poisson" && config.iops > 0)
		config.load = LoadType::poisson;
	else if (type == "burst" && config.burst && config.period_ms > 0)
		config.load = LoadType::burst;
	else
		throw std::invalid_argument("load: closed, poisson with iops, or burst with size and period_ms; not " +
					    load.dump());
}

void read_sizes(const json &sizes, Config &config)
{
	for (const json &item : sizes) {
		if (!item.is_array() || item.size() != 2)
			throw std::invalid_argument("sizes: [bytes, weight] is wanted, not " + item.dump());
		config.sizes.emplace_back(item[0].get<uint32_t>(), item[1].get<double>());
	}
}

void take_run(Fields &fields, Config &config)
{
	fields.take("name", config.name);
	fields.take("seed", config.seed);
	fields.take("selector", config.selector);
	fields.take("options", config.options);
	fields.take("cpus", config.cpus);
	fields.take("nodes", config.nodes);
	fields.take("completions_per", config.completions_per);
	fields.take_positive("submit_us", config.submit_us);
	fields.take_positive("complete_us", config.complete_us);
	fields.take_positive("reinstate_ms", config.reinstate_ms);
	fields.take_positive("warmup_ms", config.warmup_ms);
	fields.take_positive("runtime_ms", config.runtime_ms);
	fields.take_positive("bucket_ms", config.bucket_ms);
	fields.take_positive("trace_ms", config.trace_ms);
	if (!config.cpus || config.cpus > max_cpus || !config.nodes ||
	    config.nodes > config.cpus || !config.completions_per)
		throw std::invalid_argument("cpus: 1 to 256; nodes: 1 to cpus; completions_per: at least 1");
}

} /* namespace */

Config read_config(std::istream &in)
{
	json root = json::parse(in, nullptr, false);
	Config config;

	if (root.is_discarded())
		throw std::invalid_argument("the configuration is not JSON");
	Fields fields(root, "run");
	take_run(fields, config);
	if (const json *paths = fields.find("paths"))
		read_paths(*paths, config);
	if (const json *changes = fields.find("changes"))
		read_changes(*changes, config);
	if (const json *jobs = fields.find("jobs"))
		read_jobs(*jobs, config);
	if (const json *load = fields.find("load"))
		read_load(*load, config);
	if (const json *sizes = fields.find("sizes"))
		read_sizes(*sizes, config);
	fields.finish();
	if (config.sizes.empty())
		config.sizes.emplace_back(4096, 1);
	if (config.paths.empty() || (config.load == LoadType::closed && config.jobs.empty()))
		throw std::invalid_argument("paths: at least one; jobs: at least one, if the load is closed");
	return config;
}
