/* SPDX-License-Identifier: GPL-2.0 */
/* A selector in the simulated kernel: the module's own code, or the kernel's. */
#ifndef SIM_GROUP_SELECTOR_H
#define SIM_GROUP_SELECTOR_H

#include <stdexcept>
#include <string>
#include <vector>

#include "dm.h"
#include "selector.h"

/* Words of a table, as the kernel wants them. */
class Words {
public:
	explicit Words(std::vector<std::string> words) : words_(std::move(words))
	{
		for (auto &word : words_)
			argv_.push_back(word.data());
	}
	Words(const Words &) = delete;

	char **argv() { return argv_.data(); }
	unsigned int argc() const { return argv_.size(); }

private:
	std::vector<std::string> words_;
	std::vector<char *> argv_;
};

/* Throws what the selector complains of, if it refuses. */
inline dm_group *load_group(const dm_table &table)
{
	dm_group *group = dm_group_load(&table);
	std::string log = kernel_log_text();

	if (!group)
		throw std::invalid_argument(log.substr(0, log.find_last_not_of('\n') + 1));
	return group;
}

class GroupSelector : public Selector {
public:
	explicit GroupSelector(dm_group *group) : group_(group) { }
	~GroupSelector() override { dm_group_destroy(group_); }
	GroupSelector(const GroupSelector &) = delete;

	int select(size_t bytes) override { return dm_group_select(group_, bytes); }
	void start(int path, size_t bytes) override { dm_group_start(group_, path, bytes); }
	void end(int path, size_t bytes, uint64_t start_ns) override { dm_group_end(group_, path, bytes, start_ns); }
	void fail(int path) override { dm_group_fail(group_, path); }
	void reinstate(int path) override { dm_group_reinstate(group_, path); }

	dm_group *group() { return group_; }

private:
	dm_group *group_;
};

#endif
