// SPDX-License-Identifier: GPL-2.0
/* Whose requests are stamped: as long as a map asks for it, or throttling does. dm.c looks at the end. */
/*
 * promise steering/stamps-end: Time stamps end with the last map that asked for them, except on a
 *   throttled queue
 */
#include "test_world.h"

#include "check.h"
#include "dm.h"
#include "selector.h"

static struct request_queue *queue_of(struct dm_group *group)
{
	struct lw_selector *sel = dm_group_selector(group)->context;

	return bdev_get_queue(sel->member[0].dm_path->dev->bdev);
}

static void stamps_end_with_the_last_map(void)
{
	struct dm_group *group = dm_group_create(1, 0, NULL);
	struct dm_group *next = dm_group_create_beside(group, 1);

	CHECK(queue_of(group)->stamps && queue_of(next) == queue_of(group));
	dm_group_destroy(next);
	CHECK(queue_of(group)->stamps);
	dm_group_destroy(group);
}

static void throttling_keeps_its_stamps(void)
{
	struct dm_group *group = dm_group_create(1, 0, NULL);

	queue_of(group)->rq_qos = group;
	dm_group_destroy(group);
}

/* Nor does the queue count maps that come and go meanwhile. */
static void throttled_queue_is_asked_once(void)
{
	char key[] = "accounting", no[] = "0", *argv[] = { key, no };
	struct dm_group *keeps = dm_group_create(1, 2, argv);
	unsigned int i;

	queue_of(keeps)->rq_qos = keeps;
	for (i = 0; i < 3; i++) {
		dm_group_destroy(dm_group_create_beside(keeps, 1));
		CHECK(queue_of(keeps)->stat_users == 1);
	}
	queue_of(keeps)->rq_qos = NULL;
	dm_group_destroy(dm_group_create_beside(keeps, 1));
	CHECK(!queue_of(keeps)->stat_users);
	dm_group_destroy(keeps);
}

int main(void)
{
	throttled_queue_is_asked_once();
	stamps_end_with_the_last_map();
	throttling_keeps_its_stamps();
	dm_unload_module();
	printf("whose requests are stamped: passed\n");
	return 0;
}
