/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's selectors, written from their description, as those of tests/sim/peers: the
 * algorithm, and here also the locks and lists, which are most of what they cost. Of the
 * table line they take nothing, and paths neither fail nor come back.
 */
#ifndef COST_PEERS_H
#define COST_PEERS_H

#include <linux/list.h>
#include <linux/spinlock.h>

#include "native.h"

extern struct path_selector_type peer_round_robin, peer_queue_length, peer_service_time,
				 peer_historical_service_time;

/* What each of them is: a list, and who may walk it. */
struct peer {
	spinlock_t lock;
	unsigned int nr;
	struct list_head paths;
};

/* With which each path's own data begins, in an allocation of its own. */
struct peer_path {
	struct list_head list;
	struct dm_path *path;
};

int peer_create(struct path_selector *ps, unsigned int argc, char **argv);
void peer_destroy(struct path_selector *ps);
int peer_add(struct path_selector *ps, struct dm_path *path, size_t size);

/* Under the lock. */
static inline struct dm_path *peer_chosen(struct peer *peer, struct peer_path *best)
{
	struct list_head *node = &best->list;

	node->prev->next = node->next;
	node->next->prev = node->prev;
	list_add_tail(node, &peer->paths);
	return best->path;
}

#endif
