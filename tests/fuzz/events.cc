// SPDX-License-Identifier: GPL-2.0
/*
 * Random streams of events: I/Os of any size on paths that slow down, hang, fail, refuse or
 * answer at once; clocks that differ between CPUs and jump; options at their limits. The
 * simulator (tests/sim) asks how good the choices are, this asks whether anything breaks.
 *
 *	events FIRST COUNT	so many streams, of seeds from FIRST on
 *	events SEED		one of them again
 */
/*
 * promise service/found-path, memory/freed-path, memory/ended-twice, numbers/totals-wrap,
 *   numbers/clocks
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include <signal.h>
#include <sanitizer/common_interface_defs.h>

#include "invariants.h"
#include "dm.h"
#include "event.h"
#include "option_ranges.h"
#include "random.h"
#include "shim_operation.h"
#include "world.h"

uint64_t world_now_ns;
unsigned int world_cpu, world_cpus, world_nodes;
bool world_in_task;
const void *world_task;

namespace {

constexpr uint64_t US = 1000, MS = 1000 * US, SEC = 1000 * MS;
constexpr unsigned int STEPS = 6000;	/* events of a stream, about */

uint64_t seed;

/* What the sanitizers or an assertion say comes before. */
void tell_seed()
{
	fprintf(stderr, "events: seed %llu\n", (unsigned long long)seed);
}

void aborted(int)
{
	tell_seed();
	_exit(1);
}

enum class Mode { works, slow, hangs, answers, refuses };

struct Io {
	int path;
	unsigned int cpu;
	size_t bytes;
	uint64_t start_ns;
	bool stamped;
};

struct Path {
	uint64_t latency_ns;
	Mode mode = Mode::works;
	bool failed = false;
	unsigned int inflight = 0;
	std::vector<Io> held;
};

class Stream {
public:
	explicit Stream(uint64_t stream_seed);
	~Stream();
	void run();
	void after(uint64_t ns, unsigned int cpu, std::function<void()> happen);

private:
	uint64_t below(uint64_t limit) { return random_.next() % limit; }
	bool one_in(uint64_t n) { return !below(n); }
	template <typename T> T any_of(std::initializer_list<T> list)
	{
		return list.begin()[below(list.size())];
	}
	uint64_t spread(uint64_t least, uint64_t most);
	std::vector<std::string> options();
	size_t size();
	bool step();
	void submit();
	void start(int path, size_t bytes);
	void finish(Io io);
	void release(Path &path);
	void trouble();
	void befall(int path);
	void fail(int path);
	void reinstate(int path);

	Random random_;
	dm_group *group_;
	std::vector<Path> paths_;
	std::vector<uint64_t> skew_ns_;
	std::priority_queue<Event> events_;
	uint64_t now_ns_ = 0, turns_ = 0, clock_ns_;
	uint64_t think_ns_;		/* the longest that a job pauses between two I/Os */
	unsigned int depth_, inflight_ = 0;
	bool over_ = false, paused_ = false;
};

Stream *stream;

/* Each size as likely as the next: by the logarithm. */
uint64_t Stream::spread(uint64_t least, uint64_t most)
{
	return least * std::exp(random_.uniform() * std::log((double)most / least));
}

std::vector<std::string> Stream::options()
{
	std::vector<std::string> words;

	for (const auto &o : option_ranges()) {
		if (!one_in(3))
			continue;
		words.push_back(o.name);
		words.push_back(std::to_string(any_of<uint64_t>(
			{ o.least, o.most, o.least + below(o.most - o.least + 1) })));
	}
	return words;
}

Stream::Stream(uint64_t stream_seed)
	: random_(stream_seed, 1), paths_(1 + below(one_in(4) ? 16 : 4)),
	  clock_ns_(any_of<uint64_t>({ SEC, 1ULL << 40, 1ULL << 62 }))
{
	std::vector<std::string> words = options();
	std::vector<char *> argv;

	world_cpus = 1 + below(8);
	world_nodes = world_cpus > 1 ? 1 + below(2) : 1;
	depth_ = spread(1, 200);
	think_ns_ = any_of<uint64_t>({ 1, US, spread(MS, SEC) });
	for (uint64_t most = any_of<uint64_t>({ 1, US, MS }); skew_ns_.size() < world_cpus; )
		skew_ns_.push_back(below(most));
	world_now_ns = clock_ns_;
	world_cpu = 0;
	for (auto &word : words)
		argv.push_back(word.data());
	group_ = dm_group_create(paths_.size(), argv.size(), argv.data());
	if (!group_) {
		fputs(kernel_log_text(), stderr);
		abort();
	}
	for (auto &path : paths_)
		path.latency_ns = spread(20 * US, one_in(20) ? 100 * SEC : 100 * MS);
	invariants_begin(group_, one_in(4));
}

/* All that is held ends; no I/O is lost. */
Stream::~Stream()
{
	over_ = true;
	for (auto &path : paths_) {
		path.mode = Mode::works;
		release(path);
	}
	while (inflight_ && step())
		;
	invariants_end();
	dm_group_destroy(group_);
}

void Stream::after(uint64_t ns, unsigned int cpu, std::function<void()> happen)
{
	events_.push({ now_ns_ + ns, turns_++, cpu, std::move(happen) });
}

/* Each event begins as an interrupt, or as a worker's task. */
bool Stream::step()
{
	if (events_.empty())
		return false;

	Event event = events_.top();

	events_.pop();
	now_ns_ = event.at_ns;
	world_cpu = event.cpu;
	world_now_ns = clock_ns_ + now_ns_ + skew_ns_[world_cpu];
	world_in_task = one_in(8);
	world_task = this;
	event.happen();
	return true;
}

void Stream::run()
{
	for (unsigned int job = 0; job < depth_; job++)
		after(job, below(world_cpus), [=]() { submit(); });
	after(10 * MS, 0, [=]() { trouble(); });
	for (unsigned int n = 0; n < STEPS && step(); n++)
		;
}

size_t Stream::size()
{
	switch (below(12)) {
	case 0:
		return 0;
	case 1:
		return 1ULL << below(64);
	case 2:
		return 512 * (1 + below(4096));
	default:
		return 4096;
	}
}

/* A job's next I/O. Who finds no path, or has its I/O refused, tries again. */
void Stream::submit()
{
	size_t bytes = size();
	int path;

	if (over_)
		return;
	if (paused_) {
		after(spread(100 * MS, 10 * SEC), world_cpu, [=]() { submit(); });
		return;
	}
	world_in_task = true;
	world_task = this + 1 + below(depth_);
	lw_shim_op = (lw_op)below(4);
	path = dm_group_select(group_, bytes);
	invariants_selected(bytes, path);
	if (path < 0 || one_in(50))
		after(path < 0 ? 30 * MS : MS, below(world_cpus), [=]() { submit(); });
	else
		start(path, bytes);
}

void Stream::start(int path, size_t bytes)
{
	Path &p = paths_[path];
	Io io = { path, (unsigned int)below(world_cpus), bytes, world_now_ns, !one_in(10) };

	dm_group_start(group_, path, bytes);
	invariants_started(path, bytes);
	inflight_++;
	p.inflight++;
	switch (p.mode) {
	case Mode::refuses:
		io.stamped = false;
		dm_group_end(group_, path, bytes, 0);
		invariants_ended(path, bytes);
		inflight_--;
		p.inflight--;
		after(spread(10 * US, 3 * MS), world_cpu, [=]() { submit(); });
		break;
	case Mode::hangs:
		p.held.push_back(io);
		break;
	case Mode::answers:
		after(below(2 * US), io.cpu, [=]() { finish(io); });
		break;
	default:
		after(spread(1, 4) * p.latency_ns * (p.mode == Mode::slow ? 50 : 1) +
		      bytes % (1 << 24), io.cpu, [=]() { finish(io); });
	}
}

/*
 * The first error of a path fails it, before its I/O ends. One that finds no other path may end once
 * more, as dm does in bio-based maps, and is not in flight any more.
 */
void Stream::finish(Io io)
{
	Path &p = paths_[io.path];

	if (one_in(500))
		fail(io.path);
	lw_shim_op = (lw_op)below(4);
	dm_group_end(group_, io.path, io.bytes, io.stamped ? io.start_ns : 0);
	invariants_ended(io.path, io.bytes);
	inflight_--;
	if (!--p.inflight && p.failed)
		dm_group_end(group_, io.path, io.bytes, io.stamped ? io.start_ns : 0);
	after(below(think_ns_), world_cpu, [=]() { submit(); });
}

void Stream::release(Path &path)
{
	for (const Io &io : path.held)
		after(below(MS), io.cpu, [=]() { finish(io); });
	path.held.clear();
}

/* Now and then something happens to a path, or to the machine. */
void Stream::trouble()
{
	if (over_)
		return;
	switch (below(12)) {
	case 0:
		clock_ns_ += spread(MS, 3600 * SEC);	/* it stood still */
		break;
	case 1:
		paused_ = !paused_;
		break;
	default:
		befall(below(paths_.size()));
	}
	after(spread(MS, one_in(10) ? 30 * SEC : SEC), below(world_cpus),
	      [=]() { trouble(); });
}

void Stream::befall(int path)
{
	Path &p = paths_[path];

	switch (below(6)) {
	case 0:
		fail(path);
		break;
	case 1:
	case 2:
		reinstate(path);
		break;
	default:
		p.mode = any_of({ Mode::works, Mode::works, Mode::slow, Mode::hangs,
				  Mode::answers, Mode::refuses });
		release(p);
	}
}

void Stream::fail(int path)
{
	if (paths_[path].failed)
		return;
	dm_group_fail(group_, path);
	paths_[path].failed = true;
	invariants_failed(path, true);
}

void Stream::reinstate(int path)
{
	if (!paths_[path].failed)
		return;
	dm_group_reinstate(group_, path);
	paths_[path].failed = false;
	invariants_failed(path, false);
}

} /* namespace */

unsigned int world_node_of(unsigned int cpu)
{
	return cpu * world_nodes / world_cpus;
}

/* The only timers are those of the window. */
void world_after(uint64_t ns, void (*fn)(void *), void *arg)
{
	stream->after(ns, world_cpu, [=]() {
		fn(arg);
		invariants_window();
	});
}

int main(int argc, char **argv)
{
	unsigned long long first, count;

	if (argc < 2 || argc > 3) {
		fputs("usage: events FIRST [COUNT]\n", stderr);
		return 2;
	}
	first = strtoull(argv[1], nullptr, 10);
	count = argc > 2 ? strtoull(argv[2], nullptr, 10) : 1;
	signal(SIGABRT, aborted);
	__sanitizer_set_death_callback(tell_seed);
	for (seed = first; seed < first + count; seed++) {
		Stream one(seed);

		stream = &one;
		one.run();
	}
	dm_unload_module();
	printf("events: seeds %llu to %llu passed\n", first, first + count - 1);
	return 0;
}
