/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A path selector as dm-mpath calls it. It sees no more than a real one does:
 * the bytes of an I/O, and the time stamp of its request when it ends; the clock
 * and the CPU are in world.h.
 */
#ifndef SIM_SELECTOR_H
#define SIM_SELECTOR_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Selector {
	virtual ~Selector() = default;

	/* The index of a path that is not failed; -1 if there is none. */
	virtual int select(size_t bytes) = 0;
	/* The I/O goes to the path. Select is not always followed by this. */
	virtual void start(int path, size_t bytes) = 0;
	/*
	 * It is over, on any CPU. start_ns: when the driver took it; 0 if nobody
	 * stamps requests or the driver never took it.
	 */
	virtual void end(int path, size_t bytes, uint64_t start_ns) = 0;
	/* dm gave the path up; comes before the end() of the failed I/O. */
	virtual void fail(int path) = 0;
	/* User space says that it works again. */
	virtual void reinstate(int path) = 0;

	/*
	 * Of the I/O for which select() or end() is called next. Only by_operation learns it, from
	 * the kernel's tracepoints.
	 */
	virtual void operation(bool write) { (void)write; }

	/* Likewise: whose it is, by the index of Config::flows. Only policies learn it. */
	virtual void submitter(unsigned int flow) { (void)flow; }

	/* Has the paths' queues complete I/O on the CPU that submitted it. */
	virtual bool completes_where_submitted() const { return false; }
};

/* Arguments of the table line: key and value. */
using Options = std::map<std::string, std::string>;

/* What a selector can see of its map and of the paths' queues. */
struct MapDevices {
	std::vector<unsigned int> tags;	/* of each path; 0, or not given: any number */
	bool by_bio = false;		/* the map is bio-based */
};

/*
 * By name: "latency-weighted", "round-robin", ... Throws std::invalid_argument
 * with a message that names what is wrong and what would be right.
 */
std::unique_ptr<Selector> make_selector(const std::string &name, int paths,
					const Options &options, const MapDevices &devices = {});

/* The module's own code, tests/sim/module/module.cc; the option "policy" has one choose, FILE:NAME. */
std::unique_ptr<Selector> make_module_selector(int paths, const Options &options,
					       const MapDevices &devices = {});

#endif
