/* SPDX-License-Identifier: GPL-2.0 */
/* Options, set by module parameter, table argument or file. */
#ifndef LW_OPTIONS_H
#define LW_OPTIONS_H

#include <linux/compiler.h>
#include <linux/types.h>

/* Values of the options. */
struct lw_config {
#define LW_OPTION(option, ...) unsigned int option;
#define LW_CHOICE(option, ...) unsigned int option;
#include "option_defs.h"
};

/* Description of an option: a number, or one of several words, which counts from 0. */
struct lw_option {
	const char *name;	/* name of the module parameter, table argument and file */
	unsigned int min;	/* smallest value */
	unsigned int max;	/* largest value */
	const char * const *words;	/* a word for each value; NULL for a number */
	size_t offset;		/* offset in struct lw_config */
};

/* Indices of lw_options[]: LW_OPTION_window_ms and so on. */
enum lw_option_index {
#define LW_OPTION(option, ...) LW_OPTION_##option,
#define LW_CHOICE(option, ...) LW_OPTION_##option,
#include "option_defs.h"
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
