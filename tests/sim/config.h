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

/*
 * A path: FIFO server, then a delay; path.h draws it.
 */
struct PathConfig {
	double delay_us = 0;		/* median of the delay */
	double sigma = 0;		/* of its logarithm */
	double service_us = 0;		/* mean time in the server */
	double jitter = 0;		/* 0.5: uniform, +-50 % */
	double mbps = 0;		/* 10^6 bytes/s; 0: no limit */
	double tail = 0;		/* part of the I/Os that take longer */
	double tail_us = 0;		/* by so much */
	double stall_period_ms = 0;	/* the server rests this often; 0: never */
	double stall_ms = 0;		/* for so long */
	std::vector<double> remote_us;	/* further delay by the submitter's node */
	unsigned int tags = 0;		/* requests of the queue; 0: no limit */
	unsigned int driver_depth = 0;	/* above it the driver is busy; 0: never */
	double error_us = 20;		/* after which an I/O fails, */
	bool error = false;		/* if all do */
	bool error_is_final = false;	/* ... and the error is not the path's */
	bool hang = false;		/* nothing completes */
	bool hidden = false;		/* stamped when the server takes it, not before */
	bool stamps = true;		/* requests are stamped at all */
};

/* From at_ms on the path is another one. */
struct PathChange {
	double at_ms;
	unsigned int path;
	PathConfig becomes;
};

struct Job {
	unsigned int cpu;
	unsigned int depth;
};

enum class LoadType { closed, poisson, burst };

struct Config {
	std::string name;
	uint64_t seed = 1;
	std::string selector;
	Options options;
	unsigned int cpus = 1;
	unsigned int nodes = 1;
	unsigned int completions_per = 1;	/* complete on the first CPU of so many */
	double submit_us = 0;			/* CPU time that an I/O takes to begin, */
	double complete_us = 0;			/* and to end */
	LoadType load = LoadType::closed;
	double iops = 0;			/* poisson */
	unsigned int burst = 0;			/* I/Os at once, */
	double period_ms = 0;			/* every so often; of pauses, too */
	double pause_ms = 0;			/* closed: begins no I/O for so long of each period */
	bool together = false;			/* closed: begins all again when the last one is done */
	std::vector<Job> jobs;			/* closed */
	std::vector<std::pair<uint32_t, double>> sizes;	/* bytes, weight */
	std::vector<PathConfig> paths;
	std::vector<PathChange> changes;	/* by time */
	double reinstate_ms = 1000;		/* the checker's period */
	double warmup_ms = 1000;
	double runtime_ms = 3000;
	double bucket_ms = 0;			/* of the timeline; 0: none */
	double trace_ms = 0;			/* dump the module's state this often */
};

/* Throws std::invalid_argument, with what is wrong and what would be right. */
Config read_config(std::istream &in);

#endif
