// SPDX-License-Identifier: GPL-2.0
/* Options: their values as text, and module parameters. */
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "lw.h"
#include "model/choose.h"
#include "options.h"

#define LW_TEXT_SHOWN	40	/* characters of a wrong value */
#define LW_WORDS_SHOWN	64	/* room for the words of an option */

const struct lw_option lw_options[LW_OPTIONS] = {
#define LW_OPTION(option, least, most, ...)				\
	{ .name = #option, .min = least, .max = most,			\
	  .offset = offsetof(struct lw_config, option) },
#define LW_CHOICE(option, value, text, ...)				\
	{ .name = #option, .max = ARRAY_SIZE(((const char * const []){ __VA_ARGS__ })) - 1, \
	  .words = (const char * const []){ __VA_ARGS__ },		\
	  .offset = offsetof(struct lw_config, option) },
#include "option_defs.h"
};

/* Defaults of new maps. Module parameters write single words. */
static struct lw_config lw_defaults = {
#define LW_OPTION(option, least, most, value, ...) .option = value,
#define LW_CHOICE(option, value, ...) .option = value,
#include "option_defs.h"
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

#define LW_PARAM(option)						\
	module_param_cb(option, &lw_param_ops, (void *)&lw_options[LW_OPTION_##option], 0644);
#define LW_OPTION(option, ...) LW_PARAM(option)
#define LW_CHOICE(option, ...) LW_PARAM(option)
#include "option_defs.h"

#define LW_UNIT_none	""
#define LW_UNIT_ms	" ms"
#define LW_UNIT_percent	" %"
#define LW_UNIT_KiB	" KiB"

/* As in: how often estimates are made, for new maps (5-1000 ms, default 20) */
#define LW_OPTION(option, least, most, value, unit, text)		\
	MODULE_PARM_DESC(option, text ", for new maps (" #least "-" #most	\
			 LW_UNIT_##unit ", default " #value ")");
#define LW_CHOICE(option, value, text, ...)				\
	MODULE_PARM_DESC(option, text ", for new maps");
#include "option_defs.h"
