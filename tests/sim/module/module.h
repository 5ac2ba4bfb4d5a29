/* SPDX-License-Identifier: GPL-2.0 */
/* The module's own code as a Selector, with what only it can show. */
#ifndef SIM_MODULE_H
#define SIM_MODULE_H

#include <cstdio>
#include <memory>
#include <string>

#include "policy.h"
#include "selector.h"

struct dm_group;

class ModuleSelector : public Selector {
public:
	ModuleSelector(int paths, const Options &options, const MapDevices &devices = {});
	~ModuleSelector() override;
	ModuleSelector(const ModuleSelector &) = delete;

	void operation(bool write) override;
	void submitter(unsigned int flow) override;
	int select(size_t bytes) override;
	void start(int path, size_t bytes) override;
	void end(int path, size_t bytes, uint64_t start_ns) override;
	void fail(int path) override;
	void reinstate(int path) override;

	/* The words that dmsetup status has for a path. */
	std::string status(int path);
	/* What the module knows: a line for each path. */
	void trace(FILE *out);
	/* What it has learned becomes something else, by chance; see scramble.h. */
	void scramble(uint64_t seed);

	/* Have a policy choose: FILE:NAME, see policy.h. */
	void attach(const std::string &policy);

	dm_group *group() { return group_; }

private:
	dm_group *group_;
	std::unique_ptr<Policy> policy_;
};

#endif
