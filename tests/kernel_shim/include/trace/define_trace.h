/* SPDX-License-Identifier: GPL-2.0 */
/* Nothing is to be made of the events; see linux/tracepoint.h. */
