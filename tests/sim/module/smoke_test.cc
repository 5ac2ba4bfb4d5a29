// SPDX-License-Identifier: GPL-2.0
/*
 * Does the module's own code run in the simulated kernel, in the small world of loop.h?
 */
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <queue>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "check.h"
#include "loop.h"

namespace {

void fast_path_takes_nearly_all()
{
	boot(4, 1);

	Loop loop(fast_and_slow, 8);

	loop.measure(2000 * MS);
	CHECK(loop.count[1][0] > 0);
	loop.measure(10000 * MS);
	CHECK(loop.share(0) > 0.99);
	/* At least every 5 s of traffic there is a probe. */
	CHECK(loop.count[1][0] >= 2);
	CHECK(loop.count[0][0] > 70000);
}

/* 20 ms are five ticks of HZ=250, and the timer wheel adds one. */
void window_comes_every_24_ms()
{
	boot(4, 1);

	Loop loop(fast_and_slow, 8);

	run(1000 * MS);
	CHECK(timers.size() > 40);
	for (size_t i = 1; i < timers.size(); i++)
		CHECK(timers[i] - timers[i - 1] == 24 * MS);
}

bool ends_with(const std::string &text, const std::string &end)
{
	return text.size() >= end.size() &&
	       !text.compare(text.size() - end.size(), end.size(), end);
}

void failed_path_gets_nothing()
{
	boot(4, 1);

	Loop loop(fast_and_slow, 8);

	run(1000 * MS);
	loop.selector.fail(0);
	loop.measure(1000 * MS);
	CHECK(loop.share(0) == 0.0);
	CHECK(loop.count[1][0] > 700);
	CHECK(ends_with(loop.selector.status(0), " 4 1 "));	/* failed, by stamps */
	CHECK(ends_with(loop.selector.status(1), " 1 1 "));	/* active */
	loop.selector.reinstate(0);
	run(500 * MS);
	loop.measure(1000 * MS);
	CHECK(loop.share(0) > 0.98);
	loop.selector.fail(0);
	loop.selector.fail(1);
	CHECK(loop.selector.select(BYTES) == -1);
}

/* The third word of a path's status. */
int inflight(ModuleSelector &selector, int path)
{
	std::istringstream words(selector.status(path));
	std::string weight, latency;
	unsigned int ios;

	words >> weight >> latency >> ios;
	return (int)ios;
}

/* How many of 32 I/Os at once each path gets. */
std::array<int, 2> spread_of(dm_group *table)
{
	std::array<int, 2> count = {};

	for (int i = 0; i < 32; i++) {
		int path = dm_group_select(table, BYTES);

		dm_group_start(table, path, BYTES);
		count[path]++;
	}
	for (int path = 0; path < 2; path++)
		for (int i = 0; i < count[path]; i++)
			dm_group_end(table, path, BYTES, world_now_ns);
	return count;
}

/* One at a time. */
void use(dm_group *table, int ios)
{
	for (int i = 0; i < ios; i++) {
		uint64_t start_ns = world_now_ns;
		int path = dm_group_select(table, BYTES);

		dm_group_start(table, path, BYTES);
		run(1 * MS);
		dm_group_end(table, path, BYTES, start_ns);
	}
}

/* promise service/reload-of-failed */
/*
 * dm takes it for usable, until multipathd fails it again: it gets one I/O, a probe. If that one
 * comes back, later tables have no doubt.
 */
void failed_path_is_probed_by_a_new_table()
{
	boot(1, 1);

	Loop loop({ { 1 * MS, 1 * MS }, { 1 * MS, 1 * MS } }, 8);

	run(500 * MS);
	loop.selector.fail(0);
	run(1000 * MS);

	dm_group *next = dm_group_create_beside(loop.selector.group(), 2);

	CHECK(spread_of(next)[0] <= 1);
	use(next, 200);

	dm_group *later = dm_group_create_beside(next, 2);

	CHECK(spread_of(later)[0] > 4);
	dm_group_destroy(later);
	dm_group_destroy(next);
}

/* promise memory/ended-twice */
/*
 * dm ends an I/O once more than it started it. Nothing is in flight then, or another size, of
 * which some then hold less than nothing: a path that is at rest neither looks full nor stalled.
 */
void end_too_many_is_forgotten()
{
	const size_t large = 1 << 20;
	const std::vector<std::vector<size_t>> starts_then_ends[] = {
		{ { BYTES }, { BYTES, BYTES } },
		{ { BYTES }, { large, BYTES } },
		{ { large }, { BYTES, large } },
		{ { BYTES, large }, { BYTES, BYTES, large } },
		{ { large, large }, { BYTES, large, large } },
		{ { BYTES, BYTES, large }, { large, large, BYTES, BYTES } },
	};

	for (const auto &io : starts_then_ends) {
		boot(2, 1);
		ModuleSelector selector(1, {});

		/* What ends twice was started once. */
		for (size_t bytes : { BYTES, large }) {
			selector.start(0, bytes);
			run(1 * MS);
			selector.end(0, bytes, world_now_ns - 1 * MS);
		}
		for (size_t bytes : io[0])
			selector.start(0, bytes);
		run(1 * MS);
		for (size_t bytes : io[1]) {
			selector.end(0, bytes, world_now_ns - 1 * MS);
			CHECK(inflight(selector, 0) >= 0);
		}
		CHECK(inflight(selector, 0) == 0);
		run(5000 * MS);
		CHECK(inflight(selector, 0) == 0);
		CHECK(!ends_with(selector.status(0), " 2 1 "));	/* stalled */
		selector.start(0, BYTES);
		CHECK(inflight(selector, 0) == 1);
		run(5000 * MS);
		CHECK(ends_with(selector.status(0), " 2 1 "));
		selector.end(0, BYTES, world_now_ns - 5000 * MS);
		CHECK(inflight(selector, 0) == 0);
	}
}

/* promise memory/ended-twice */
/*
 * An end too many while others are in flight is taken for one of theirs, and so many are missing
 * from the count until the path is empty; but never more than there are. A limit that is known.
 */
void end_too_many_is_missing_until_the_path_is_empty()
{
	boot(2, 1);
	ModuleSelector selector(1, {});
	int others = 5;
	auto end = [&]() { selector.end(0, BYTES, world_now_ns - 1 * MS); };

	for (int n = 0; n < others; n++)
		selector.start(0, BYTES);
	for (int second = 1; second < 10; second++) {
		selector.start(0, BYTES);
		run(1 * MS);
		end();
		end();
		CHECK(inflight(selector, 0) == std::max(others - second, 0));
	}
	run(1000 * MS);
	selector.start(0, BYTES);
	CHECK(inflight(selector, 0) == 1);
	for (int left = others; left >= 0; left--)
		end();
	CHECK(inflight(selector, 0) == 0);
	for (int n = 1; n <= others; n++) {
		selector.start(0, BYTES);
		CHECK(inflight(selector, 0) == n);
	}
	for (int n = 0; n < others; n++)
		end();
}

/*
 * promise steering/never-issued: Only I/Os that the driver sent back count as never issued, also
 *   if one worker starts and ends I/Os | full: `guests-*`
 */
/*
 * A thread that starts an I/O and soon ends one: within one call, and in one work of a worker, the
 * driver was too busy for it. In another work of the same worker it is done, however fast.
 */
void worker_may_end_what_it_started()
{
	const char begins = 0, ends = 0;

	for (const void *work : { &begins, &ends }) {
		boot(1, 1);
		ModuleSelector selector(1, {});

		for (int n = 0; n < 1000; n++) {
			uint64_t start_ns = world_now_ns;

			world_in_task = true;
			world_task = &selector;
			kernel_work = &begins;
			selector.start(0, BYTES);
			world_now_ns += 60000;
			kernel_work = work;
			selector.end(0, BYTES, start_ns);
			kernel_work = nullptr;
			run(MS);
		}
		std::string status = selector.status(0);

		/* Latencies of 60 us. */
		CHECK(work == &ends ? status == "128 60 0 1 1 " || status == "128 59 0 1 1 "
				    : status == "0 0 0 0 0 ");
	}
}

/* Each node is near to a path of its own. */
void nodes_choose_for_themselves()
{
	boot(8, 2);

	Loop loop({ { 1 * MS, 3 * MS }, { 3 * MS, 1 * MS } }, 8);

	run(2000 * MS);
	loop.measure(2000 * MS);
	CHECK(loop.count[0][0] > 20 * loop.count[1][0]);
	CHECK(loop.count[1][1] > 20 * loop.count[0][1]);
}

/* What no I/O goes to does not end the runs of the other paths. */
void runs_go_on_while_a_nearer_path_pauses()
{
	boot(1, 1);

	Loop loop({ { 1 * MS, 1 * MS }, { 3 * MS, 3 * MS }, { 3 * MS, 3 * MS } }, 4,
		  { { "min_contiguous_kb", "64" } });
	int was, changes = 0;

	run(5000 * MS);
	loop.latencies[0] = { 1000 * MS, 1000 * MS };
	run(200 * MS);
	was = loop.selector.select(BYTES);
	for (int i = 0; i < 64; i++) {
		int is = loop.selector.select(BYTES);

		CHECK(is != 0);
		loop.selector.start(is, BYTES);
		loop.selector.end(is, BYTES, world_now_ns - 3 * MS);
		changes += is != was;
		was = is;
	}
	/* A run is of 16 I/Os, and there may be probes. */
	CHECK(changes <= 8);
}

/* promise service/probe-wait */
/* Though each path wants one as soon as it may, and there are too few I/Os for that. */
void probes_go_round()
{
	boot(1, 1);

	Loop loop(Latencies(13, { 1000 * MS, 1000 * MS }), 1);

	loop.measure(60000 * MS);
	for (const auto &nodes : loop.count)
		CHECK(nodes[0] >= 3);
}

/*
 * promise memory/many-cpus: The module works with more CPUs than any test machine has | by: up to
 *   256, simulated
 */
/* promise lifecycle/end-of-table */
/* The sanitizer sees a window of a selector that is gone, and what was not freed. */
void selectors_come_and_go()
{
	for (unsigned int cpus = 1; cpus <= 256; cpus *= 4) {
		boot(cpus, cpus > 16 ? 2 : 1);
		Loop(fast_and_slow, 8, { { "window_ms", "1000" } }).measure(50 * MS);
		Loop(fast_and_slow, 8).measure(50 * MS);
		run(2000 * MS);
	}
	CHECK(events.empty());
}

/* One grace period for 16 pieces of memory, not one each. */
void measurements_end_together()
{
	boot(2, 1);

	for (unsigned int paths : { 1U, 5U, 16U }) {
		unsigned long before = 0;
		{
			ModuleSelector selector(paths, { { "histogram", "1" }, { "by_operation", "1" } });

			before = kernel_rcu_waits;
		}
		CHECK(kernel_rcu_waits - before == (3U * paths + 15) / 16);
	}
}

/* A slow path gets as much as a fast one, and none while it is failed; its state tells. */
void observed_map_goes_by_turns()
{
	boot(1, 1);

	Loop loop(fast_and_slow, 4, { { "choose", "round-robin" } });

	run(5000 * MS);
	loop.measure(5000 * MS);
	CHECK(loop.count[0][0] + loop.count[1][0] > 1000);
	CHECK(loop.share(1) > 0.499 && loop.share(1) < 0.501);
	CHECK(ends_with(loop.selector.status(1), " 2 1 "));	/* slow, by stamps */
	loop.selector.fail(0);
	loop.measure(1000 * MS);
	CHECK(loop.share(0) == 0.0);
}

/* As many in flight here as there, so shares are as latencies. */
void observed_map_goes_by_queue_length()
{
	boot(4, 1);

	Loop loop(fast_and_slow, 8, { { "choose", "queue-length" } });

	run(5000 * MS);
	loop.measure(5000 * MS);
	CHECK(loop.share(1) > 0.085 && loop.share(1) < 0.095);
	CHECK(ends_with(loop.selector.status(1), " 2 1 "));
}

void bad_options_are_refused()
{
	boot(4, 1);
	try {
		make_module_selector(2, { { "choose", "fastest" } });
		CHECK(!"refused");
	} catch (const std::invalid_argument &e) {
		CHECK(std::string(e.what()).find("choose: \"fastest\" is none of latency, "
						 "queue-length, round-robin") != std::string::npos);
	}
	try {
		make_module_selector(2, { { "window_ms", "many" } });
		CHECK(!"refused");
	} catch (const std::invalid_argument &e) {
		CHECK(std::string(e.what()).find("window_ms: \"many\" is not a number") !=
		      std::string::npos);
	}
}

/*
 * promise memory/out-of-memory: A table for which memory runs out is refused and leaves nothing;
 *   without its files a path works all the same | check: simulated | full: `guests-debug-*`,
 *   `guests-kcsan-*`
 */
/* A table for which memory runs out is refused; the sanitizer sees what is not given back. */
void each_allocation_may_fail()
{
	const Options options = { { "window_ms", "50" }, { "prefer", "8:0" } };
	unsigned int refused = 0;

	boot(4, 2);
	make_module_selector(1, {});
	for (unsigned int n = 1; ; n++) {
		kernel_no_memory_at = n;
		try {
			make_module_selector(3, options);
		} catch (const std::invalid_argument &) {
			CHECK(!kernel_no_memory_at);
			refused++;
			continue;
		}
		break;
	}
	kernel_no_memory_at = 0;
	CHECK(refused > 30);
}

/* Little's law alone gives the same. */
void works_without_stamps()
{
	boot(4, 1);

	Loop loop(fast_and_slow, 8, { { "accounting", "0" } });

	run(2000 * MS);
	loop.measure(2000 * MS);
	CHECK(loop.share(0) > 0.99);
}

/* The first number after a name. */
int number_after(const std::string &text, const std::string &name)
{
	size_t at = text.find(name);

	CHECK(at != std::string::npos);
	return std::stoi(text.substr(at + name.size()));
}

bool about_1000(int us)
{
	return us >= 995 && us <= 1005;
}

/* For whoever debugs: a line for each path. */
void trace_tells_of_each_path()
{
	char text[1024] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	boot(4, 1);

	Loop loop(fast_and_slow, 8);

	run(2000 * MS);
	loop.selector.trace(out);
	fclose(out);
	CHECK(std::string(text).find("3000.000 ms path 0 use knee=") == 0);
	CHECK(std::string(text).find("\n3000.000 ms path 1 use knee=") != std::string::npos);
	CHECK(about_1000(number_after(text, " base=")));
	CHECK(about_1000(number_after(text, " lat=")));
	CHECK(about_1000(number_after(text, " proven class1: lat=")));
}

} /* namespace */

int main()
{
	fast_path_takes_nearly_all();
	window_comes_every_24_ms();
	failed_path_gets_nothing();
	failed_path_is_probed_by_a_new_table();
	end_too_many_is_forgotten();
	end_too_many_is_missing_until_the_path_is_empty();
	worker_may_end_what_it_started();
	nodes_choose_for_themselves();
	runs_go_on_while_a_nearer_path_pauses();
	probes_go_round();
	selectors_come_and_go();
	measurements_end_together();
	observed_map_goes_by_turns();
	observed_map_goes_by_queue_length();
	bad_options_are_refused();
	each_allocation_may_fail();
	works_without_stamps();
	trace_tells_of_each_path();
	dm_unload_module();
	printf("kernel-smoke: passed\n");
	return 0;
}
