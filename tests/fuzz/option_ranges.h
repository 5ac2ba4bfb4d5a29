/* SPDX-License-Identifier: GPL-2.0 */
/* Ranges of the module's options that are numbers, from its own table. */
#ifndef OPTION_RANGES_H
#define OPTION_RANGES_H

#include <cstdint>
#include <string>
#include <vector>

struct option_range {
	std::string name;
	uint64_t least, most;
};

static inline std::vector<option_range> option_ranges()
{
	std::vector<option_range> all = {
#define LW_OPTION(option, least, most, ...) { #option, least, most },
#define LW_CHOICE(...)
#include "option_defs.h"
	};

	/* The probe periods must not cross, and a stream is too short for late reports. */
	for (auto &o : all) {
		if (o.name == "probe_min_ms")
			o.most = 100;
		if (o.name == "probe_max_ms")
			o.least = 100;
		if (o.name == "report_ms")
			o.most = 1000;
	}
	return all;
}

#endif
