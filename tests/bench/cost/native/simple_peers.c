// SPDX-License-Identifier: GPL-2.0
/*
 * round-robin, queue-length and service-time, as in Linux 6.1 and 6.12: a choice walks one list
 * under one lock, interrupts off, and moves what it chose to the tail. Start and end are an
 * atomic addition to what the path has in flight, or nothing.
 */
#include "peers.h"

#include <linux/kernel.h>
#include <linux/slab.h>

int peer_create(struct path_selector *ps, unsigned int argc, char **argv)
{
	struct peer *peer = ps->context = kzalloc(sizeof(*peer), GFP_KERNEL);

	if (!peer)
		return -ENOMEM;
	spin_lock_init(&peer->lock);
	INIT_LIST_HEAD(&peer->paths);
	return 0;
}

void peer_destroy(struct path_selector *ps)
{
	struct peer *peer = ps->context;
	struct peer_path *p, *after;

	list_for_each_entry_safe(p, after, &peer->paths, list)
		kfree(p);
	kfree(peer);
}

int peer_add(struct path_selector *ps, struct dm_path *path, size_t size)
{
	struct peer *peer = ps->context;
	struct peer_path *p = kzalloc(size, GFP_KERNEL);

	if (!p)
		return -ENOMEM;
	p->path = path;
	path->pscontext = p;
	list_add_tail(&p->list, &peer->paths);
	peer->nr++;
	return 0;
}

static int rr_add(struct path_selector *ps, struct dm_path *path, int argc, char **argv,
		  char **error)
{
	return peer_add(ps, path, sizeof(struct peer_path));
}

static struct dm_path *rr_select(struct path_selector *ps, size_t bytes)
{
	struct peer *peer = ps->context;
	struct dm_path *path = NULL;
	unsigned long flags;

	spin_lock_irqsave(&peer->lock, flags);
	if (!list_empty(&peer->paths))
		path = peer_chosen(peer, list_first_entry(&peer->paths, struct peer_path, list));
	spin_unlock_irqrestore(&peer->lock, flags);
	return path;
}

/* Start and end: none. */
struct path_selector_type peer_round_robin = {
	.name		= "round-robin",
	.create		= peer_create,
	.destroy	= peer_destroy,
	.add_path	= rr_add,
	.select_path	= rr_select,
};

struct ql_path {
	struct peer_path of;
	atomic_t in_flight;
};

static int ql_add(struct path_selector *ps, struct dm_path *path, int argc, char **argv,
		  char **error)
{
	return peer_add(ps, path, sizeof(struct ql_path));
}

static struct dm_path *ql_select(struct path_selector *ps, size_t bytes)
{
	struct peer *peer = ps->context;
	struct ql_path *p, *best = NULL;
	struct dm_path *path = NULL;
	unsigned long flags;

	spin_lock_irqsave(&peer->lock, flags);
	list_for_each_entry(p, &peer->paths, of.list) {
		if (!best || atomic_read(&p->in_flight) < atomic_read(&best->in_flight))
			best = p;
		if (!atomic_read(&best->in_flight))
			break;
	}
	if (best)
		path = peer_chosen(peer, &best->of);
	spin_unlock_irqrestore(&peer->lock, flags);
	return path;
}

static int ql_start(struct path_selector *ps, struct dm_path *path, size_t bytes)
{
	struct ql_path *p = path->pscontext;

	atomic_inc(&p->in_flight);
	return 0;
}

static int ql_end(struct path_selector *ps, struct dm_path *path, size_t bytes, u64 start_time)
{
	struct ql_path *p = path->pscontext;

	atomic_dec(&p->in_flight);
	return 0;
}

struct path_selector_type peer_queue_length = {
	.name		= "queue-length",
	.create		= peer_create,
	.destroy	= peer_destroy,
	.add_path	= ql_add,
	.select_path	= ql_select,
	.start_io	= ql_start,
	.end_io		= ql_end,
};

struct st_path {
	struct peer_path of;
	unsigned int throughput;
	atomic_t bytes;		/* in flight */
};

static int st_add(struct path_selector *ps, struct dm_path *path, int argc, char **argv,
		  char **error)
{
	int err = peer_add(ps, path, sizeof(struct st_path));

	if (!err)
		((struct st_path *)path->pscontext)->throughput = 1;
	return err;
}

/*
 * Below 0 if a is better for so many bytes. tests/sim/peers/service_time.cc has all of it;
 * with equal throughputs, which is all that multipathd can set, the first comparison decides.
 */
static int st_compare(const struct st_path *a, const struct st_path *b, size_t bytes)
{
	size_t in_a = atomic_read(&a->bytes), in_b = atomic_read(&b->bytes);

	if (a->throughput == b->throughput)
		return in_a - in_b;
	if (in_a == in_b || !a->throughput || !b->throughput)
		return b->throughput - a->throughput;
	return (in_a + bytes) * b->throughput - (in_b + bytes) * a->throughput;
}

static struct dm_path *st_select(struct path_selector *ps, size_t bytes)
{
	struct peer *peer = ps->context;
	struct st_path *p, *best = NULL;
	struct dm_path *path = NULL;
	unsigned long flags;

	spin_lock_irqsave(&peer->lock, flags);
	list_for_each_entry(p, &peer->paths, of.list)
		if (!best || st_compare(p, best, bytes) < 0)
			best = p;
	if (best)
		path = peer_chosen(peer, &best->of);
	spin_unlock_irqrestore(&peer->lock, flags);
	return path;
}

static int st_start(struct path_selector *ps, struct dm_path *path, size_t bytes)
{
	struct st_path *p = path->pscontext;

	atomic_add(bytes, &p->bytes);
	return 0;
}

static int st_end(struct path_selector *ps, struct dm_path *path, size_t bytes, u64 start_time)
{
	struct st_path *p = path->pscontext;

	atomic_sub(bytes, &p->bytes);
	return 0;
}

struct path_selector_type peer_service_time = {
	.name		= "service-time",
	.create		= peer_create,
	.destroy	= peer_destroy,
	.add_path	= st_add,
	.select_path	= st_select,
	.start_io	= st_start,
	.end_io		= st_end,
};
