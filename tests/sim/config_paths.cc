// SPDX-License-Identifier: GPL-2.0
/* Paths, what is behind them, and what happens to them. */
#include "fields.h"

using nlohmann::json;

namespace {

void take_wave(Fields &fields, ServerConfig &server)
{
	static const std::map<std::string, Shape> shapes = {
		{ "none", Shape::none }, { "sine", Shape::sine },
		{ "square", Shape::square }, { "walk", Shape::walk },
	};
	std::string shape;

	fields.take("wave", shape);
	if (!shape.empty() && !shapes.count(shape))
		fields.refuse("wave: none, sine, square or walk, not \"" + shape + "\"");
	if (!shape.empty())
		server.wave = shapes.at(shape);
	fields.take_number("wave_period_ms", server.wave_period_ms);
	fields.take_part("wave_phase", server.wave_phase);
	fields.take_number("wave_service", server.wave_service, 1);
	if (server.wave != Shape::none && server.wave_period_ms < 1)
		fields.refuse("wave_period_ms: a wave wants at least 1");
}

void take_rests(Fields &fields, ServerConfig &server)
{
	fields.take_number("stall_period_ms", server.stall_period_ms);
	fields.take_number("stall_ms", server.stall_ms);
	fields.take_number("stall_at_ms", server.stall_at_ms);
	fields.take_number("gc_every_ms", server.gc_every_ms);
	fields.take_number("gc_min_ms", server.gc_min_ms);
	fields.take_number("gc_max_ms", server.gc_max_ms);
	if (server.gc_every_ms && !(0 < server.gc_min_ms && server.gc_min_ms <= server.gc_max_ms))
		fields.refuse("gc_every_ms wants gc_min_ms above 0 and gc_max_ms no less than it");
}

void take_server(Fields &fields, ServerConfig &server)
{
	fields.take_number("service_us", server.service_us);
	fields.take_number("jitter", server.jitter);
	fields.take_number("service_sigma", server.service_sigma);
	fields.take_number("service_pareto", server.service_pareto);
	fields.take_part("miss", server.miss);
	fields.take_number("miss_us", server.miss_us);
	fields.take_number("mbps", server.mbps);
	fields.take_number("write_service_us", server.write_service_us);
	fields.take_number("write_mbps", server.write_mbps);
	if (server.service_pareto && server.service_pareto <= 1)
		fields.refuse("service_pareto: above 1, or there is no mean");
	take_rests(fields, server);
	take_wave(fields, server);
}

void take_faults(Fields &fields, PathConfig &path)
{
	fields.take_number("error_us", path.error_us);
	fields.take("error", path.error);
	fields.take_part("error_part", path.error_part);
	fields.take("error_is_final", path.error_is_final);
	fields.take("hang", path.hang);
	fields.take("hidden", path.hidden);
	fields.take("stamps", path.stamps);
	fields.take_number("retry_us", path.retry_us);
	fields.take_part("no_stamp", path.no_stamp);
	fields.take("lost", path.lost);
	fields.take_number("lost_at_ms", path.lost_at_ms);
	fields.take_number("lost_ms", path.lost_ms);
}

void take_path(Fields &fields, PathConfig &path, size_t backends)
{
	take_server(fields, path);
	fields.take_number("delay_us", path.delay_us);
	fields.take_number("write_delay_us", path.write_delay_us);
	fields.take_number("flush_delay_us", path.flush_delay_us);
	fields.take_number("sigma", path.sigma);
	fields.take_number("wave_delay", path.wave_delay, 1);
	fields.take_part("tail", path.tail);
	fields.take_number("tail_us", path.tail_us);
	fields.take_number("tail_pareto", path.tail_pareto);
	if (path.tail_pareto && path.tail_pareto <= 1)
		fields.refuse("tail_pareto: above 1, or there is no mean");
	fields.take("remote_us", path.remote_us);
	fields.take("backend", path.backend);
	if (path.backend < -1 || path.backend >= static_cast<int>(backends))
		fields.refuse("backend: one of the " + std::to_string(backends) + " there are, from 0 on");
	fields.take("tags", path.tags);
	fields.take("tags_hidden", path.tags_hidden);
	fields.take("driver_depth", path.driver_depth);
	take_faults(fields, path);
	fields.finish();
}

} /* namespace */

void read_backends(const json &backends, Config &config)
{
	for (const json &item : backends) {
		Fields fields(item, "backends[" + std::to_string(config.backends.size()) + "]");

		config.backends.emplace_back();
		take_server(fields, config.backends.back());
		fields.finish();
	}
}

void read_paths(const json &paths, Config &config)
{
	for (const json &item : paths) {
		Fields fields(item, "paths[" + std::to_string(config.paths.size()) + "]");

		config.paths.emplace_back();
		take_path(fields, config.paths.back(), config.backends.size());
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

		fields.take_number("at_ms", change.at_ms);
		fields.take("path", change.path);
		if (change.path >= now.size() || change.at_ms < last_ms)
			throw std::invalid_argument("changes: in order of at_ms, each of a path that exists");
		last_ms = change.at_ms;
		take_path(fields, now[change.path], config.backends.size());
		change.becomes = now[change.path];
		config.changes.push_back(change);
	}
}
