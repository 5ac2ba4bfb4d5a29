// SPDX-License-Identifier: GPL-2.0
/* What a path is to a selector, in words, and since when. */
#include <linux/ktime.h>

#include "lw.h"
#include "trace.h"

/* enum lw_class, as files and directories are called. */
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

/* enum lw_witness, as files show it. */
const char *lw_witness_name(unsigned int witness)
{
	static const char * const names[] = {
		[LW_NO_WITNESS] = "none",
		[LW_STAMPS] = "stamps",
		[LW_LITTLE] = "little",
	};

	return names[witness];
}

/* enum lw_state, as files show it. */
const char *lw_state_name(unsigned int state)
{
	static const char * const names[] = {
		[LW_STATE_NEW] = "new",
		[LW_STATE_ACTIVE] = "active",
		[LW_STATE_PROBING] = "probing",
		[LW_STATE_RAMPING] = "ramping",
		[LW_STATE_FAILED] = "failed",
	};

	return names[state];
}

static enum lw_state lw_member_state(struct lw_member *m)
{
	bool known = READ_ONCE(m->lat_us);

	switch (READ_ONCE(m->use)) {
	case LW_FAILED:
		return LW_STATE_FAILED;
	case LW_USE:
		return READ_ONCE(m->unused) ? LW_STATE_PROBING : LW_STATE_ACTIVE;
	case LW_REST:
		return LW_STATE_RAMPING;
	default:
		if (READ_ONCE(m->unused) && known)
			return LW_STATE_PROBING;
		return known ? LW_STATE_RAMPING : LW_STATE_NEW;
	}
}

/**
 * lw_member_note() - note the state of a member if it has changed
 * @m: the member
 *
 * Called whenever something may have changed it: by fail_path(), reinstate_path() and
 * who publishes. Whoever comes last sees what all have done.
 *
 * Context: any but NMI; may be called with interrupts off.
 */
void lw_member_note(struct lw_member *m)
{
	enum lw_state state;
	unsigned long flags;

	spin_lock_irqsave(&m->path->flap_lock, flags);
	state = lw_member_state(m);
	/* The first state of a member is no change. */
	if (state != m->state && m->since_ns && trace_lw_state_enabled())
		lw_trace_state(m, m->state, state);
	if (state != m->state || !m->since_ns) {
		WRITE_ONCE(m->since_ns, ktime_get_real_ns());
		WRITE_ONCE(m->state, state);
	}
	spin_unlock_irqrestore(&m->path->flap_lock, flags);
}
