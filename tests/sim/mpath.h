/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A map of dm-multipath, as far as a selector notices: it selects, starts and ends
 * I/Os, fails paths at their first error, reinstates them when the checker comes by.
 * If it is request-based it keeps its queue while the chosen path has no room; if it
 * is bio-based the I/O waits at the path.
 */
#ifndef SIM_MPATH_H
#define SIM_MPATH_H

#include <deque>
#include <memory>
#include <vector>

#include "config.h"
#include "machine.h"
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
	uint64_t delay_ns;	/* after all servers */
	uint32_t bytes;
	unsigned int flow;	/* of Config::flows */
	unsigned int cpu;
	int path;
	bool write;
	bool failed;
};

class Mpath {
public:
	/* The index of the map tells its chance from that of the others. */
	Mpath(const Config &config, unsigned int index, Machine &machine, Selector &selector,
	      Stats &stats);

	unsigned int index() const { return index_; }

	/* Take an I/O, when its CPU has had time to make it. */
	void prepare(Io *io);

private:
	void submit(Io *io);
	void run_queue();
	struct Leg;

	bool dispatch(Io *io);
	bool has_room(Leg &leg, Io *io);
	void issue(Leg &leg, Io *io);
	void issue_waiting(Leg &leg);
	unsigned int completion_cpu(unsigned int cpu) const;
	void arrive(Leg &leg, Io *io);
	void complete(Io *io);
	void fail(Io *io);
	void change(const PathChange &change);
	static void backend_event(void *io);
	static void due_event(void *io);
	static void complete_event(void *io);
	static void rerun_event(void *mpath);

	struct Leg {
		Mpath *mpath;
		unsigned int index;
		Path path;
		bool failed;
		std::vector<Io *> parked;	/* due, but the path hangs */
		std::deque<Io *> waiting;	/* of a bio-based map, for room */
	};
	struct Change {
		Mpath *mpath;
		const PathChange *change;
	};

	const Config &config_;
	unsigned int index_;
	Machine &machine_;
	Selector &selector_;
	Stats &stats_;
	std::vector<Leg> legs_;
	std::vector<Change> changes_;
	std::deque<Io *> queue_;
	bool rerun_pending_ = false;
	bool running_ = false;
};

#endif
