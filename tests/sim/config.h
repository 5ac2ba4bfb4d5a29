/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is simulated: one run, as read from JSON. README.md has the fields.
 */
#ifndef SIM_CONFIG_H
#define SIM_CONFIG_H

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "selector.h"

enum class Shape { none, sine, square, walk };

/* What takes I/Os one after the other; server.h draws it. */
struct ServerConfig {
	double service_us = 0;		/* mean time in the server */
	double jitter = 0;		/* 0.5: uniform, +-50 % */
	double service_sigma = 0;	/* lognormal: of the logarithm */
	double service_pareto = 0;	/* Pareto: the shape, above 1; 0: not */
	double miss = 0;		/* part of the I/Os that miss a cache, */
	double miss_us = 0;		/* and take so much longer */
	double mbps = 0;		/* 10^6 bytes/s; 0: no limit */
	double write_service_us = -1;	/* of writes; -1: as reads */
	double write_mbps = -1;
	double stall_period_ms = 0;	/* the server rests this often; 0: never */
	double stall_ms = 0;		/* for so long, */
	double stall_at_ms = 0;		/* beginning so long after the run did */
	double gc_every_ms = 0;		/* mean time between two rests by chance; 0: none */
	double gc_min_ms = 0;		/* from so long */
	double gc_max_ms = 0;		/* to so long */
	Shape wave = Shape::none;	/* varies all the time, */
	double wave_period_ms = 0;
	double wave_phase = 0;		/* of a period; where a walk begins */
	double wave_service = 1;	/* up to so many times the time in the server */
};

/* A path: FIFO server, then a delay; path.h draws it. */
struct PathConfig : ServerConfig {
	double delay_us = 0;		/* median of the delay */
	double write_delay_us = -1;	/* of writes; -1: as reads */
	double flush_delay_us = -1;	/* of I/Os without data; -1: as the others */
	double sigma = 0;		/* of its logarithm */
	double wave_delay = 1;		/* the wave makes it up to so many times that */
	double tail = 0;		/* part of the I/Os that take longer */
	double tail_us = 0;		/* by so much */
	double tail_pareto = 0;		/* by so much in the mean, Pareto of this shape; 0: not */
	std::vector<double> remote_us;	/* further delay by the submitter's node */
	int backend = -1;		/* what is behind it, shared with others; -1: nothing */
	unsigned int tags = 0;		/* requests of the queue; 0: no limit */
	bool tags_hidden = false;	/* the selector is not told of them */
	unsigned int driver_depth = 0;	/* above it the driver is busy; 0: never */
	double error_us = 20;		/* after which an I/O fails, */
	bool error = false;		/* if they do: */
	double error_part = 1;		/* so many of them */
	bool error_is_final = false;	/* ... and the error is not the path's */
	bool hang = false;		/* nothing completes */
	bool hidden = false;		/* stamped when the server takes it, not before */
	bool stamps = true;		/* requests are stamped at all, */
	double retry_us = 0;		/* what takes a second is aborted and started again, for so long */
	double no_stamp = 0;		/* but for this part of them */
	unsigned int lost = 0;		/* the ends of so many I/Os get lost, */
	double lost_at_ms = 0;		/* the first ones from so long after the start, */
	double lost_ms = 30000;		/* until a time-out so much later */
};

/* The machine stands still, as a virtual one that its host stops: its paths go on. */
struct HaltConfig {
	double at_ms = 0;
	double ms = 0;
};

/* From at_ms on the path is another one, in each map. */
struct PathChange {
	double at_ms;
	unsigned int path;
	PathConfig becomes;
};

enum class LoadType { closed, poisson, burst };

using Sizes = std::vector<std::pair<uint32_t, double>>;	/* bytes, weight */

/* What a closed loop does for a time. */
struct PhaseConfig {
	double ms = 0;			/* for so long; the last phase has no end */
	unsigned int depth = 0;		/* of each job; 0: its own */
	Sizes sizes;			/* none: the flow's */
	double writes = -1;		/* -1: the flow's */
	double period_ms = 0;		/* of pauses, as in LoadConfig */
	double pause_ms = 0;
};

struct LoadConfig {
	LoadType type = LoadType::closed;
	double iops = 0;		/* poisson */
	unsigned int burst = 0;		/* I/Os at once, */
	double period_ms = 0;		/* every so often; of pauses, too */
	bool random = false;		/* burst: in the mean, exponentially */
	double pause_ms = 0;		/* closed: begins no I/O for so long of each period */
	bool together = false;		/* closed: begins all again when the last one is done */
	std::vector<PhaseConfig> phases;	/* closed: one after the other */
};

struct Job {
	unsigned int cpu;
	unsigned int depth;
};

/* Jobs that are counted together and take their sizes from one sequence. */
struct Flow {
	std::string name;		/* told in the result, unless empty */
	LoadConfig load;
	Sizes sizes;
	double writes = 0;		/* part of the I/Os */
	std::vector<Job> jobs;		/* closed */
	int map = -1;			/* -1: one such on each map */
};

struct Config {
	std::string name;
	uint64_t seed = 1;
	std::string selector;
	Options options;
	unsigned int cpus = 1;
	unsigned int nodes = 1;
	unsigned int maps = 1;			/* each with such paths, all before one set of backends */
	bool bio = false;			/* the maps are bio-based */
	unsigned int completions_per = 1;	/* complete on the first CPU of so many */
	double submit_us = 0;			/* CPU time that an I/O takes to begin, */
	double complete_us = 0;			/* and to end */
	std::vector<Flow> flows;
	std::vector<ServerConfig> backends;
	std::vector<PathConfig> paths;
	std::vector<PathChange> changes;	/* by time */
	std::vector<HaltConfig> halts;
	double reinstate_ms = 1000;		/* the checker's period */
	double warmup_ms = 1000;
	double runtime_ms = 3000;
	double bucket_ms = 0;			/* of the timeline; 0: none */
	double part_ms = 0;			/* tell of each such part of runtime_ms, too; 0: none */
	double trace_ms = 0;			/* dump the module's state this often */
	double scramble_at_ms = 0;		/* what the module has learned becomes chance; 0: never */
};

/* Throws std::invalid_argument, with what is wrong and what would be right. */
Config read_config(std::istream &in);

#endif
