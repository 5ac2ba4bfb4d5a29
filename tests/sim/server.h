/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What takes I/Os one after the other: a path's own, and what several paths share
 *
 * An I/O takes service_us (by jitter, lognormal or Pareto, always in the mean),
 * miss_us more if it misses the cache, and bytes / mbps; a wave makes all that longer.
 * It begins when what came before is done, and not during a rest: of stall_ms every
 * stall_period_ms, or by chance.
 */
#ifndef SIM_SERVER_H
#define SIM_SERVER_H

#include "config.h"
#include "random.h"

/* Rests at random times, for random times: the logarithm of their length is uniform. */
class Rests {
public:
	Rests(uint64_t seed, uint64_t stream);

	/* When something can begin that would at begin_ns, which never decreases. */
	uint64_t after(uint64_t begin_ns, const ServerConfig &config);

private:
	Random random_;
	uint64_t from_ns_, to_ns_;
};

/* From 0 to 1, all the time. */
class Wave {
public:
	Wave(uint64_t seed, uint64_t stream);

	/* Of now; a walk's steps are those of one sequence, whoever asks. */
	double level(const ServerConfig &config);
	/* From 1 to most: 1 at level 0. */
	double factor(const ServerConfig &config, double most);

private:
	double walk(double periods, double first);

	Random random_;
	uint64_t start_ns_;
	uint64_t steps_ = 0;
	double level_ = -1;
};

class Server {
public:
	/* Each index is a server with chance of its own; shared: of another kind. */
	Server(uint64_t seed, unsigned int index, bool shared);

	struct Served {
		uint64_t begin_ns;
		uint64_t done_ns;
	};

	/* An I/O arrives now. */
	Served serve(const ServerConfig &config, uint32_t bytes, bool write);
	Wave &wave() { return wave_; }

private:
	uint64_t begin_ns(const ServerConfig &config);
	double service_us(const ServerConfig &config, bool write);

	Random service_;
	Random spread_;
	Random miss_;
	Rests rests_;
	Wave wave_;
	uint64_t start_ns_;
	uint64_t free_ns_ = 0;
};

#endif
