// SPDX-License-Identifier: GPL-2.0
/*
 * scale KEY=NUMBER ...: maps on a machine, and what they cost, as a line of JSON. Time stands
 * still, and is set from window to window.
 */
#include "load.h"

#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/time64.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What can be set, and what is usual. */
static struct option {
	const char *key;
	u64 value;
} options[] = {
	{ "cpus", 8 },
	{ "nodes", 1 },
	{ "paths", 8 },
	{ "maps", 1 },		/* or as many as the memory is for */
	{ "busy", 100 },	/* per cent of them */
	{ "sizes", 1 },		/* 4k; 2: and 64k; 3: and 256k; 4: and 1M */
	{ "iops", 1000 },	/* of a busy map */
	{ "warm", 25 },		/* windows before those that count */
	{ "windows", 50 },
	{ "batches", 200 },	/* of the deep load; 0: none */
	{ "touch", 0 },		/* each CPU uses each path of busy maps */
	{ "megabytes", 1024 },
};

static u64 option(const char *key)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (!strcmp(options[i].key, key))
			return options[i].value;
	abort();
}

static void parse(char *word)
{
	char *value = strchr(word, '='), *rest;
	unsigned int i;

	if (value)
		*value++ = '\0';
	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (value && !strcmp(options[i].key, word)) {
			options[i].value = strtoull(value, &rest, 10);
			if (*value && !*rest)
				return;
		}
	fprintf(stderr, "scale: what is \"%s\"?\n", word);
	exit(2);
}

static void show(const char *key, u64 value)
{
	static const char *between = "{";

	printf("%s\"%s\": %llu", between, key, value);
	between = ", ";
}

static struct loaded_map *maps;
static unsigned int nr_maps, nr_busy;

/* As many maps as are wanted, or as there is memory for. */
static void load_tables(void)
{
	u64 wanted = option("maps"), limit = option("megabytes") << 20, before = native_bytes;
	u64 *took = calloc(wanted, sizeof(*took));

	maps = calloc(wanted, sizeof(*maps));
	KERNEL_ASSERT(maps && took);
	while (nr_maps < wanted) {
		u64 began = native_spent_ns();

		if (!native_map_load(&maps[nr_maps].map, dm_type(MODULE_TYPE), option("paths"))) {
			fprintf(stderr, "scale: a table was refused\n");
			exit(1);
		}
		took[nr_maps++] = native_spent_ns() - began;
		if (native_bytes + (native_bytes - before) / nr_maps > limit)
			break;
	}
	show("maps", nr_maps);
	show("bytes", native_bytes - before);
	show("percpu_bytes", native_percpu_bytes);
	show("load_ns", load_median(took, nr_maps));
	show("rcu_waits", kernel_rcu_waits);
	free(took);
}

/* Spread evenly over all, the first one among them. */
static void choose_busy(void)
{
	unsigned int i, each = max(100 / max(option("busy"), 1ULL), 1ULL);

	for (i = 0; i < nr_maps; i++) {
		maps[i].busy = !(i % each);
		nr_busy += maps[i].busy;
		if (maps[i].busy && option("touch"))
			load_touch(&maps[i]);
	}
	show("busy", nr_busy);
}

/* What the same I/Os take with a selector that does nothing: of one as of many maps. */
static u64 null_window_ns(u64 ios, unsigned int windows)
{
	struct loaded_map *null = calloc(nr_busy, sizeof(*null));
	u64 spent = 0, now_ns = world_now_ns;
	unsigned int i;

	KERNEL_ASSERT(null);
	for (i = 0; i < nr_busy; i++) {
		null[i].busy = true;
		KERNEL_ASSERT(native_map_load(&null[i].map, &native_null, option("paths")));
	}
	load_window(null, nr_busy, ios);
	for (i = 0; i < windows; i++)
		spent += load_window(null, nr_busy, ios);
	load_finish(null, nr_busy);
	for (i = 0; i < nr_busy; i++)
		native_map_free(&null[i].map);
	free(null);
	world_now_ns = now_ns;
	return spent;
}

/* What it takes to ask for the time, which is a call to the host's kernel. */
static u64 asking_ns(void)
{
	u64 took[101];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(took); i++) {
		u64 began = native_spent_ns();

		took[i] = native_spent_ns() - began;
	}
	return load_median(took, ARRAY_SIZE(took));
}

static void measure_windows(void)
{
	u64 ios = option("iops") / 50, windows = option("windows"), io_ns = 0, asking = asking_ns();
	/* As long as a window of a map with few I/Os. */
	unsigned int round = min(windows, 5ULL), rounds = windows / round, ran = 0, i;
	u64 *took = calloc(rounds, sizeof(*took)), usual;

	KERNEL_ASSERT(took);
	for (i = 0; i < option("warm"); i++) {
		load_window(maps, nr_maps, ios);
		native_run_works();
	}
	windows = rounds * round;
	for (i = 0; i < windows; i++) {
		u64 began;

		io_ns += load_window(maps, nr_maps, ios);
		began = native_spent_ns();
		ran += native_run_works();
		took[i / round] += native_spent_ns() - began - asking;
	}
	show("windows", ran);
	show("spans_ns", windows * WINDOW_NS);
	show("queued", native_works());
	/* What the windows of all maps take in a round as a rule. */
	usual = load_median(took, rounds);
	show("window_ns", (s64)usual > 0 ? usual * rounds : 0);
	show("ios", ios * windows * nr_busy);
	show("spread_ns", io_ns);
	show("spread_null_ns", null_window_ns(ios, windows));
	show("used_bytes", native_bytes);
	free(took);
}

/* After the last I/O: how many windows until all rest, and how many never do? */
static void measure_rest(void)
{
	unsigned int i, ran = 0;

	load_finish(maps, nr_maps);
	for (i = 0; i < 1000 && native_works(); i++) {
		world_now_ns += WINDOW_NS;
		ran += native_run_works();
	}
	show("windows_to_rest", ran);
	show("restless", native_works());
}

/* What two things take that a kernel pays for as well: to look at the clock, and flags. */
static void measure_machine(void)
{
	const unsigned int times = 100000;
	unsigned long flags;
	unsigned int i;
	u64 began = native_spent_ns();

	for (i = 0; i < times; i++)
		ktime_get_ns();
	show("clock_ps", (native_spent_ns() - began) * 1000 / times);
	began = native_spent_ns();
	for (i = 0; i < times; i++) {
		local_irq_save(flags);
		local_irq_restore(flags);
	}
	show("flags_ps", (native_spent_ns() - began) * 1000 / times);
}

static void measure_ios(void)
{
	struct loaded_map null = { .busy = true };
	unsigned int batches = option("batches");

	if (!batches)
		return;
	KERNEL_ASSERT(native_map_load(&null.map, &native_null, option("paths")));
	measure_machine();
	show("null_ps", load_deep(&null, batches));
	show("io_ps", load_deep(&maps[0], batches));
	native_map_free(&null.map);
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		parse(argv[i]);
	native_boot(option("cpus"), option("nodes"));
	load_prepare(option("sizes"));
	load_tables();
	choose_busy();
	measure_windows();
	measure_ios();
	measure_rest();
	for (i = 0; i < nr_maps; i++)
		native_map_free(&maps[i].map);
	show("left_bytes", native_bytes);
	native_unload();
	printf("}\n");
	return 0;
}
