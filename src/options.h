/* SPDX-License-Identifier: GPL-2.0 */
/* Options, set by module parameter, table argument or file. */
#ifndef LW_OPTIONS_H
#define LW_OPTIONS_H

#include <linux/compiler.h>
#include <linux/types.h>

/* Values of the options; options.c has limits and defaults. */
struct lw_config {
	unsigned int ewma_shift;	/* a window's weight in a latency is 1 / 2^ewma_shift */
	unsigned int window_ms;		/* length of a window */
	unsigned int tolerance;	/* latencies of equal paths may differ by this many per cent */
	unsigned int max_penalty;	/* largest overload penalty, in multiples of the latency */
	unsigned int probe_min_ms;	/* shortest probe period of an unused path */
	unsigned int probe_max_ms;	/* longest probe period */
	unsigned int accounting;	/* have the queues of the paths stamp their requests */
	unsigned int histogram;		/* count I/Os by latency */
	unsigned int by_operation;	/* tell reads from writes */
	unsigned int min_contiguous_kb;	/* KiB that a CPU sends to one path in a row, 0: off */
	unsigned int report_ms;		/* report a path after it was slow for so long, 0: never */
	unsigned int choose;		/* enum lw_chooser */
};

/* Description of an option: a number, or one of several words, which counts from 0. */
struct lw_option {
	const char *name;	/* name of the module parameter, table argument and file */
	unsigned int min;	/* smallest value */
	unsigned int max;	/* largest value */
	const char * const *words;	/* a word for each value; NULL for a number */
	size_t offset;		/* offset in struct lw_config */
};

/* Indices of lw_options[]. */
enum lw_option_index {
	LW_EWMA_SHIFT,
	LW_WINDOW_MS,
	LW_TOLERANCE,
	LW_MAX_PENALTY,
	LW_PROBE_MIN_MS,
	LW_PROBE_MAX_MS,
	LW_ACCOUNTING,
	LW_HISTOGRAM,
	LW_BY_OPERATION,
	LW_MIN_CONTIGUOUS_KB,
	LW_REPORT_MS,
	LW_CHOOSE,
	LW_OPTIONS
};

extern const struct lw_option lw_options[LW_OPTIONS];

static inline unsigned int lw_option_get(const struct lw_config *config,
					 const struct lw_option *o)
{
	return READ_ONCE(*(const unsigned int *)((const char *)config + o->offset));
}

/* Readers take no lock. */
static inline void lw_option_put(struct lw_config *config,
				 const struct lw_option *o, unsigned int value)
{
	WRITE_ONCE(*(unsigned int *)((char *)config + o->offset), value);
}

int lw_option_parse(const struct lw_option *o, const char *text,
		    unsigned int *value);
int lw_option_print(const struct lw_option *o, unsigned int value, char *page);
void lw_config_default(struct lw_config *config);
void lw_config_uncross(struct lw_config *config, bool keep_max);
int lw_config_check(const struct lw_config *config);

#endif
