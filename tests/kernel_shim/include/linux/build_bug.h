/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_BUILD_BUG_H
#define SIM_LINUX_BUILD_BUG_H

#define static_assert(condition, ...)	_Static_assert(condition, #condition)
#define BUILD_BUG_ON(condition)		_Static_assert(!(condition), #condition)

#endif
