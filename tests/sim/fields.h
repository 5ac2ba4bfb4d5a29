/* SPDX-License-Identifier: GPL-2.0 */
/* An object of JSON whose fields are taken one by one; what is left over is unknown. */
#ifndef SIM_FIELDS_H
#define SIM_FIELDS_H

#include <set>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include "config.h"

class Fields {
public:
	Fields(const nlohmann::json &object, std::string where)
		: object_(object), where_(std::move(where))
	{
		if (!object.is_object())
			throw std::invalid_argument(where_ + ": an object is wanted");
	}

	template <typename T> void take(const char *name, T &value)
	{
		known_.insert(name);
		if (!object_.contains(name))
			return;
		try {
			value = object_.at(name).get<T>();
		} catch (const nlohmann::json::exception &) {
			throw std::invalid_argument(where_ + "." + name + ": " +
						    object_.at(name).dump() +
						    " is of the wrong type");
		}
	}

	/* From least to 10^12, or what it was if it is not given. */
	void take_number(const char *name, double &value, double least = 0, double most = 1e12)
	{
		take(name, value);
		if (object_.contains(name) && !(value >= least && value <= most))
			throw std::invalid_argument(where_ + "." + name + ": " +
						    object_.at(name).dump() + " is not from " +
						    text(least) + " to " + text(most));
	}

	/* A part of all. */
	void take_part(const char *name, double &value) { take_number(name, value, 0, 1); }

	const nlohmann::json *find(const char *name)
	{
		known_.insert(name);
		return object_.contains(name) ? &object_.at(name) : nullptr;
	}

	void finish() const
	{
		for (const auto &item : object_.items())
			if (!known_.count(item.key()))
				throw std::invalid_argument(where_ + ": unknown field \"" +
							    item.key() + "\"");
	}

	/* Something is wrong here. */
	[[noreturn]] void refuse(const std::string &what) const
	{
		throw std::invalid_argument(where_ + ": " + what);
	}

private:
	static std::string text(double value)
	{
		return value == 1e12 ? "10^12" : std::to_string(static_cast<long>(value));
	}

	const nlohmann::json &object_;
	std::string where_;
	std::set<std::string> known_;
};

/* config_paths.cc; the paths and their changes know how many backends there are. */
void read_backends(const nlohmann::json &backends, Config &config);
void read_paths(const nlohmann::json &paths, Config &config);
void read_changes(const nlohmann::json &changes, Config &config);

/* config_load.cc: the run's load, sizes, writes and jobs, which knows cpus and maps. */
void read_flows(Fields &run, Config &config);

#endif
