// SPDX-License-Identifier: GPL-2.0
/* Who does the I/O, of which sizes. */
#include "fields.h"

using nlohmann::json;

namespace {

void take_type(const json &load, const std::string &type, LoadConfig &config)
{
	if (type == "closed")
		config.type = LoadType::closed;
	else if (type == "poisson" && config.iops > 0)
		config.type = LoadType::poisson;
	else if (type == "burst" && config.burst && config.period_ms > 0)
		config.type = LoadType::burst;
	else
		throw std::invalid_argument("load: closed, poisson with iops, or burst with size and period_ms; not " +
					    load.dump());
}

Sizes read_sizes(const json &sizes)
{
	Sizes found;

	for (const json &item : sizes) {
		if (!item.is_array() || item.size() != 2 || !item[0].is_number_unsigned() ||
		    !item[1].is_number())
			throw std::invalid_argument("sizes: [bytes, weight] is wanted, not " + item.dump());
		found.emplace_back(item[0].get<uint32_t>(), item[1].get<double>());
	}
	if (found.empty())
		found.emplace_back(4096, 1);
	return found;
}

PhaseConfig read_phase(const json &phase)
{
	Fields fields(phase, "phases[]");
	PhaseConfig config;

	fields.take_number("ms", config.ms);
	fields.take("depth", config.depth);
	if (const json *sizes = fields.find("sizes"))
		config.sizes = read_sizes(*sizes);
	fields.take_part("writes", config.writes);
	fields.take_number("period_ms", config.period_ms);
	fields.take_number("pause_ms", config.pause_ms);
	fields.finish();
	if (config.pause_ms && config.pause_ms >= config.period_ms)
		fields.refuse("pauses are shorter than period_ms");
	return config;
}

void take_phases(const json &phases, const std::string &type, LoadConfig &config)
{
	if (type != "closed" || config.together || config.period_ms)
		throw std::invalid_argument("load: phases are of a closed loop that does not begin all together, "
					    "and have the pauses");
	for (const json &item : phases)
		config.phases.push_back(read_phase(item));
	for (const PhaseConfig &phase : config.phases)
		if (&phase != &config.phases.back() && !phase.ms)
			throw std::invalid_argument("load: each phase but the last has ms");
}

LoadConfig read_load(const json &load)
{
	Fields fields(load, "load");
	std::string type = "closed";
	LoadConfig config;

	fields.take("type", type);
	fields.take_number("iops", config.iops);
	fields.take("size", config.burst);
	fields.take_number("period_ms", config.period_ms);
	fields.take("random", config.random);
	fields.take_number("pause_ms", config.pause_ms);
	fields.take("together", config.together);
	const json *phases = fields.find("phases");

	fields.finish();
	if (phases)
		take_phases(*phases, type, config);
	if (config.together && (type != "closed" || config.pause_ms))
		throw std::invalid_argument("load: together is for a closed loop without pauses");
	if (config.pause_ms && (type != "closed" || config.pause_ms >= config.period_ms))
		throw std::invalid_argument("load: pauses are of a closed loop, and shorter than period_ms");
	if (config.random && type != "burst")
		throw std::invalid_argument("load: random is for bursts");
	take_type(load, type, config);
	return config;
}

/* What a job that has something of its own shares with nobody. */
bool take_flow(Fields &fields, Flow &flow)
{
	bool own = false;

	if (const json *load = fields.find("load")) {
		flow.load = read_load(*load);
		own = true;
	}
	if (const json *sizes = fields.find("sizes")) {
		flow.sizes = read_sizes(*sizes);
		own = true;
	}
	own |= fields.find("writes") || fields.find("map") || fields.find("name");
	fields.take_part("writes", flow.writes);
	fields.take("map", flow.map);
	fields.take("name", flow.name);
	return own;
}

void read_job(const json &item, Config &config)
{
	Fields fields(item, "jobs[]");
	Flow flow = config.flows[0];
	Job job = { 0, 1 };

	flow.jobs.clear();
	fields.take("cpu", job.cpu);
	fields.take("depth", job.depth);
	bool own = take_flow(fields, flow);

	fields.finish();
	if (job.cpu >= config.cpus || !job.depth)
		throw std::invalid_argument("jobs: cpu is below cpus, depth at least 1");
	if (flow.map < -1 || flow.map >= static_cast<int>(config.maps))
		throw std::invalid_argument("jobs: map is below maps");
	if (!own) {
		config.flows[0].jobs.push_back(job);
		return;
	}
	flow.jobs.push_back(job);
	config.flows.push_back(flow);
}

} /* namespace */

/* The first flow is that of all jobs that have nothing of their own. */
void read_flows(Fields &run, Config &config)
{
	Flow common;

	if (const json *load = run.find("load"))
		common.load = read_load(*load);
	const json *sizes = run.find("sizes");

	common.sizes = read_sizes(sizes ? *sizes : json::array());
	run.take_part("writes", common.writes);
	config.flows.push_back(common);
	if (const json *jobs = run.find("jobs"))
		for (const json &item : *jobs)
			read_job(item, config);
	if (common.load.type == LoadType::closed && config.flows[0].jobs.empty() && config.flows.size() == 1)
		throw std::invalid_argument("jobs: at least one, if the load is closed");
}
