// SPDX-License-Identifier: GPL-2.0
/*
 * One run: its configuration as JSON on standard input, its result as JSON on
 * standard output. Everything else is done in Python, beside this file.
 */
#include <deque>
#include <iostream>
#include <stdexcept>

#include "engine.h"
#include "module/module.h"
#include "load.h"
#include "mpath.h"
#include "world.h"

namespace {

struct Tracer {
	ModuleSelector *module;
	double period_ms;

	void trace()
	{
		fprintf(stderr, "%.0f ms\n", world_now_ns / 1e6);
		module->trace(stderr);
		engine_at(world_now_ns + period_ms * 1e6, 0, [](void *arg) {
			static_cast<Tracer *>(arg)->trace();
		}, this);
	}
};

/* What the module has learned becomes something else; other selectors learn nothing that could. */
struct Scrambler {
	ModuleSelector *module;
	uint64_t seed;

	void at(double ms)
	{
		engine_at(world_now_ns + ms * 1e6, 0, [](void *arg) {
			Scrambler *due = static_cast<Scrambler *>(arg);
			TaskContext context(due, 0);

			due->module->scramble(due->seed);
		}, this);
	}
};

MapDevices devices(const Config &config)
{
	MapDevices found;

	found.by_bio = config.bio;
	for (const PathConfig &path : config.paths)
		found.tags.push_back(path.tags_hidden ? 0 : path.tags);
	return found;
}

/* In the order in which they are made; they go the other way. */
struct Map {
	Map(const Config &config, unsigned int index, Machine &machine, Stats &stats)
		: selector(make_selector(config.selector, config.paths.size(), config.options,
					 devices(config))),
		  mpath(config, index, machine, *selector, stats)
	{
	}

	std::unique_ptr<Selector> selector;
	Mpath mpath;
};

void run(const Config &config)
{
	engine_reset(config.cpus, config.nodes);

	uint64_t end_ns = world_now_ns + (config.warmup_ms + config.runtime_ms) * 1e6;
	Machine machine(config);
	Stats stats(config);
	std::deque<Map> maps;
	std::vector<std::unique_ptr<Submitter>> loads;

	for (const HaltConfig &halt : config.halts)
		engine_halt(world_now_ns + halt.at_ms * 1e6, halt.ms * 1e6);
	for (unsigned int i = 0; i < config.maps; i++)
		maps.emplace_back(config, i, machine, stats);
	for (Map &map : maps)
		add_loads(config, map.mpath, loads);
	Tracer tracer = { dynamic_cast<ModuleSelector *>(maps[0].selector.get()), config.trace_ms };

	if (tracer.module && tracer.period_ms)
		tracer.trace();
	std::deque<Scrambler> scramblers;

	for (Map &map : maps)
		if (auto *module = dynamic_cast<ModuleSelector *>(map.selector.get()); module && config.scramble_at_ms) {
			scramblers.push_back({ module, config.seed * maps.size() + scramblers.size() });
			scramblers.back().at(config.scramble_at_ms);
		}
	engine_run_until(end_ns);
	stats.print(std::cout);
}

} /* namespace */

int main()
{
	try {
		run(read_config(std::cin));
	} catch (const std::exception &error) {
		std::cerr << "sim: " << error.what() << '\n';
		return 1;
	}
	return 0;
}
