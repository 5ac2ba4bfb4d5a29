// SPDX-License-Identifier: GPL-2.0
/*
 * The policy of a map: it serves all selectors of the map, also of later tables, and goes
 * with the last one. Process context, may sleep.
 */
#include <linux/capability.h>
#include <linux/dm-ioctl.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "admin/map.h"
#include "policy/lw_policy.h"
#include "policy/policy.h"

/* Set the policy of the map and its selectors; return the one before. */
static struct lw_policy_use *lw_map_policy_swap(struct lw_map *map, struct lw_policy_use *use)
{
	struct lw_policy_use *old = map->policy;
	struct lw_selector *sel;

	lockdep_assert_held(&map->lock);
	map->policy = use;
	list_for_each_entry(sel, &map->selectors, of_map) {
		rcu_assign_pointer(sel->policy, use);
		if (use && sel->nr > LW_POLICY_PATHS)
			DMWARN("%s: group of %u paths keeps the module's choice: a policy sees %u",
			       map->label, sel->nr, LW_POLICY_PATHS);
	}
	return old;
}

/* It may still run on some CPU, and a window may look at it. */
static void lw_map_policy_free(struct lw_policy_use *use)
{
	if (!use)
		return;
	synchronize_rcu();
	lw_policy_put(use);
}

/* The program of a pin; NULL for no name. */
static struct lw_policy_use *lw_map_policy_get(struct lw_map *map, const char *pin)
{
	char name[DM_NAME_LEN] = "";
	struct lw_policy_map of = {
		.label = map->label,
		.number = map->number,
		.name = name,
	};

	if (!*pin)
		return NULL;
	if (map->md)
		dm_copy_name_and_uuid(map->md, name, NULL);
	return lw_policy_get(&of, pin);
}

/**
 * lw_map_policy_set() - attach a program to a map, or detach it
 * @map: the map
 * @text: name of the program's pin, or an empty line
 *
 * Of two writers at a time, the second one replaces the program of the first.
 *
 * Return: 0; or an error, with no change and the reason in the kernel log.
 */
int lw_map_policy_set(struct lw_map *map, const char *text)
{
	/* NOIO: see lw_policy_program(). */
	char *pin = kstrdup(text, GFP_NOIO);
	struct lw_policy_use *use, *old;

	use = pin ? lw_map_policy_get(map, strim(pin)) : ERR_PTR(-ENOMEM);
	kfree(pin);
	if (IS_ERR(use))
		return PTR_ERR(use);
	mutex_lock(&map->lock);
	old = lw_map_policy_swap(map, use);
	if (use)
		lw_policy_log(map->label, use, "attached");
	else if (old)
		lw_policy_log(map->label, old, "detached");
	mutex_unlock(&map->lock);
	lw_map_policy_free(old);
	return 0;
}

ssize_t lw_map_policy_show(struct lw_map *map, char *page)
{
	ssize_t n;

	mutex_lock(&map->lock);
	n = lw_policy_show(map->policy, page);
	mutex_unlock(&map->lock);
	return n;
}

/**
 * lw_map_policy_inherit() - a new selector gets the policy of its map
 * @sel: the selector; its map's lock is held
 */
void lw_map_policy_inherit(struct lw_selector *sel)
{
	rcu_assign_pointer(sel->policy, sel->map->policy);
}

/**
 * lw_map_policy_leave() - a selector goes, whose last I/O has ended, but not its last window
 * @sel: the selector; its map's lock is held
 */
void lw_map_policy_leave(struct lw_selector *sel)
{
	RCU_INIT_POINTER(sel->policy, NULL);
}

/**
 * lw_map_policy_end() - the map goes, after its last selector
 * @map: the map
 */
void lw_map_policy_end(struct lw_map *map)
{
	lw_policy_put(map->policy);
}

static bool lw_selector_policy_slow(const struct lw_selector *sel)
{
	const struct lw_policy_use *use;
	bool slow;

	rcu_read_lock();
	use = rcu_dereference(sel->policy);
	slow = use && lw_policy_slow(use);
	rcu_read_unlock();
	return slow;
}

/**
 * lw_policy_look() - detach the policy if it is slow; it runs no more
 * @sel: the selector, in its window
 *
 * A reader may hold the map's lock for long, for which estimates do not wait: the next window looks
 * again.
 */
void lw_policy_look(struct lw_selector *sel)
{
	struct lw_policy_use *old = NULL;
	struct lw_map *map = sel->map;

	if (!lw_selector_policy_slow(sel) || !mutex_trylock(&map->lock))
		return;
	if (map->policy && lw_policy_slow(map->policy)) {
		old = lw_map_policy_swap(map, NULL);
		lw_policy_log_slow(map->label, old);
	}
	mutex_unlock(&map->lock);
	lw_map_policy_free(old);
}
