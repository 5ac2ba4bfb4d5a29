/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dm-multipath, request-based, as far as a selector notices: it selects, starts
 * and ends I/Os, fails paths at their first error, reinstates them when the
 * checker comes by, and keeps its queue while the chosen path has no room.
 */
#ifndef SIM_MPATH_H
#define SIM_MPATH_H

#include <deque>
#include <memory>
#include <vector>

#include "config.h"
#include "cpus.h"
#include "path.h"
#include "selector.h"
#include "stats.h"

class Mpath;

/* Who gave an I/O, and wants it back when it is done. */
struct Submitter {
	virtual ~Submitter() = default;
	virtual void done(struct Io *io) = 0;
};

struct Io {
	Mpath *mpath;
	Submitter *submitter;
	uint64_t submitted_ns;
	uint64_t stamp_ns;
	uint32_t bytes;
	unsigned int cpu;
	int path;
	bool failed;
};

class Mpath {
public:
	Mpath(const Config &config, Selector &selector, Stats &stats);

	/* Take an I/O, when its CPU has had time to make it. */
	void prepare(Io *io);

private:
	void submit(Io *io);
	void run_queue();
	bool dispatch(Io *io);
	unsigned int completion_cpu(unsigned int cpu) const;
	void complete(Io *io);
	void fail(Io *io);
	void change(const PathChange &change);
	static void due_event(void *io);
	static void complete_event(void *io);
	static void rerun_event(void *mpath);

	struct Leg {
		Mpath *mpath;
		unsigned int index;
		Path path;
		bool failed;
		std::vector<Io *> parked;	/* due, but the path hangs */
	};
	struct Change {
		Mpath *mpath;
		const PathChange *change;
	};

	const Config &config_;
	Selector &selector_;
	Stats &stats_;
	Cpus cpus_;
	std::vector<Leg> legs_;
	std::vector<Change> changes_;
	std::deque<Io *> queue_;
	bool rerun_pending_ = false;
	bool running_ = false;
};

#endif
