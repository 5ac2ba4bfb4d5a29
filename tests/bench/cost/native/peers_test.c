// SPDX-License-Identifier: GPL-2.0
/* Do the peers that are measured choose as they should? Cases by hand. */
#include "peers.h"

#include <linux/kernel.h>
#include <linux/time64.h>

#include "check.h"

#define PATHS	3

static struct native_map map;

/* The path that is chosen, by its place in the table. */
static int choose(size_t bytes)
{
	struct dm_path *path = map.ps.type->select_path(&map.ps, bytes);
	int i;

	for (i = 0; i < PATHS; i++)
		if (path == native_dm_path(&map, i))
			return i;
	return -1;
}

static int take(size_t bytes)
{
	int i = choose(bytes);

	map.ps.type->start_io(&map.ps, native_dm_path(&map, i), bytes);
	return i;
}

static void end(int i, size_t bytes, u64 started_ns)
{
	map.ps.type->end_io(&map.ps, native_dm_path(&map, i), bytes, started_ns);
}

static void begin(struct path_selector_type *type)
{
	CHECK(native_map_load(&map, type, PATHS));
}

static void round_robin_goes_round(void)
{
	begin(&peer_round_robin);
	CHECK(choose(1) == 0 && choose(1) == 1 && choose(1) == 2 && choose(1) == 0);
	native_map_free(&map);
}

/* Of equal ones that which was not chosen for longest. */
static void queue_length_counts(void)
{
	begin(&peer_queue_length);
	CHECK(take(9000) == 0 && take(1) == 1 && take(1) == 2 && take(1) == 0);
	end(2, 1, 0);
	CHECK(take(1) == 2 && take(1) == 1);
	native_map_free(&map);
}

static void service_time_weighs(void)
{
	begin(&peer_service_time);
	CHECK(take(9000) == 0 && take(4000) == 1 && take(1000) == 2);
	CHECK(take(1000) == 2 && take(4000) == 2 && take(100) == 1);
	end(0, 9000, 0);
	CHECK(take(1) == 0);
	native_map_free(&map);
}

/* Ends an I/O of each path, after so many ms. */
static void end_all(unsigned int first, unsigned int second, unsigned int third)
{
	world_now_ns += 100 * NSEC_PER_MSEC;
	end(0, 1, world_now_ns - first * NSEC_PER_MSEC);
	end(1, 1, world_now_ns - second * NSEC_PER_MSEC);
	end(2, 1, world_now_ns - third * NSEC_PER_MSEC);
}

static void historical_service_time_remembers(void)
{
	begin(&peer_historical_service_time);
	/* Nothing known: idle paths first, in the list's order. */
	CHECK(take(1) == 0 && take(1) == 1 && take(1) == 2);
	end_all(40, 10, 30);
	/* All idle: that which would be stale first. Then three times 10 is as long as 30. */
	CHECK(take(1) == 1 && take(1) == 1);
	native_map_free(&map);
}

int main(void)
{
	native_boot(1, 1);
	round_robin_goes_round();
	queue_length_counts();
	service_time_weighs();
	historical_service_time_remembers();
	native_unload();
	CHECK(!native_bytes);
	printf("native peers: passed\n");
	return 0;
}
