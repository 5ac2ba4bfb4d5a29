/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A policy, compiled for the host as a library: the same C that a kernel runs as a BPF program. Each
 * map loads a copy of its own, so what a policy remembers is of one map.
 */
#ifndef SIM_POLICY_H
#define SIM_POLICY_H

#include <string>

struct lw_policy;
struct path_selector;

class Policy {
public:
	/* "FILE:NAME": a function of a library, attached to a selector. */
	Policy(const std::string &where, path_selector *selector);
	~Policy();
	Policy(const Policy &) = delete;

private:
	using Program = int (*)(lw_policy **io);

	Program load(const std::string &where);
	bool reads_cost(const std::string &where);

	path_selector *selector_;
	void *library_ = nullptr;
};

#endif
