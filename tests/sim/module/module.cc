// SPDX-License-Identifier: GPL-2.0
#include "module.h"

#include <vector>

#include "scramble.h"
#include "shim_operation.h"
#include "shim_policy.h"

static dm_group *load_module(int paths, const Options &options, const MapDevices &devices)
{
	std::vector<unsigned int> tags = devices.tags;
	std::vector<std::string> words;
	dm_table table = {};

	for (const auto &[key, value] : options) {
		words.push_back(key);
		words.push_back(value);
	}
	Words own(std::move(words));

	tags.resize(paths);
	table.paths = paths;
	table.argc = own.argc();
	table.argv = own.argv();
	table.tags = tags.data();
	table.by_bio = devices.by_bio;
	return load_group(table);
}

ModuleSelector::ModuleSelector(int paths, const Options &options, const MapDevices &devices)
	: GroupSelector(load_module(paths, options, devices))
{
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
	policy_ = std::make_unique<Policy>(policy, dm_group_selector(group()));
}

std::string ModuleSelector::status(int path)
{
	char text[128];

	dm_group_status(group(), path, text, sizeof(text));
	return text;
}

void ModuleSelector::trace(FILE *out)
{
	dm_group_trace(group(), out);
}

void ModuleSelector::scramble(uint64_t seed)
{
	scramble_selector(dm_group_selector(group()), seed);
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
