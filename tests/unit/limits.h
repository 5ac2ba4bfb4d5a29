/* SPDX-License-Identifier: GPL-2.0 */
/* Limits of the options that are numbers: window_ms_least, window_ms_most, window_ms_default. */
#ifndef UNIT_LIMITS_H
#define UNIT_LIMITS_H

enum unit_limits {
#define LW_OPTION(option, least, most, value, ...) \
	option##_least = least, option##_most = most, option##_default = value,
#define LW_CHOICE(option, ...)
#include "option_defs.h"
};

#endif
