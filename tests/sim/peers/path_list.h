/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The paths of a dm selector that are not failed, in the order in which its list
 * has them. The order decides ties, so it is part of the behaviour: each path that
 * is chosen goes to the tail.
 */
#ifndef SIM_PEERS_PATH_LIST_H
#define SIM_PEERS_PATH_LIST_H

#include <algorithm>
#include <numeric>
#include <vector>

class PathList {
public:
	using iterator = std::vector<int>::iterator;

	explicit PathList(int paths) : paths_(paths)
	{
		std::iota(paths_.begin(), paths_.end(), 0);
	}

	iterator begin() { return paths_.begin(); }
	iterator end() { return paths_.end(); }
	size_t size() const { return paths_.size(); }

	/* The path that is chosen; -1 if the list is empty. */
	int choose(iterator best)
	{
		if (best == end())
			return -1;
		int path = *best;

		std::copy(best + 1, end(), best);
		paths_.back() = path;
		return path;
	}

	void remove(int path)
	{
		paths_.erase(std::remove(begin(), end(), path), end());
	}

	void add_first(int path)
	{
		remove(path);
		paths_.insert(begin(), path);
	}

	void add_last(int path)
	{
		remove(path);
		paths_.push_back(path);
	}

private:
	std::vector<int> paths_;
};

#endif
