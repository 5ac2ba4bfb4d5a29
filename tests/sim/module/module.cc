// SPDX-License-Identifier: GPL-2.0
#include "module.h"

#include <stdexcept>
#include <vector>

#include "dm.h"
#include "scramble.h"
#include "shim_operation.h"
#include "shim_policy.h"

ModuleSelector::ModuleSelector(int paths, const Options &options, const MapDevices &devices)
{
	std::vector<std::string> words;
	std::vector<char *> argv;

	for (const auto &[key, value] : options) {
		words.push_back(key);
		words.push_back(value);
	}
	for (auto &word : words)
		argv.push_back(word.data());
	std::vector<unsigned int> tags = devices.tags;

	tags.resize(paths);
	group_ = dm_group_create_on(paths, argv.size(), argv.data(), tags.data(), devices.by_bio);
	if (!group_) {
		std::string log = kernel_log_text();

		throw std::invalid_argument(log.substr(0, log.find_last_not_of('\n') + 1));
	}
}

ModuleSelector::~ModuleSelector()
{
	policy_.reset();
	dm_group_destroy(group_);
}

void ModuleSelector::operation(bool write)
{
	lw_shim_op = write ? LW_OP_WRITE : LW_OP_READ;
}

void ModuleSelector::submitter(unsigned int flow)
{
	kernel_cgroup = flow;
}

void ModuleSelector::attach(const std::string &policy)
{
	policy_ = std::make_unique<Policy>(policy, dm_group_selector(group_));
}

int ModuleSelector::select(size_t bytes)
{
	return dm_group_select(group_, bytes);
}

void ModuleSelector::start(int path, size_t bytes)
{
	dm_group_start(group_, path, bytes);
}

void ModuleSelector::end(int path, size_t bytes, uint64_t start_ns)
{
	dm_group_end(group_, path, bytes, start_ns);
}

void ModuleSelector::fail(int path)
{
	dm_group_fail(group_, path);
}

void ModuleSelector::reinstate(int path)
{
	dm_group_reinstate(group_, path);
}

std::string ModuleSelector::status(int path)
{
	char text[128];

	dm_group_status(group_, path, text, sizeof(text));
	return text;
}

void ModuleSelector::trace(FILE *out)
{
	dm_group_trace(group_, out);
}

void ModuleSelector::scramble(uint64_t seed)
{
	scramble_selector(dm_group_selector(group_), seed);
}

std::unique_ptr<Selector> make_module_selector(int paths, const Options &options,
					       const MapDevices &devices)
{
	Options own = options;
	auto policy = own.find("policy");
	std::string where = policy == own.end() ? "" : policy->second;

	own.erase("policy");
	auto selector = std::make_unique<ModuleSelector>(paths, own, devices);

	if (!where.empty())
		selector->attach(where);
	return selector;
}
