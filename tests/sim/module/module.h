/* SPDX-License-Identifier: GPL-2.0 */
/* The module's own code as a Selector, with what only it can show. */
#ifndef SIM_MODULE_H
#define SIM_MODULE_H

#include <cstdio>
#include <memory>
#include <string>

#include "group_selector.h"
#include "policy.h"

class ModuleSelector : public GroupSelector {
public:
	ModuleSelector(int paths, const Options &options, const MapDevices &devices = {});

	void operation(bool write) override;
	void submitter(unsigned int flow) override;

	/* The words that dmsetup status has for a path. */
	std::string status(int path);
	/* What the module knows: a line for each path. */
	void trace(FILE *out);
	/* What it has learned becomes something else, by chance; see scramble.h. */
	void scramble(uint64_t seed);

	/* Have a policy choose: FILE:NAME, see policy.h. */
	void attach(const std::string &policy);

private:
	std::unique_ptr<Policy> policy_;
};

#endif
