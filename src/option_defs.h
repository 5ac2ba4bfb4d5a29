/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Table of the options of a map. Who includes it defines LW_OPTION() and LW_CHOICE():
 *
 *	LW_OPTION(name, least, most, default, unit, sentence)
 *	LW_CHOICE(name, default, sentence, words...)
 *
 * A comment before a row has more about the option, for docs/ABI. The unit is one of LW_UNIT_* in
 * options.c. "make tables" writes documents, completion and dm-lw's table anew; CONTRIBUTING.md has
 * a recipe.
 */

LW_OPTION(ewma_shift, 0, 8, 1, none,
	  "a window has the weight 1/2^ewma_shift in a path's latency")

/*
 * Where there is little traffic, estimates are made each 100 ms, or once in this time if that is
 * longer.
 */
LW_OPTION(window_ms, 5, 1000, 20, ms,
	  "how often estimates are made while there is traffic")

/* The latencies are base latencies. Paths within the tolerance share evenly. */
LW_OPTION(tolerance, 0, 100, 12, percent,
	  "latencies of equal paths may differ by this part of the least")

/* The lower, the longer a fast path keeps I/Os although they queue there; see lw_cost(). */
LW_OPTION(max_penalty, 1, 1000, 20, none,
	  "the most that overload adds to a path's cost, in multiples of its latency")

/* Not more than probe_max_ms. */
LW_OPTION(probe_min_ms, 10, 60000, 100, ms,
	  "shortest period of probing a path that is not used")

/* Not less than probe_min_ms. Only time with traffic counts. */
LW_OPTION(probe_max_ms, 10, 600000, 5000, ms,
	  "longest period of probing a path that is not used")

/*
 * Others, such as writeback throttling, may have requests stamped as well. Linux before 5.17 and
 * RHEL before 9.1 cannot stop that.
 */
LW_OPTION(accounting, 0, 1, 1, none,
	  "have the paths' queues stamp their requests with the time")

/*
 * It takes 15 KiB for each path and possible CPU. Without memory for it the kernel log says so, and
 * I/Os of the path are not counted by latency. 0 forgets all counts.
 */
LW_OPTION(histogram, 0, 1, 0, none,
	  "count I/Os by latency, too, for percentiles in debugfs")

/*
 * If the kernel lacks one of the tracepoints, its log says so, and 1 has no effect. While any map
 * has 1, each request of any disk of the machine costs a little more.
 */
LW_OPTION(by_operation, 0, 1, 0, none,
	  "tell reads from writes, by the block layer's tracepoints")

LW_OPTION(min_contiguous_kb, 0, 65536, 0, KiB,
	  "how much a CPU sends to one of several equal paths before it may change; 0 is off")

/* By the kernel log and a uevent, see uevent-dm-latency-weighted. */
LW_OPTION(report_ms, 0, 600000, 5000, ms,
	  "how long a path has to be slow, or no longer, until it is reported; 0 is never")

/*
 * To observe, I/O goes by the rule of the kernel's selector of that name, among the most usable
 * paths: while there is another, none that is suddenly fast, rejects I/O, is not validated, or
 * hangs. All else is measured and reported as ever. See "Observing" in
 * docs/latency-weighted.rst.
 */
LW_CHOICE(choose, LW_BY_LATENCY,
	  "rule that chooses paths: latency, the default; to observe, queue-length or round-robin",
	  [LW_BY_LATENCY] = "latency",
	  [LW_BY_QUEUE_LENGTH] = "queue-length",
	  [LW_BY_TURNS] = "round-robin")

#undef LW_OPTION
#undef LW_CHOICE
