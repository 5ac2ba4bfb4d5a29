// SPDX-License-Identifier: GPL-2.0
/*
 * historical-service-time, as in Linux 6.1 and 6.12; tests/sim/peers/historical_service_time.cc
 * tells what it goes by. One lock for the list, and one in each path for start and end.
 */
#include "peers.h"
#include "peers/hst_average.h"

#include <linux/kernel.h>
#include <linux/ktime.h>

#define BASE	972	/* 0.95 */

struct hst_path {
	struct peer_path of;
	u64 average;
	u64 stale_after;
	u64 last_finish;
	s64 in_flight;
	spinlock_t lock;
};

static struct hst_average averaging;

static int hst_create(struct path_selector *ps, unsigned int argc, char **argv)
{
	hst_average_init(&averaging, BASE);
	return peer_create(ps, argc, argv);
}

static int hst_add(struct path_selector *ps, struct dm_path *path, int argc, char **argv,
		   char **error)
{
	int err = peer_add(ps, path, sizeof(struct hst_path));
	struct hst_path *p = path->pscontext;

	if (!err) {
		p->average = HST_ONE;
		spin_lock_init(&p->lock);
	}
	return err;
}

/* Is an I/O expected to take longer on a than on b? */
static bool is_longer(const struct hst_path *a, const struct hst_path *b)
{
	unsigned int shift = 0;

	if (a->in_flight == b->in_flight)
		return a->average > b->average;
	if (a->in_flight >= (s64)HST_ONE || b->in_flight >= (s64)HST_ONE)
		shift = HST_SHIFT;
	return (1 + a->in_flight) * (a->average >> shift) >
	       (1 + b->in_flight) * (b->average >> shift);
}

/* Below 0: a is better; above 0: b is. Averages are never near enough to count as equal. */
static s64 compare(const struct hst_path *a, const struct hst_path *b, u64 now)
{
	bool a_idle = !a->in_flight, b_idle = !b->in_flight, b_better;

	if (max(a->average, b->average) == 0)
		return a->in_flight - b->in_flight;
	if ((a_idle && a->stale_after < now) || (b_idle && b->stale_after < now) ||
	    (a_idle && b_idle))
		return b_idle * a->stale_after - a_idle * b->stale_after;
	b_better = is_longer(a, b);
	if ((b_better ? b : a)->stale_after < now)
		return a->in_flight - b->in_flight;
	return b_better ? 1 : -1;
}

static struct dm_path *hst_select(struct path_selector *ps, size_t bytes)
{
	struct peer *peer = ps->context;
	struct hst_path *p, *best = NULL;
	struct dm_path *path = NULL;
	u64 now = ktime_get_ns();
	unsigned long flags;

	spin_lock_irqsave(&peer->lock, flags);
	list_for_each_entry(p, &peer->paths, of.list)
		if (!best || compare(p, best, now) < 0)
			best = p;
	if (best)
		path = peer_chosen(peer, &best->of);
	spin_unlock_irqrestore(&peer->lock, flags);
	return path;
}

static int hst_start(struct path_selector *ps, struct dm_path *path, size_t bytes)
{
	struct hst_path *p = path->pscontext;
	unsigned long flags;

	spin_lock_irqsave(&p->lock, flags);
	p->in_flight++;
	spin_unlock_irqrestore(&p->lock, flags);
	return 0;
}

static int hst_end(struct path_selector *ps, struct dm_path *path, size_t bytes, u64 start_time)
{
	struct hst_path *p = path->pscontext;
	struct peer *peer = ps->context;
	unsigned long flags;
	u64 begin, sample;

	spin_lock_irqsave(&p->lock, flags);
	begin = max(start_time, p->last_finish);
	p->in_flight--;
	p->last_finish = ktime_get_ns();
	sample = p->last_finish > begin ? p->last_finish - begin : 0;
	p->average = hst_average_next(&averaging, p->average, sample);
	p->stale_after = p->last_finish + peer->nr * (p->average >> HST_SHIFT);
	spin_unlock_irqrestore(&p->lock, flags);
	return 0;
}

struct path_selector_type peer_historical_service_time = {
	.name		= "historical-service-time",
	.create		= hst_create,
	.destroy	= peer_destroy,
	.add_path	= hst_add,
	.select_path	= hst_select,
	.start_io	= hst_start,
	.end_io		= hst_end,
};
