// SPDX-License-Identifier: GPL-2.0
/* JSON to Config. Unknown fields are errors: a mistyped one must not be ignored. */
#include <istream>

#include "fields.h"

using nlohmann::json;

namespace {

constexpr unsigned int max_cpus = 256, max_maps = 64;

void take_run(Fields &fields, Config &config)
{
	fields.take("name", config.name);
	fields.take("seed", config.seed);
	fields.take("selector", config.selector);
	fields.take("options", config.options);
	fields.take("cpus", config.cpus);
	fields.take("nodes", config.nodes);
	fields.take("maps", config.maps);
	fields.take("bio", config.bio);
	fields.take("completions_per", config.completions_per);
	fields.take_number("submit_us", config.submit_us);
	fields.take_number("complete_us", config.complete_us);
	fields.take_number("reinstate_ms", config.reinstate_ms);
	fields.take_number("warmup_ms", config.warmup_ms);
	fields.take_number("runtime_ms", config.runtime_ms);
	fields.take_number("bucket_ms", config.bucket_ms);
	fields.take_number("part_ms", config.part_ms);
	fields.take_number("trace_ms", config.trace_ms);
	fields.take_number("scramble_at_ms", config.scramble_at_ms);
	if (!config.cpus || config.cpus > max_cpus || !config.nodes ||
	    config.nodes > config.cpus || !config.completions_per)
		throw std::invalid_argument("cpus: 1 to 256; nodes: 1 to cpus; completions_per: at least 1");
	if (!config.maps || config.maps > max_maps)
		throw std::invalid_argument("maps: 1 to 64");
}

void take_halts(const json &halts, Config &config)
{
	for (const json &item : halts) {
		Fields fields(item, "halts[" + std::to_string(config.halts.size()) + "]");

		config.halts.emplace_back();
		fields.take_number("at_ms", config.halts.back().at_ms);
		fields.take_number("ms", config.halts.back().ms);
		fields.finish();
	}
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
	if (const json *backends = fields.find("backends"))
		read_backends(*backends, config);
	if (const json *paths = fields.find("paths"))
		read_paths(*paths, config);
	if (const json *changes = fields.find("changes"))
		read_changes(*changes, config);
	if (const json *halts = fields.find("halts"))
		take_halts(*halts, config);
	if (config.paths.empty())
		throw std::invalid_argument("paths: at least one");
	read_flows(fields, config);
	fields.finish();
	return config;
}
