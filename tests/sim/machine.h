/* SPDX-License-Identifier: GPL-2.0 */
/* What all maps share: CPUs, and the servers behind their paths. */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include <vector>

#include "cpus.h"
#include "server.h"

struct Machine {
	explicit Machine(const Config &config) : cpus(config.cpus)
	{
		for (unsigned int i = 0; i < config.backends.size(); i++)
			backends.emplace_back(config.seed, i, true);
	}

	Cpus cpus;
	std::vector<Server> backends;
};

#endif
