// SPDX-License-Identifier: GPL-2.0
/* Options, their limits and defaults. */
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "lw.h"
#include "model/choose.h"
#include "options.h"

#define LW_TEXT_SHOWN	40	/* characters of a wrong value */
#define LW_WORDS_SHOWN	64	/* room for the words of an option */

#define LW_OPTION(field, lo, hi)					\
	{ .name = #field, .min = lo, .max = hi, .offset = offsetof(struct lw_config, field) }

static const char * const lw_choosers[] = {
	[LW_BY_LATENCY] = "latency",
	[LW_BY_QUEUE_LENGTH] = "queue-length",
	[LW_BY_TURNS] = "round-robin",
};

const struct lw_option lw_options[LW_OPTIONS] = {
	[LW_EWMA_SHIFT] = LW_OPTION(ewma_shift, 0, 8),
	[LW_WINDOW_MS] = LW_OPTION(window_ms, 5, 1000),
	[LW_TOLERANCE] = LW_OPTION(tolerance, 0, 100),
	[LW_MAX_PENALTY] = LW_OPTION(max_penalty, 1, LW_PENALTY_MOST),
	[LW_PROBE_MIN_MS] = LW_OPTION(probe_min_ms, 10, 60000),
	[LW_PROBE_MAX_MS] = LW_OPTION(probe_max_ms, 10, 600000),
	[LW_ACCOUNTING] = LW_OPTION(accounting, 0, 1),
	[LW_HISTOGRAM] = LW_OPTION(histogram, 0, 1),
	[LW_BY_OPERATION] = LW_OPTION(by_operation, 0, 1),
	[LW_MIN_CONTIGUOUS_KB] = LW_OPTION(min_contiguous_kb, 0, 65536),
	[LW_REPORT_MS] = LW_OPTION(report_ms, 0, 600000),
	[LW_CHOOSE] = {
		.name = "choose",
		.max = ARRAY_SIZE(lw_choosers) - 1,
		.words = lw_choosers,
		.offset = offsetof(struct lw_config, choose),
	},
};

/* Defaults of new maps; docs/design.md has the reasons. Module parameters write single words. */
static struct lw_config lw_defaults = {
	.ewma_shift = 1,
	.window_ms = 20,
	.tolerance = 12,
	.max_penalty = LW_PENALTY,
	.probe_min_ms = 100,
	.probe_max_ms = 5000,
	.accounting = 1,
	.histogram = 0,
	.by_operation = 0,
	.min_contiguous_kb = 0,
	.report_ms = 5000,
	.choose = LW_BY_LATENCY,
};

/* Characters of a wrong value that the kernel log quotes. */
static int lw_text_shown(const char *text)
{
	return min_t(int, strcspn(text, "\n"), LW_TEXT_SHOWN);
}

static int lw_word_parse(const struct lw_option *o, const char *text, unsigned int *value)
{
	int i, at = 0, word = __sysfs_match_string(o->words, o->max + 1, text);
	char known[LW_WORDS_SHOWN];

	if (word >= 0) {
		*value = word;
		return 0;
	}
	for (i = 0; i <= o->max; i++)
		at += scnprintf(known + at, sizeof(known) - at, "%s%s", i ? ", " : "",
				o->words[i]);
	DMERR("%s: \"%.*s\" is none of %s", o->name, lw_text_shown(text), text, known);
	return -EINVAL;
}

/**
 * lw_option_parse() - parse the value of an option
 * @o: the option
 * @text: decimal value or word, optionally followed by a newline
 * @value: out: the value
 * Return: 0; or -EINVAL, after logging the valid values.
 */
int lw_option_parse(const struct lw_option *o, const char *text,
		    unsigned int *value)
{
	if (o->words)
		return lw_word_parse(o, text, value);
	if (!kstrtouint(text, 10, value) && *value >= o->min && *value <= o->max)
		return 0;
	DMERR("%s: \"%.*s\" is not a number from %u to %u", o->name,
	      lw_text_shown(text), text, o->min, o->max);
	return -EINVAL;
}

/**
 * lw_option_print() - print the value of an option, as lw_option_parse() takes it
 * @o: the option
 * @value: its value
 * @page: out: page of a file in sysfs
 * Return: number of characters.
 */
int lw_option_print(const struct lw_option *o, unsigned int value, char *page)
{
	if (o->words)
		return sysfs_emit(page, "%s\n", o->words[value]);
	return sysfs_emit(page, "%u\n", value);
}

/**
 * lw_config_default() - get the defaults of a new map
 * @config: out
 *
 * Parameters are set one at a time, so the probe periods may cross; no map fails for that.
 */
void lw_config_default(struct lw_config *config)
{
	const struct lw_option *o;

	for (o = lw_options; o < lw_options + LW_OPTIONS; o++)
		lw_option_put(config, o, lw_option_get(&lw_defaults, o));
	lw_config_uncross(config, false);
}

/**
 * lw_config_uncross() - adjust the probe periods if they cross
 * @config: values within their own limits
 * @keep_max: keep the longest period, otherwise the shortest
 */
void lw_config_uncross(struct lw_config *config, bool keep_max)
{
	if (config->probe_min_ms <= config->probe_max_ms)
		return;
	if (keep_max)
		config->probe_min_ms = config->probe_max_ms;
	else
		config->probe_max_ms = config->probe_min_ms;
}

/**
 * lw_config_check() - check that the values are consistent
 * @config: values within their own limits
 * Return: 0; or -EINVAL, after logging the error.
 */
int lw_config_check(const struct lw_config *config)
{
	if (config->probe_min_ms > config->probe_max_ms) {
		DMERR("probe_min_ms: %u is more than probe_max_ms, which is %u",
		      config->probe_min_ms, config->probe_max_ms);
		return -EINVAL;
	}
	return 0;
}

/* kp->arg is the option. Called by sysfs and modprobe in process context; may sleep. */
static int lw_param_set(const char *text, const struct kernel_param *kp)
{
	unsigned int value;
	int err = lw_option_parse(kp->arg, text, &value);

	if (!err)
		lw_option_put(&lw_defaults, kp->arg, value);
	return err;
}

static int lw_param_get(char *buffer, const struct kernel_param *kp)
{
	return lw_option_print(kp->arg, lw_option_get(&lw_defaults, kp->arg), buffer);
}

static const struct kernel_param_ops lw_param_ops = {
	.set = lw_param_set,
	.get = lw_param_get,
};

#define LW_PARAM(index, name)						\
	module_param_cb(name, &lw_param_ops, (void *)&lw_options[index], 0644)

LW_PARAM(LW_EWMA_SHIFT, ewma_shift);
MODULE_PARM_DESC(ewma_shift, "weight of a window in a latency is 1/2^ewma_shift, for new maps (0-8, default 1)");
LW_PARAM(LW_WINDOW_MS, window_ms);
MODULE_PARM_DESC(window_ms, "length of a window in ms, for new maps (5-1000, default 20)");
LW_PARAM(LW_TOLERANCE, tolerance);
MODULE_PARM_DESC(tolerance, "per cent by which latencies of equal paths may differ, for new maps (0-100, default 12)");
LW_PARAM(LW_MAX_PENALTY, max_penalty);
MODULE_PARM_DESC(max_penalty, "the most that overload adds to a path's cost, in multiples of its latency, for new maps (1-1000, default 20)");
LW_PARAM(LW_PROBE_MIN_MS, probe_min_ms);
MODULE_PARM_DESC(probe_min_ms, "shortest period of probing an unused path in ms, for new maps (10-60000, default 100)");
LW_PARAM(LW_PROBE_MAX_MS, probe_max_ms);
MODULE_PARM_DESC(probe_max_ms, "longest period of probing an unused path in ms, for new maps (10-600000, default 5000)");
LW_PARAM(LW_ACCOUNTING, accounting);
MODULE_PARM_DESC(accounting, "have the paths' queues stamp their requests, for new maps (0-1, default 1)");
LW_PARAM(LW_HISTOGRAM, histogram);
MODULE_PARM_DESC(histogram, "count I/Os by latency, for percentiles in debugfs, for new maps (0-1, default 0)");
LW_PARAM(LW_BY_OPERATION, by_operation);
MODULE_PARM_DESC(by_operation, "tell reads from writes, for new maps (0-1, default 0)");
LW_PARAM(LW_MIN_CONTIGUOUS_KB, min_contiguous_kb);
MODULE_PARM_DESC(min_contiguous_kb, "KiB that a CPU sends to one of several equal paths in a row, for new maps (0-65536, default 0)");
LW_PARAM(LW_REPORT_MS, report_ms);
MODULE_PARM_DESC(report_ms, "report a path in the kernel log and by a uevent once it has been slow for so many ms, or no longer, 0 for never, for new maps (0-600000, default 5000)");
LW_PARAM(LW_CHOOSE, choose);
MODULE_PARM_DESC(choose, "what chooses a path, for new maps: latency, or, to observe only, queue-length or round-robin (default latency)");
