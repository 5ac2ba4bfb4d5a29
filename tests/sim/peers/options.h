/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A peer's options, taken one by one. What is left over is unknown, and an error:
 * a mistyped option must not be ignored.
 */
#ifndef SIM_PEERS_OPTIONS_H
#define SIM_PEERS_OPTIONS_H

#include <cstdint>
#include <string>
#include <vector>

#include "selector.h"

class OptionReader {
public:
	OptionReader(std::string selector, const Options &options)
		: selector_(std::move(selector)), options_(options) { }

	uint64_t number(const std::string &key, uint64_t usual, uint64_t least, uint64_t most);
	/* After all were taken. */
	void finish() const;

private:
	uint64_t parse(const std::string &key, const std::string &text, uint64_t least,
		       uint64_t most) const;

	std::string selector_;
	const Options &options_;
	std::vector<std::string> known_;
};

#endif
