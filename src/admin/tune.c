// SPDX-License-Identifier: GPL-2.0
/*
 * Setting while it runs. What is written holds at once for all selectors of the map,
 * and for those that come while it has any; a table's own arguments win in that table.
 */
#include <linux/sched/mm.h>

#include "admin/map.h"
#include "publish.h"
#include "window.h"

/* Would all selectors of the map take it? */
static int lw_tune_check(const struct lw_map *map, const struct lw_option *o,
			 unsigned int value)
{
	const struct lw_selector *sel;
	int err = 0;

	list_for_each_entry(sel, &map->selectors, of_map) {
		struct lw_config config = sel->config;

		lw_option_put(&config, o, value);
		err = lw_config_check(&config);
		if (err)
			break;
	}
	return err;
}

/* Let it be seen now: the next window may be far, and at rest there is none. */
static void lw_tune_selector(struct lw_selector *sel)
{
	unsigned int i;

	for (i = 0; i < sel->nr; i++)
		lw_measure(sel, &sel->member[i]);
	lw_publish(sel);
}

/*
 * Only for a window that becomes shorter the one that is waited for is set anew: whoever
 * writes again and again must not put it off.
 */
static void lw_tune_option(struct lw_selector *sel, const struct lw_option *o, unsigned int value)
{
	bool sooner = o == &lw_options[LW_WINDOW_MS] && value < sel->config.window_ms;

	lw_option_put(&sel->config, o, value);
	lw_tune_selector(sel);
	if (sooner)
		lw_window_hasten(sel);
}

/**
 * lw_tune() - set an option of a map
 * @map: the map
 * @o: the option
 * @text: its value
 *
 * Context: process, may sleep.
 * Return: 0; or -EINVAL, then nothing has changed and the kernel log tells why.
 */
int lw_tune(struct lw_map *map, const struct lw_option *o, const char *text)
{
	struct lw_selector *sel;
	unsigned int value, noio;
	int err = lw_option_parse(o, text, &value);

	if (err)
		return err;
	/* A table load waits for the lock, and I/O may wait for the table. */
	noio = memalloc_noio_save();
	mutex_lock(&map->lock);
	err = lw_tune_check(map, o, value);
	if (!err) {
		lw_option_put(&map->config, o, value);
		lw_config_uncross(&map->config, o == &lw_options[LW_PROBE_MAX_MS]);
		list_for_each_entry(sel, &map->selectors, of_map)
			lw_tune_option(sel, o, value);
	}
	mutex_unlock(&map->lock);
	memalloc_noio_restore(noio);
	return err;
}

/**
 * lw_tuned() - what an option of a map is
 * @map: the map
 * @o: the option
 *
 * Return: what the oldest selector goes by, which is the live table's.
 */
unsigned int lw_tuned(struct lw_map *map, const struct lw_option *o)
{
	struct lw_selector *sel;
	unsigned int value;

	mutex_lock(&map->lock);
	sel = list_first_entry_or_null(&map->selectors, struct lw_selector, of_map);
	value = lw_option_get(sel ? &sel->config : &map->config, o);
	mutex_unlock(&map->lock);
	return value;
}

/**
 * lw_tune_prefer() - prefer a path of a map, or no longer
 * @at: the path
 * @text: "1" or "0"
 *
 * Context: process, may sleep.
 * Return: 0; or -EINVAL, then nothing has changed and the kernel log tells why.
 */
int lw_tune_prefer(struct lw_map_path *at, const char *text)
{
	static const struct lw_option prefer = { .name = "prefer", .max = 1 };
	struct lw_selector *sel;
	unsigned int value, i;
	int err = lw_option_parse(&prefer, text, &value);

	if (err)
		return err;
	mutex_lock(&at->map->lock);
	at->prefer = value;
	list_for_each_entry(sel, &at->map->selectors, of_map) {
		for (i = 0; i < sel->nr; i++)
			if (sel->member[i].at == at)
				WRITE_ONCE(sel->member[i].preferred, value);
		lw_tune_selector(sel);
	}
	mutex_unlock(&at->map->lock);
	return 0;
}
