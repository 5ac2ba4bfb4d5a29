// SPDX-License-Identifier: GPL-2.0
/*
 * All text that the module parses: table arguments, path arguments, the files of maps and
 * paths, module parameters. An input is lines:
 *
 *	window_ms 50 prefer 8:16	arguments of the selector
 *	1				arguments of a path
 *	tolerance=30			a write to a file of the map, to
 *	prefer=1			the path's file
 *	param:max_penalty=10			or to a module parameter
 *
 * The module's own code runs (tests/kernel_shim); what it did is held against the few rules
 * that an administrator goes by.
 */
/*
 * promise output/arguments: Text is refused or taken whole, and echoed unchanged (except the
 *   repeat count of a path) | check: yes; 500 random tables | full: `guests-*`: 10,000
 */
#include "everything.h"

#include "dm.h"
#include "admin/map.h"
#include "args.h"
#include "status.h"

#define MOST_WORDS	64

uint64_t world_now_ns = NSEC_PER_SEC;
unsigned int world_cpu, world_cpus = 2, world_nodes = 1;
bool world_in_task = true;
const void *world_task = &world_task;

unsigned int world_node_of(unsigned int cpu)
{
	return 0;
}

/* Without I/O there is no window. */
void world_after(uint64_t ns, void (*fn)(void *arg), void *arg)
{
	KERNEL_ASSERT(!"a timer");
}

/**
 * struct words - a line's words
 * @count: number of them
 * @word: each in memory of its own, so that a sanitizer sees who reads beyond it
 */
struct words {
	unsigned int count;
	char *word[MOST_WORDS];
};

/* dm parts a table line at white space; words are never empty. */
static void split(struct words *w, char *line)
{
	char *at = line, *word;

	w->count = 0;
	while (w->count < MOST_WORDS && (word = strsep(&at, " \t\n\v\f\r")))
		if (*word)
			w->word[w->count++] = kstrdup(word, GFP_KERNEL);
}

static void words_free(struct words *w)
{
	while (w->count)
		kfree(w->word[--w->count]);
}

/* What is refused is explained. */
static void check_explained(void)
{
	const char *log = kernel_log_text();

	KERNEL_ASSERT(strstr(log, "multipath latency-weighted: "));
	kernel_log_clear();
}

static void check_config(const struct lw_config *config)
{
	const struct lw_option *o;

	for (o = lw_options; o < lw_options + LW_OPTIONS; o++) {
		KERNEL_ASSERT(lw_option_get(config, o) >= o->min);
		KERNEL_ASSERT(lw_option_get(config, o) <= o->max);
	}
	KERNEL_ASSERT(config->probe_min_ms <= config->probe_max_ms);
}

/* What came in comes out, cut off at the end of the buffer and never beyond it. */
static void check_echo(struct path_selector *ps, const struct words *w, size_t room)
{
	char expected[2 * PAGE_SIZE], *result = kmalloc(room, GFP_KERNEL);
	size_t length = snprintf(expected, sizeof(expected), "%u ", w->count);
	unsigned int i;

	for (i = 0; i < w->count && length < sizeof(expected); i++)
		length += snprintf(expected + length, sizeof(expected) - length, "%s ",
				   w->word[i]);
	length = min(length, sizeof(expected) - 1);
	lw_status(ps, NULL, STATUSTYPE_TABLE, result, room);
	KERNEL_ASSERT(!strncmp(result, expected, room - 1));
	KERNEL_ASSERT(strlen(result) == min(length, room - 1));
	kfree(result);
}

/* A word that is taken is what the option then says. */
static void check_taken(const struct lw_option *o, const char *text, unsigned int value)
{
	if (o->words)
		KERNEL_ASSERT(!strncmp(o->words[value], text, strcspn(text, "\n")));
	else
		KERNEL_ASSERT(value == strtoul(text, NULL, 10));
}

static void check_path_arguments(struct words *w)
{
	char *error = NULL;

	kernel_log_clear();
	if (!lw_path_args_parse(w->count, w->word, &error)) {
		KERNEL_ASSERT(w->count <= 1 && !error);
		return;
	}
	KERNEL_ASSERT(error);
	check_explained();
}

static void write_option(struct lw_map *map, const char *name, const char *text)
{
	struct lw_config before = map->config;
	const struct lw_option *o;
	unsigned int was;
	int err;

	for (o = lw_options; o < lw_options + LW_OPTIONS && strcmp(o->name, name); o++)
		;
	if (o == lw_options + LW_OPTIONS)
		return;
	kernel_log_clear();
	was = lw_tuned(map, o);
	err = lw_tune(map, o, text);
	if (!err) {
		check_taken(o, text, lw_tuned(map, o));
		return;
	}
	check_explained();
	KERNEL_ASSERT(lw_tuned(map, o) == was);
	KERNEL_ASSERT(!memcmp(&before, &map->config, sizeof(before)));
}

static void write_prefer(struct lw_map_path *at, const char *text)
{
	bool was = at->prefer;

	kernel_log_clear();
	if (!lw_tune_prefer(at, text)) {
		KERNEL_ASSERT(at->prefer == strtoul(text, NULL, 10));
		return;
	}
	check_explained();
	KERNEL_ASSERT(at->prefer == was);
}

static void check_told(const struct lw_option *o, const char *page, const char *text)
{
	if (o->words)
		KERNEL_ASSERT(!strncmp(page, text, strcspn(page, "\n")));
	else
		KERNEL_ASSERT(strtoul(page, NULL, 10) == strtoul(text, NULL, 10));
}

static void write_parameter(const char *name, const char *text)
{
	char page[PAGE_SIZE];
	const struct kernel_param *p;

	for (p = __start_kernel_params; p < __stop_kernel_params; p++) {
		if (strcmp(p->name, name))
			continue;
		kernel_log_clear();
		if (p->ops->set(text, p))
			check_explained();
		else if (p->ops->get(page, p) > 0)
			check_told(p->arg, page, text);
	}
}

/* @line ends with the newline, as echo leaves it, or without, as printf does. */
static void write_line(struct lw_map *map, struct lw_map_path *at, char *line)
{
	char *equals = strchr(line, '='), *text;

	if (!equals)
		return;
	*equals = '\0';
	text = kstrdup(equals + 1, GFP_KERNEL);
	if (!strncmp(line, "param:", 6))
		write_parameter(line + 6, text);
	else if (!strcmp(line, "prefer"))
		write_prefer(at, text);
	else
		write_option(map, line, text);
	kfree(text);
}

/* The map of a selector, which src/admin/map.c would have made. */
static void write_files(struct lw_selector *sel, char *lines)
{
	struct lw_map map = { .label = "dm-0" };
	struct lw_map_path at = { .map = &map, .label = "sda" };
	char *end;

	lw_config_default(&map.config);
	INIT_LIST_HEAD(&map.selectors);
	list_add_tail(&sel->of_map, &map.selectors);
	lw_args_inherit(sel, &map.config);
	check_config(&sel->config);
	sel->member[0].map_path = &at;
	for (; *lines; lines = end) {
		char *line;

		end = lines + strcspn(lines, "\n");
		end += *end == '\n';
		line = strndup(lines, end - lines);
		write_line(&map, &at, line);
		free(line);
		check_config(&sel->config);
		check_config(&map.config);
	}
}

/* As many paths as a table has at least. */
static void load_table(struct words *w, size_t room, char *writes)
{
	struct dm_group *group = dm_group_create(2, w->count, w->word);
	struct path_selector *ps;
	struct lw_selector *sel;

	if (!group) {
		check_explained();
		return;
	}
	ps = dm_group_selector(group);
	sel = ps->context;
	check_config(&sel->config);
	check_echo(ps, w, room);
	write_files(sel, writes);
	dm_group_destroy(group);
}

/* Called by libFuzzer. The parameters stay what they were set to, as in the kernel. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text, *writes, *paths, *table;
	struct words w;

	if (size >= PAGE_SIZE)
		return 0;
	text = writes = strndup((const char *)data, size);
	table = strsep(&writes, "\n");
	paths = writes ? strsep(&writes, "\n") : NULL;
	split(&w, paths ?: (char[]){ "" });
	check_path_arguments(&w);
	words_free(&w);
	split(&w, table);
	load_table(&w, 1 + size % 97, writes ?: (char[]){ "" });
	words_free(&w);
	free(text);
	return 0;
}
