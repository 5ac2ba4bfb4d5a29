// SPDX-License-Identifier: GPL-2.0
/* Table arguments. multipathd compares table lines: echo the selector's exactly as they came. */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "args.h"

#define LW_PREFER "prefer"	/* the argument that is no option of the map */

static const char lw_known_args[] =
#define LW_OPTION(option, ...) #option ", "
#define LW_CHOICE(option, ...) #option ", "
#include "option_defs.h"
	LW_PREFER;

static const struct lw_option *lw_option_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lw_options); i++)
		if (!strcmp(name, lw_options[i].name))
			return &lw_options[i];
	DMERR("unknown argument \"%s\"; known are %s", name, lw_known_args);
	return NULL;
}

/* Parse <major>:<minor>, both decimal. */
static int lw_parse_device_number(const char *text, dev_t *dev)
{
	unsigned int major, minor;
	char *colon, number[16];

	if (strscpy(number, text, sizeof(number)) < 0)
		return -EINVAL;
	colon = strchr(number, ':');
	if (!colon)
		return -EINVAL;
	*colon = '\0';
	if (kstrtouint(number, 10, &major) || major >= 1U << (32 - MINORBITS) ||
	    kstrtouint(colon + 1, 10, &minor) || minor > MINORMASK)
		return -EINVAL;
	*dev = MKDEV(major, minor);
	return 0;
}

/* Check the number only: paths come and go, so the device need not be a path of this group. */
static int lw_prefer_check(const char *value)
{
	dev_t dev;

	if (lw_parse_device_number(value, &dev)) {
		DMERR("prefer: \"%s\" is not the number of a device, <major>:<minor>, like 8:16",
		      value);
		return -EINVAL;
	}
	return 0;
}

static int lw_arg_parse(struct lw_selector *sel, const char *key,
			const char *value)
{
	const struct lw_option *o;
	unsigned int v;

	if (!strcmp(key, LW_PREFER))
		return lw_prefer_check(value);
	o = lw_option_find(key);
	if (!o || lw_option_parse(o, value, &v))
		return -EINVAL;
	lw_option_put(&sel->config, o, v);
	return 0;
}

static bool lw_args_name(const struct lw_selector *sel, const char *key)
{
	unsigned int i;

	for (i = 0; i < sel->argc; i += 2)
		if (!strcmp(sel->argv[i], key))
			return true;
	return false;
}

/*
 * Check only the line itself. Later tuning or module parameters must not invalidate a
 * line that was valid; if it names just one probe period, the other one adapts.
 */
static int lw_args_check(struct lw_selector *sel)
{
	bool named_max = lw_args_name(sel, "probe_max_ms");

	if (named_max && lw_args_name(sel, "probe_min_ms"))
		return lw_config_check(&sel->config);
	lw_config_uncross(&sel->config, named_max);
	return 0;
}

static int lw_args_copy(struct lw_selector *sel, unsigned int argc, char **argv)
{
	if (!argc)
		return 0;
	sel->argv = kcalloc(argc, sizeof(*sel->argv), GFP_KERNEL);
	if (!sel->argv)
		return -ENOMEM;
	for (; sel->argc < argc; sel->argc++) {
		sel->argv[sel->argc] = kstrdup(argv[sel->argc], GFP_KERNEL);
		if (!sel->argv[sel->argc])
			return -ENOMEM;
	}
	return 0;
}

/**
 * lw_args_parse() - set a selector's configuration to the defaults and its arguments
 * @sel: the selector
 * @argc: number of arguments
 * @argv: pairs of key and value; errors go to the kernel log, as dm takes no message here
 * Return: 0, -EINVAL or -ENOMEM; lw_args_free() is due in any case.
 */
int lw_args_parse(struct lw_selector *sel, unsigned int argc, char **argv)
{
	unsigned int i;
	int err;

	lw_config_default(&sel->config);
	if (argc % 2) {
		DMERR("%u arguments, but they come in pairs <key> <value>; the last is \"%s\"",
		      argc, argv[argc - 1]);
		return -EINVAL;
	}
	for (i = 0; i < argc; i += 2) {
		err = lw_arg_parse(sel, argv[i], argv[i + 1]);
		if (err)
			return err;
	}
	err = lw_args_copy(sel, argc, argv);
	return err ? err : lw_args_check(sel);
}

/**
 * lw_args_free() - undo lw_args_parse()
 * @sel: the selector
 */
void lw_args_free(struct lw_selector *sel)
{
	while (sel->argc)
		kfree(sel->argv[--sel->argc]);
	kfree(sel->argv);
}

/**
 * lw_args_inherit() - take the map's values of options that no argument names
 * @sel: the selector, after lw_args_parse()
 * @config: the map's configuration; of crossing probe periods, the one named by an argument wins
 */
void lw_args_inherit(struct lw_selector *sel, const struct lw_config *config)
{
	struct lw_config *own = &sel->config;
	const struct lw_option *o;

	for (o = lw_options; o < lw_options + LW_OPTIONS; o++)
		if (!lw_args_name(sel, o->name))
			lw_option_put(own, o, lw_option_get(config, o));
	lw_config_uncross(own, lw_args_name(sel, "probe_max_ms"));
}

/**
 * lw_args_prefer() - do the arguments prefer a device?
 * @sel: the selector, after lw_args_parse()
 * @dev: number of the device
 * Return: true if one of them is "prefer" with this number.
 */
bool lw_args_prefer(const struct lw_selector *sel, dev_t dev)
{
	dev_t preferred;
	unsigned int i;

	for (i = 0; i < sel->argc; i += 2)
		if (!strcmp(sel->argv[i], LW_PREFER) &&
		    !lw_parse_device_number(sel->argv[i + 1], &preferred) &&
		    preferred == dev)
			return true;
	return false;
}

/**
 * lw_path_args_parse() - parse the arguments of a path: [<repeat count>]
 * @argc: number of arguments
 * @argv: the arguments; multipathd always gives a repeat count, which has no effect
 * @error: out: message for dm's log
 * Return: 0 or -EINVAL.
 */
int lw_path_args_parse(int argc, char **argv, char **error)
{
	unsigned int repeat_count;

	if (argc > 1) {
		DMERR("%d path arguments, the last is \"%s\"; at most one, [<repeat count>]",
		      argc, argv[argc - 1]);
		*error = "latency-weighted ps: too many path arguments";
		return -EINVAL;
	}
	if (argc == 1 && kstrtouint(argv[0], 10, &repeat_count)) {
		DMERR("repeat count: \"%s\" is not a number from 0 to %u",
		      argv[0], UINT_MAX);
		*error = "latency-weighted ps: invalid repeat count";
		return -EINVAL;
	}
	return 0;
}
