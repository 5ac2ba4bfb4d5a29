/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A path
 *
 *	          +-------------+     +---------+     +-----------------------+
 *	I/O ----> | FIFO server | --> | backend | --> | delay + remote + tail | --> completion
 *	  tags    +-------------+     +---------+     +-----------------------+  hang
 *
 * Its own server and what it may share with other paths are of server.h. The delay is a
 * pipe: it bounds no throughput. It is the model of the test disk in tests/modules/disk, with
 * chance added.
 */
#ifndef SIM_PATH_H
#define SIM_PATH_H

#include "server.h"

class Path {
public:
	Path(const PathConfig &config, uint64_t seed, unsigned int index);

	const PathConfig &config() const { return config_; }
	void change(const PathConfig &config) { config_ = config; }

	/* No request is free: dm-mpath gets none and asks again later. */
	bool full() const { return config_.tags && inflight_ >= config_.tags; }
	/* There is a request, but the driver does not take it. */
	bool busy() const { return config_.driver_depth && inflight_ >= config_.driver_depth; }

	struct Due {
		uint64_t served_ns;	/* leaves its own server, */
		uint64_t delay_ns;	/* and then, or after the backend, takes so long */
		uint64_t stamp_ns;	/* when the driver took it; 0: no stamp */
		bool failed;
	};

	Due admit(uint32_t bytes, unsigned int node, bool write);
	/* Of an I/O that ends now: its time stamp is new if it was retried. */
	void stamp_retry(uint64_t &stamp_ns) const;
	void leave() { inflight_--; }
	/* How much later an I/O ends that should end now, because this got lost; mostly 0. */
	uint64_t lost_ns();

private:
	double median_us(uint32_t bytes, bool write) const;
	uint64_t delay_ns(uint32_t bytes, unsigned int node, bool write);
	bool fails();
	bool stamped();

	PathConfig config_;
	Server server_;
	Random delay_;
	Random tail_;
	Random length_;		/* of tails */
	Random fault_;
	uint64_t start_ns_;
	unsigned int inflight_ = 0;
	unsigned int lost_ = 0;		/* so far */
};

#endif
