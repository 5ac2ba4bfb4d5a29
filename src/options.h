/* SPDX-License-Identifier: GPL-2.0 */
/* What can be set, by module parameter, table argument or file. */
#ifndef LW_OPTIONS_H
#define LW_OPTIONS_H

#include <linux/compiler.h>
#include <linux/types.h>

/** struct lw_config - what can be set; options.c has the limits and the defaults */
struct lw_config {
	/** @ewma_shift: weight of a window in a latency is 1 / 2^ewma_shift */
	unsigned int ewma_shift;
	/** @window_ms: length of a window */
	unsigned int window_ms;
	/** @tolerance: per cent by which latencies of equal paths may differ */
	unsigned int tolerance;
	/** @max_penalty: the most that overload adds to a path's cost, in latencies of it */
	unsigned int max_penalty;
	/** @probe_min_ms: shortest period of probing a path that is not used */
	unsigned int probe_min_ms;
	/** @probe_max_ms: longest period */
	unsigned int probe_max_ms;
	/** @accounting: have the paths' queues stamp their requests */
	unsigned int accounting;
	/** @histogram: count I/Os by latency, too */
	unsigned int histogram;
	/** @min_contiguous_kb: KiB that a CPU sends to one path in a row, 0 for off */
	unsigned int min_contiguous_kb;
	/** @report_ms: how long a path has to be slow until that is reported, 0 for never */
	unsigned int report_ms;
};

/**
 * struct lw_option - something that can be set
 * @name: of the module parameter, the key in the table line and the file
 * @min: smallest value
 * @max: largest value
 * @offset: where it is in struct lw_config
 */
struct lw_option {
	const char *name;
	unsigned int min;
	unsigned int max;
	size_t offset;
};

/* In the order of lw_options[]. */
enum lw_option_index {
	LW_EWMA_SHIFT,
	LW_WINDOW_MS,
	LW_TOLERANCE,
	LW_MAX_PENALTY,
	LW_PROBE_MIN_MS,
	LW_PROBE_MAX_MS,
	LW_ACCOUNTING,
	LW_HISTOGRAM,
	LW_MIN_CONTIGUOUS_KB,
	LW_REPORT_MS,
	LW_OPTIONS
};

extern const struct lw_option lw_options[LW_OPTIONS];

static inline unsigned int lw_option_get(const struct lw_config *config,
					 const struct lw_option *o)
{
	return READ_ONCE(*(const unsigned int *)((const char *)config + o->offset));
}

/* Others may be reading it. */
static inline void lw_option_put(struct lw_config *config,
				 const struct lw_option *o, unsigned int value)
{
	WRITE_ONCE(*(unsigned int *)((char *)config + o->offset), value);
}

int lw_option_parse(const struct lw_option *o, const char *text,
		    unsigned int *value);
void lw_config_default(struct lw_config *config);
void lw_config_uncross(struct lw_config *config, bool keep_max);
int lw_config_check(const struct lw_config *config);

#endif
