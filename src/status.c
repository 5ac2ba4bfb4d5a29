// SPDX-License-Identifier: GPL-2.0
/* What is shown of a path. */
#include <linux/ktime.h>

#include "model/shown.h"
#include "status.h"
#include "trace.h"

/* Names of enum lw_size_class in files and directories. */
const char * const lw_class_names[LW_CLASSES] = {
	[LW_CLASS_ZERO] = "zero",
	[LW_CLASS_32K] = "32k",
	[LW_CLASS_64K] = "64k",
	[LW_CLASS_128K] = "128k",
	[LW_CLASS_256K] = "256k",
	[LW_CLASS_512K] = "512k",
	[LW_CLASS_1M] = "1m",
	[LW_CLASS_MORE] = "more",
	[LW_CLASS_HUGE] = "huge",
};

/* Names of enum lw_source in files. */
const char * const lw_source_names[] = {
	[LW_SOURCE_NONE] = "none",
	[LW_SOURCE_STAMPS] = "stamps",
	[LW_SOURCE_LITTLE] = "little",
};

/* Names of enum lw_state in files. */
const char * const lw_state_names[] = {
	[LW_STATE_NEW] = "new",
	[LW_STATE_ACTIVE] = "active",
	[LW_STATE_PROBING] = "probing",
	[LW_STATE_RAMPING] = "ramping",
	[LW_STATE_FAILED] = "failed",
};

/* A reinstated path is "ramping" until a probe is done, or hangs. */
static enum lw_state lw_path_info_state(const struct lw_path_info *m)
{
	bool known = READ_ONCE(m->shown.lat_us), slow = READ_ONCE(m->path->shown.slow.slow);
	enum lw_use use = READ_ONCE(m->use);

	if (use == LW_FAILED)
		return LW_STATE_FAILED;
	if (use == LW_BACKOFF || (m->returns && (use == LW_AVOID || !slow)))
		return LW_STATE_RAMPING;
	if (!known && use != LW_USE)
		return LW_STATE_NEW;
	return slow ? LW_STATE_PROBING : LW_STATE_ACTIVE;
}

/* The state has been so for @ago_ns. */
static void lw_set_state(struct lw_path_info *m, u64 ago_ns)
{
	enum lw_state state = lw_path_info_state(m);

	lockdep_assert_held(&m->path->use_lock);
	/* The initial state is not a change. */
	if (state != m->shown.state && m->shown.since_ns && trace_lw_state_enabled())
		lw_trace_state(m, m->shown.state, state);
	if (state != m->shown.state || !m->shown.since_ns) {
		WRITE_ONCE(m->shown.since_ns, ktime_get_real_ns() - ago_ns);
		WRITE_ONCE(m->shown.state, state);
	}
}

/**
 * lw_update_state() - update the shown state of a member
 * @m: the member, the use_lock of its path held
 * Context: any.
 */
void lw_update_state(struct lw_path_info *m)
{
	lw_set_state(m, 0);
}

/* Is the path slow? The state follows. */
static void lw_update_slow(struct lw_path_info *m, u64 best_ns, u64 now_ns)
{
	struct lw_verdict *slow = &m->path->shown.slow;
	u64 ago_ns = 0, base_ns;

	lockdep_assert_held(&m->path->lock);
	spin_lock_irq(&m->path->use_lock);
	base_ns = READ_ONCE(m->use) == LW_FAILED ? 0 : m->shown.base_ns;
	if (lw_slow_beside(slow, &m->path->state, base_ns, best_ns, now_ns)) {
		ago_ns = lw_verdict_for(slow, now_ns);
		lw_verdict_turn(slow);
	}
	lw_set_state(m, ago_ns);
	spin_unlock_irq(&m->path->use_lock);
}

/* Least known base of the paths in use. */
static u64 lw_best_base(const struct lw_selector *sel)
{
	u64 best_ns = U64_MAX;
	unsigned int i;

	for (i = 0; i < sel->nr; i++)
		if (READ_ONCE(sel->member[i].use) == LW_USE && sel->member[i].shown.base_ns)
			best_ns = min(best_ns, sel->member[i].shown.base_ns);
	return best_ns;
}

/* A stalled path shows how long it has been stalled, as its last latency is out of date. */
static u64 lw_shown_ns(const struct lw_path_state *s)
{
	u64 lat = lw_path_lat(s);

	return s->health.stalled ? max(lat, s->health.no_completion_ns) : lat;
}

/**
 * lw_show() - update what status shows of the members, as the last stage of lw_publish()
 * @sel: the selector, with current member.use and member.shown.base_ns
 * Context: process, may sleep.
 */
void lw_show(struct lw_selector *sel)
{
	unsigned int i, tolerance = READ_ONCE(sel->config.tolerance);
	u64 now_ns = ktime_get_ns(), best_ns = lw_best_base(sel);
	u32 *ticks = sel->scratch, best;
	u64 sum = 0;

	for (i = 0; i < sel->nr; i++) {
		struct lw_path_info *m = &sel->member[i];
		u64 lat, outliers;

		mutex_lock(&m->path->lock);
		lat = lw_shown_ns(&m->path->state);
		outliers = lw_outliers_ns(&m->path->state.capacity.outliers);
		WRITE_ONCE(m->shown.source, lw_path_source(&m->path->state));
		WRITE_ONCE(m->shown.lat_us, min_t(u64, div_u64(lat, NSEC_PER_USEC), U32_MAX));
		WRITE_ONCE(m->shown.lat_ns, min_t(u64, lat, U32_MAX));
		lw_update_slow(m, best_ns, now_ns);
		mutex_unlock(&m->path->lock);
		ticks[i] = READ_ONCE(m->use) == LW_USE ?
			   lw_ticks(lw_preferred_latency(m, lat + outliers)) : LW_TICKS_AVOID;
	}
	best = lw_least(ticks, sel->nr);
	lw_equalize(ticks, sel->nr, tolerance);
	for (i = 0; i < sel->nr; i++)
		sum += ticks[i] == LW_TICKS_AVOID ? 0 : lw_weight_part(ticks[i], best);
	for (i = 0; i < sel->nr; i++)
		WRITE_ONCE(sel->member[i].shown.weight, ticks[i] == LW_TICKS_AVOID ?
			   0 : lw_weight(ticks[i], best, sum));
}

/**
 * lw_status() - write table and status words
 * @ps: the selector
 * @dm_path: the path, or NULL for the words of the selector
 * @type: table, status or IMA
 * @result: buffer
 * @maxlen: its size
 * Context: called by dm-mpath under its lock with interrupts off, must not sleep.
 * Return: number of characters.
 */
int lw_status(struct path_selector *ps, struct dm_path *dm_path,
	      status_type_t type, char *result, unsigned int maxlen)
{
	struct lw_selector *sel = ps->context;
	struct lw_path_info *m = dm_path ? lw_member_of(dm_path) : NULL;
	unsigned int sz = 0, i;

	switch (type) {
	case STATUSTYPE_INFO:
		/* multipath-tools before 0.8.9 accept no other number of group words than 0. */
		if (!m)
			DMEMIT("0 ");
		else
			DMEMIT("%u %u %u %u %u ", READ_ONCE(m->shown.weight),
			       READ_ONCE(m->shown.lat_us),
			       lw_flight_ios(atomic64_read(&m->path->line.work)),
			       READ_ONCE(m->shown.state),
			       READ_ONCE(m->shown.source));
		break;
	case STATUSTYPE_TABLE:
		/*
		 * Show a repeat count of 1 whatever was given, as the kernel's selectors do.
		 * multipathd gives rr_min_io_rq times a path's priority (rr_weight priorities),
		 * and reloads the map if it reads anything but rr_min_io_rq, which is usually 1.
		 */
		if (m) {
			DMEMIT("1 ");
			break;
		}
		DMEMIT("%u ", sel->argc);
		for (i = 0; i < sel->argc; i++)
			DMEMIT("%s ", sel->argv[i]);
		break;
	default:	/* STATUSTYPE_IMA, not in 5.10: the table suffices */
		result[0] = '\0';
		break;
	}
	return sz;
}
