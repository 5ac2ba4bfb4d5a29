// SPDX-License-Identifier: GPL-2.0
#include "options.h"

#include <algorithm>
#include <stdexcept>

uint64_t OptionReader::parse(const std::string &key, const std::string &text, uint64_t least,
			     uint64_t most) const
{
	constexpr size_t most_digits = 18;	/* fit into 64 bits */
	bool digits = !text.empty() && text.size() <= most_digits &&
		      text.find_first_not_of("0123456789") == std::string::npos;
	uint64_t value = digits ? std::stoull(text) : 0;

	if (!digits || value < least || value > most)
		throw std::invalid_argument(selector_ + ": " + key + ": \"" + text +
					    "\" is not a number from " + std::to_string(least) +
					    " to " + std::to_string(most));
	return value;
}

uint64_t OptionReader::number(const std::string &key, uint64_t usual, uint64_t least,
			      uint64_t most)
{
	auto found = options_.find(key);

	known_.push_back(key);
	return found == options_.end() ? usual : parse(key, found->second, least, most);
}

void OptionReader::finish() const
{
	std::string known;

	for (const std::string &key : known_)
		known += (known.empty() ? "" : ", ") + key;
	for (const auto &option : options_)
		if (std::find(known_.begin(), known_.end(), option.first) == known_.end())
			throw std::invalid_argument(selector_ + ": unknown option \"" + option.first +
						    "\"; known: " + (known.empty() ? "none" : known));
}
