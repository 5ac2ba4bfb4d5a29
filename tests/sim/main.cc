// SPDX-License-Identifier: GPL-2.0
/*
 * One run: its configuration as JSON on standard input, its result as JSON on
 * standard output. Everything else is done in Python, beside this file.
 */
#include <iostream>
#include <stdexcept>

#include "engine.h"
#include "kernel/module.h"
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

void run(const Config &config)
{
	engine_reset(config.cpus, config.nodes);

	uint64_t end_ns = world_now_ns + (config.warmup_ms + config.runtime_ms) * 1e6;
	auto selector = make_selector(config.selector, config.paths.size(), config.options);
	Stats stats(config);
	Mpath mpath(config, *selector, stats);
	auto load = make_load(config, mpath);
	Tracer tracer = { dynamic_cast<ModuleSelector *>(selector.get()), config.trace_ms };

	if (tracer.module && tracer.period_ms)
		tracer.trace();
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
