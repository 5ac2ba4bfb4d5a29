// SPDX-License-Identifier: GPL-2.0
/*
 * Tuning at run time. A value applies at once to all selectors of the map and to later ones, as
 * long as the map has any; arguments of a table win within that table. Process context, may sleep.
 */
#include "admin/map.h"
#include "window.h"

/* Check the value with the configuration of each selector. */
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

/**
 * lw_map_measure() - start or stop measurements, as the configuration of each selector asks for
 * @map: the map
 *
 * Allocates memory without the map's lock: a table load waits for the lock, and I/O may wait for
 * the table.
 *
 * Context: process, may sleep.
 */
void lw_map_measure(struct lw_map *map)
{
	struct lw_stock stock = { 0 };
	struct lw_selector *sel;
	unsigned int i;

	do {
		mutex_lock(&map->lock);
		list_for_each_entry(sel, &map->selectors, of_map)
			for (i = 0; i < sel->nr; i++)
				lw_measure_path(sel, &sel->member[i], &stock);
		lw_stock_flush(&stock);
		mutex_unlock(&map->lock);
	} while (lw_stock_fill(&stock));
	lw_stock_free(&stock);
}

/*
 * Publish now: the next window may be late, and an idle map has none. Re-arm the pending window
 * only if the period shrank, or repeated writes could postpone it for ever.
 */
static void lw_tune_option(struct lw_selector *sel, const struct lw_option *o, unsigned int value)
{
	bool sooner = o == &lw_options[LW_OPTION_window_ms] && value < sel->config.window_ms;

	lw_option_put(&sel->config, o, value);
	lw_publish(sel, false);
	if (sooner)
		lw_window_rearm(sel);
}

/**
 * lw_tune() - set an option of a map
 * @map: the map
 * @o: the option
 * @text: its value
 * Return: 0; or -EINVAL, with no change and the reason in the kernel log.
 */
int lw_tune(struct lw_map *map, const struct lw_option *o, const char *text)
{
	struct lw_selector *sel;
	unsigned int value;
	int err = lw_option_parse(o, text, &value);

	if (err)
		return err;
	mutex_lock(&map->lock);
	err = lw_tune_check(map, o, value);
	if (!err) {
		lw_option_put(&map->config, o, value);
		lw_config_uncross(&map->config, o == &lw_options[LW_OPTION_probe_max_ms]);
		list_for_each_entry(sel, &map->selectors, of_map)
			lw_tune_option(sel, o, value);
	}
	mutex_unlock(&map->lock);
	if (!err)
		lw_map_measure(map);
	return err;
}

/**
 * lw_tuned() - get an option of a map
 * @map: the map, locked
 * @o: the option
 * Return: the value in the oldest selector, which is the live table's.
 */
unsigned int lw_tuned(struct lw_map *map, const struct lw_option *o)
{
	struct lw_selector *sel;

	sel = list_first_entry_or_null(&map->selectors, struct lw_selector, of_map);
	return lw_option_get(sel ? &sel->config : &map->config, o);
}

/**
 * lw_tune_prefer() - prefer a path of a map, or stop to
 * @at: the path
 * @text: "1" or "0"
 * Return: 0; or -EINVAL, with no change and the reason in the kernel log.
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
			if (sel->member[i].map_path == at)
				WRITE_ONCE(sel->member[i].preferred, value);
		lw_publish(sel, false);
	}
	mutex_unlock(&at->map->lock);
	return 0;
}
