/* SPDX-License-Identifier: GPL-2.0 */
/* Arguments of a table line. */
#ifndef LW_ARGS_H
#define LW_ARGS_H

#include "selector.h"

void lw_args_inherit(struct lw_selector *sel, const struct lw_config *config);
int lw_args_parse(struct lw_selector *sel, unsigned int argc, char **argv);
void lw_args_free(struct lw_selector *sel);
bool lw_args_prefer(const struct lw_selector *sel, dev_t dev);
int lw_path_args_parse(int argc, char **argv, char **error);

#endif
