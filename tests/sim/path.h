/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A path
 *
 *	          +-------------+     +-------------------------+
 *	I/O ----> | FIFO server | --> | delay + remote + tail   | ----> completion
 *	  tags    +-------------+     +-------------------------+   hang
 *
 * The server takes service_us (jitter) and bytes / mbps for an I/O, one after the
 * other, and rests for stall_ms every stall_period_ms. The delay is a pipe: it
 * bounds no throughput. It is the model of the test disk in tests/disk, with
 * chance added.
 */
#ifndef SIM_PATH_H
#define SIM_PATH_H

#include "config.h"
#include "random.h"

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
		uint64_t done_ns;
		uint64_t stamp_ns;	/* when the driver took it; 0: no stamps */
		bool failed;
	};

	Due admit(uint32_t bytes, unsigned int node);
	void leave() { inflight_--; }

private:
	uint64_t begin_ns() const;
	uint64_t service_ns(uint32_t bytes);
	uint64_t delay_ns(unsigned int node);

	PathConfig config_;
	Random service_;
	Random delay_;
	Random tail_;
	uint64_t server_free_ns_ = 0;
	unsigned int inflight_ = 0;
};

#endif
