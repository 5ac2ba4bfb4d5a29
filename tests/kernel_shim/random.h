/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random numbers that are the same on every machine: the standard library leaves
 * its distributions to the implementation.
 */
#ifndef SIM_RANDOM_H
#define SIM_RANDOM_H

#include <cmath>
#include <cstdint>

class Random {
public:
	/* Each user has a stream of its own, so that one's draws do not shift another's. */
	Random(uint64_t seed, uint64_t stream) : state_(seed)
	{
		/* Neighbours in seed or stream must not be one sequence, shifted. */
		state_ = next() + stream;
		state_ = next();
	}

	/* splitmix64: Steele, Lea, Flood, OOPSLA 2014 */
	uint64_t next()
	{
		uint64_t z = state_ += 0x9e3779b97f4a7c15;

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
		z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
		return z ^ (z >> 31);
	}

	/* 0 <= x < 1 */
	double uniform() { return (next() >> 11) * 0x1p-53; }

	double exponential(double mean) { return -mean * std::log1p(-uniform()); }

	/* Median 1; by the method of Box and Muller. */
	double lognormal(double sigma)
	{
		double radius = std::sqrt(-2 * std::log1p(-uniform()));

		return std::exp(sigma * radius * std::cos(2 * M_PI * uniform()));
	}

	/* Mean 1; no bound above, the more so the nearer the shape is to 1. */
	double pareto(double shape)
	{
		return (shape - 1) / shape * std::pow(1 - uniform(), -1 / shape);
	}

private:
	uint64_t state_;
};

#endif
