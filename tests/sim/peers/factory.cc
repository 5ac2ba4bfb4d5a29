// SPDX-License-Identifier: GPL-2.0
#include <stdexcept>

#include "peers.h"

namespace {

/* Without a function: the kernel's own. */
const struct {
	const char *name;
	std::unique_ptr<Selector> (*make)(int paths, OptionReader &options);
} peers[] = {
	{ "round-robin", nullptr },
	{ "queue-length", nullptr },
	{ "service-time", nullptr },
	{ "historical-service-time", nullptr },
	{ "io-affinity", nullptr },
	{ "nvme-queue-depth", make_nvme_queue_depth },
	{ "nvme-latency", make_nvme_latency },
	{ "simple", make_simple },
};

/* The module, without a policy and with one. */
const char module_name[] = "latency-weighted", policy_name[] = "policy";

} /* namespace */

std::unique_ptr<Selector> make_selector(const std::string &name, int paths,
					const Options &options, const MapDevices &devices)
{
	std::string known = module_name;

	if (name == module_name || name == policy_name)
		return make_module_selector(paths, options, devices);
	for (const auto &peer : peers) {
		if (name == peer.name) {
			OptionReader reader(name, options);
			auto selector = peer.make ? peer.make(paths, reader) : make_kernel_peer(name, paths);

			reader.finish();
			return selector;
		}
		known += std::string(", ") + peer.name;
	}
	throw std::invalid_argument("unknown selector \"" + name + "\"; known: " + known);
}
