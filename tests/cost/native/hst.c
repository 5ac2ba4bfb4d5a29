// SPDX-License-Identifier: GPL-2.0
/*
 * historical-service-time, as in Linux 6.1 and 6.12; tests/sim/peers/historical_service_time.cc
 * tells what it goes by. One lock for the list, and one in each path for start and end.
 */
#include "peers.h"

#include <linux/kernel.h>
#include <linux/ktime.h>

#define SHIFT	10
#define ONE	(1ULL << SHIFT)
#define BASE	972	/* 0.95 */
#define LONG	63	/* samples of so many times 2^24 ns leave nothing of the average */

struct hst_path {
	struct peer_path of;
	u64 average;
	u64 stale_after;
	u64 last_finish;
	s64 in_flight;
	spinlock_t lock;
};

/* What a sample leaves of the average, by its length. */
static u64 keep[LONG + 1];

static u64 rounded(u64 product)
{
	return (product + ONE / 2) >> SHIFT;
}

static u64 power(u64 base, unsigned int n)
{
	u64 result = ONE;

	for (; n; n >>= 1, base = rounded(base * base))
		if (n & 1)
			result = rounded(result * base);
	return result;
}

static int hst_create(struct path_selector *ps, unsigned int argc, char **argv)
{
	unsigned int n;

	for (n = 0; n < LONG; n++)
		keep[n] = power(BASE, n + 1);
	return peer_create(ps, argc, argv);
}

static int hst_add(struct path_selector *ps, struct dm_path *path, int argc, char **argv,
		   char **error)
{
	int err = peer_add(ps, path, sizeof(struct hst_path));
	struct hst_path *p = path->pscontext;

	if (!err) {
		p->average = ONE;
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
	if (a->in_flight >= (s64)ONE || b->in_flight >= (s64)ONE)
		shift = SHIFT;
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
	p->average = rounded(p->average * keep[min_t(u64, sample >> 24, LONG)] +
			     sample * ONE * (ONE - keep[min_t(u64, sample >> 24, LONG)]));
	p->stale_after = p->last_finish + peer->nr * (p->average >> SHIFT);
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
