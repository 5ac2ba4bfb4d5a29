/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_SCHED_MM_H
#define SIM_LINUX_SCHED_MM_H

/* There is always memory, so nobody waits for I/O to have some. */
static inline unsigned int memalloc_noio_save(void)
{
	return 0;
}

static inline void memalloc_noio_restore(unsigned int flags)
{
}

#endif
