/* SPDX-License-Identifier: GPL-2.0 */
/* What directories of maps and of paths share. */
#ifndef LW_DIR_H
#define LW_DIR_H

#include <linux/capability.h>
#include <linux/preempt.h>
#include <linux/sched/signal.h>
#include <linux/sysfs.h>

#include "admin/map.h"

/* Called by whoever drops the last reference to a directory; process context. */
static inline void lw_dir_release(struct kobject *kobj)
{
	complete(&container_of(kobj, struct lw_dir, kobj)->gone);
}

/*
 * May this file be written? The mode alone does not protect it: root can change that, and so can a
 * container that runs as root without capabilities.
 */
static inline int lw_check_store(const struct attribute *file)
{
	if (!(file->mode & 0200))
		return -EIO;
	return capable(CAP_SYS_ADMIN) ? 0 : -EPERM;
}

/*
 * Everybody may read, at any priority. A reader that is preempted with a lock would keep tables and
 * windows waiting, so readers have preemption off and only try locks. Not so on PREEMPT_RT, which
 * allocates no memory with preemption off: there who waits lends his priority to the reader.
 */
static inline bool lw_reader_locks(struct mutex *lock)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		return mutex_trylock(lock);
	mutex_lock(lock);
	return true;
}

/* Return: true if the map's lock is held until lw_reader_end(). */
static inline bool lw_reader_begin(struct lw_map *map)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		preempt_disable();
	if (lw_reader_locks(&map->lock))
		return true;
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		preempt_enable();
	return false;
}

static inline void lw_reader_end(struct lw_map *map)
{
	mutex_unlock(&map->lock);
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		preempt_enable();
}

/* Somebody else had a lock. Return: false if the reader is to die rather than to try again. */
static inline bool lw_reader_waits(void)
{
	schedule_timeout_killable(1);
	return !fatal_signal_pending(current);
}

#endif
