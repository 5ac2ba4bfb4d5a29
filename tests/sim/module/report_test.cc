// SPDX-License-Identifier: GPL-2.0
/* src/admin/report.c: which paths are reported, by the module's own windows. */
/*
 * promise output/reports: A path that becomes slow, or recovers, is reported once, by kernel log,
 *   uevent and `dm-lw events`; noise, a failure, or all paths together make no report | check:
 *   yes; some in guests only there | full: `guests-*`
 */
#include <cstdio>

#include "check.h"
#include "loop.h"

namespace {

constexpr uint64_t SEC = 1000 * MS;
/* How long until a path is known, and until a report is due: report_ms, and six looks. */
constexpr uint64_t KNOWN = 5 * SEC, DUE = 12 * SEC;

const Latencies equal = { { 1 * MS, 1 * MS }, { 1 * MS, 1 * MS } };

void set_latency(Loop &loop, size_t path, uint64_t ns)
{
	loop.latencies[path] = { ns, ns };
}

void begin(unsigned int cpus = 4)
{
	boot(cpus, 1);
	kernel_notices = {};
	kernel_refuses_notices = false;
}

void check_notices(unsigned int slow, unsigned int recovered)
{
	CHECK(kernel_notices.slow == slow);
	CHECK(kernel_notices.recovered == recovered);
}

void slow_path_is_reported_once()
{
	begin();

	Loop loop(equal, 8);

	run(KNOWN);
	for (unsigned int round = 1; round <= 3; round++) {
		set_latency(loop, 1, 20 * MS);
		run(4 * SEC);
		check_notices(round - 1, round - 1);
		run(DUE - 4 * SEC);
		check_notices(round, round - 1);
		CHECK(kernel_notices.was_ns < 2 * MS);
		CHECK(kernel_notices.is_ns > 10 * MS);
		run(60 * SEC);
		check_notices(round, round - 1);
		set_latency(loop, 1, 1 * MS);
		run(DUE);
		check_notices(round, round);
		CHECK(kernel_notices.was_ns > 10 * MS);
		CHECK(kernel_notices.is_ns < 2 * MS);
	}
}

void a_single_path_is_reported_too()
{
	begin();

	Loop loop({ { 1 * MS, 1 * MS } }, 8);

	run(KNOWN);
	set_latency(loop, 0, 20 * MS);
	run(DUE);
	check_notices(1, 0);
}

void far_path_is_not_slow()
{
	begin();

	Loop loop(fast_and_slow, 8);

	run(120 * SEC);
	check_notices(0, 0);
}

/* All of them: their device; and then one of them, beside the others. */
void all_together_are_not_reported()
{
	begin();

	Loop loop(equal, 8);

	run(KNOWN);
	set_latency(loop, 0, 5 * MS);
	set_latency(loop, 1, 5 * MS);
	run(20 * SEC);
	check_notices(0, 0);
	set_latency(loop, 1, 50 * MS);
	run(2 * DUE);
	check_notices(1, 0);
}

void failed_path_is_not_reported()
{
	begin();

	Loop loop(equal, 8);

	run(KNOWN);
	loop.selector.fail(1);
	set_latency(loop, 1, 20 * MS);
	run(60 * SEC);
	check_notices(0, 0);
	loop.selector.reinstate(1);
	run(DUE);
	check_notices(1, 0);
}

/* That it was slow for a while before it failed does not count afterwards. */
void failure_begins_anew()
{
	begin();

	Loop loop(equal, 8);

	run(KNOWN);
	set_latency(loop, 1, 20 * MS);
	run(4 * SEC);
	loop.selector.fail(1);
	run(60 * SEC);
	loop.selector.reinstate(1);
	run(4 * SEC);
	check_notices(0, 0);
	run(DUE - 4 * SEC);
	check_notices(1, 0);
}

/* It is as it was when it failed, and tells nothing of the others since. */
void failed_path_is_not_compared_with()
{
	begin();

	Loop loop({ { 1 * MS, 1 * MS }, { 1 * MS, 1 * MS }, { 1 * MS, 1 * MS } }, 8);

	run(KNOWN);
	loop.selector.fail(0);
	set_latency(loop, 1, 5 * MS);
	set_latency(loop, 2, 5 * MS);
	run(20 * SEC);
	check_notices(0, 0);
}

/* Nothing ends there, and the time for which nothing does is what it is slow by. */
void path_that_hangs_is_reported()
{
	begin();

	Loop loop(equal, 8);

	run(KNOWN);
	set_latency(loop, 1, 20 * SEC);
	run(DUE + SEC);
	check_notices(1, 0);
	CHECK(kernel_notices.is_ns > 5 * SEC);
	set_latency(loop, 1, 1 * MS);
	run(30 * SEC);
	check_notices(1, 1);
}

void off_reports_nothing()
{
	begin();

	Loop loop(equal, 8, { { "report_ms", "0" } });

	run(KNOWN);
	set_latency(loop, 1, 20 * MS);
	run(60 * SEC);
	check_notices(0, 0);
}

/* There was no memory, or the map had its share: a later look reports it. */
void what_is_refused_is_told_later()
{
	begin();

	Loop loop({ { 1 * MS, 1 * MS } }, 8);

	run(KNOWN);
	kernel_refuses_notices = true;
	set_latency(loop, 0, 20 * MS);
	run(30 * SEC);
	check_notices(0, 0);
	/* At each look, and there are no more than five a second. */
	CHECK(kernel_notices.refused > 50 && kernel_notices.refused <= 5 * 30);
	kernel_refuses_notices = false;
	run(1 * SEC);
	check_notices(1, 0);
	/* And nothing is told of what is over by then. */
	kernel_refuses_notices = true;
	set_latency(loop, 0, 1 * MS);
	run(DUE);
	set_latency(loop, 0, 20 * MS);
	run(2 * SEC);
	kernel_refuses_notices = false;
	run(DUE);
	check_notices(1, 0);
}

/* A table that is loaded finds the path as it was reported. */
void reload_reports_nothing_again()
{
	begin();

	Loop loop(equal, 8);

	run(KNOWN);
	set_latency(loop, 1, 20 * MS);
	run(DUE);
	check_notices(1, 0);

	dm_group *next = dm_group_create_beside(loop.selector.group(), 2);

	run(DUE);
	dm_group_destroy(next);
	run(DUE);
	check_notices(1, 0);
}

} /* namespace */

int main()
{
	slow_path_is_reported_once();
	a_single_path_is_reported_too();
	far_path_is_not_slow();
	all_together_are_not_reported();
	failed_path_is_not_reported();
	failure_begins_anew();
	failed_path_is_not_compared_with();
	path_that_hangs_is_reported();
	off_reports_nothing();
	what_is_refused_is_told_later();
	reload_reports_nothing_again();
	dm_unload_module();
	printf("reports: passed\n");
	return 0;
}
