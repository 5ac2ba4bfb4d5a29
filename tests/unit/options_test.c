// SPDX-License-Identifier: GPL-2.0
/* options.c and args.c in the simulated kernel: rows of the table as parameters and arguments. */
#include <linux/moduleparam.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "args.h"
#include "dm.h"

#define NO_NUMBERS "x", "", "-1", "1.5", "0x10", "4294967297", " 5", "5 6"

unsigned int world_cpu, world_cpus = 1, world_nodes = 1;
uint64_t world_now_ns;
bool world_in_task = true;
const void *world_task = &world_task;

unsigned int world_node_of(unsigned int cpu)
{
	return 0;
}

/* A row of the table, as text; for words, all of them and nothing else. */
struct row {
	const char *name;
	unsigned int least, most, value;
	const char *unit, *text;
	const char *const *words;
};

static const struct row rows[] = {
#define LW_OPTION(option, lo, hi, init, in, sentence) \
	{ .name = #option, .least = lo, .most = hi, .value = init, .unit = #in, .text = sentence },
#define LW_CHOICE(option, init, sentence, ...) \
	{ .name = #option, .value = init, .text = sentence, \
	  .most = ARRAY_SIZE(((const char *const []){ __VA_ARGS__ })) - 1, \
	  .words = (const char *const []){ __VA_ARGS__ } },
#include "option_defs.h"
};

/* Its default, as text. */
static const char *value_of(const struct row *row)
{
	static char text[20];

	snprintf(text, sizeof(text), "%u", row->value);
	return row->words ? row->words[row->value] : text;
}

static const struct kernel_param *param(const char *name)
{
	const struct kernel_param *p;

	for (p = __start_kernel_params; p < __stop_kernel_params; p++)
		if (!strcmp(p->name, name))
			return p;
	fail_msg("no parameter %s", name);
	return NULL;
}

/* Its value, without the newline. */
static const char *shown(const char *name)
{
	static char page[PAGE_SIZE];

	param(name)->ops->get(page, param(name));
	page[strcspn(page, "\n")] = '\0';
	return page;
}

static void refused(const struct row *row, const char *text, const char *why)
{
	char before[80], told[200];

	strcpy(before, shown(row->name));
	snprintf(told, sizeof(told), "%s: \"%s\" is %s\n", row->name, text, why);
	kernel_log_clear();
	assert_int_equal(param(row->name)->ops->set(text, param(row->name)), -EINVAL);
	if (!strstr(kernel_log_text(), told))
		fail_msg("%s in place of %s", kernel_log_text(), told);
	assert_string_equal(shown(row->name), before);
}

static void taken(const struct row *row, const char *text)
{
	if (param(row->name)->ops->set(text, param(row->name)))
		fail_msg("%s: %s", row->name, kernel_log_text());
	assert_string_equal(shown(row->name), text);
	param(row->name)->ops->set(value_of(row), param(row->name));
}

static void each_row_is_a_parameter(void **state)
{
	assert_int_equal(__stop_kernel_params - __start_kernel_params, ARRAY_SIZE(rows));
	for (const struct row *row = rows; row < rows + ARRAY_SIZE(rows); row++)
		assert_string_equal(shown(row->name), value_of(row));
}

static void numbers_have_limits(void **state)
{
	static const char *const bad[] = { NO_NUMBERS };

	for (const struct row *row = rows; row < rows + ARRAY_SIZE(rows); row++) {
		char why[80], text[20];

		if (row->words)
			continue;
		snprintf(why, sizeof(why), "not a number from %u to %u", row->least, row->most);
		snprintf(text, sizeof(text), "%u", row->least);
		taken(row, text);
		snprintf(text, sizeof(text), "%u", row->most);
		taken(row, text);
		snprintf(text, sizeof(text), "%u", row->most + 1);
		refused(row, text, why);
		snprintf(text, sizeof(text), "%u", row->least - 1);
		refused(row, text, why);
		for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
			refused(row, bad[i], why);
	}
}

static void words_are_those_of_the_table(void **state)
{
	for (const struct row *row = rows; row < rows + ARRAY_SIZE(rows); row++) {
		char why[200] = "none of ";

		if (!row->words)
			continue;
		for (size_t i = 0; i <= row->most; i++) {
			taken(row, row->words[i]);
			strcat(strcat(why, i ? ", " : ""), row->words[i]);
		}
		refused(row, "fastest", why);
		refused(row, "0", why);
	}
}

static void texts_are_these(void **state)
{
	const struct row window = { .name = "window_ms" }, choose = { .name = "choose" };

	refused(&window, "4", "not a number from 5 to 1000");
	refused(&choose, "fastest", "none of latency, queue-length, round-robin");
}

static void unknown_argument_is_told_all_that_are_known(void **state)
{
	static char *argv[] = { "windows_ms", "20" };
	char told[1000] = "unknown argument \"windows_ms\"; known are ";
	struct lw_selector sel = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		strcat(strcat(told, rows[i].name), ", ");
	strcat(told, "prefer\n");
	kernel_log_clear();
	assert_int_equal(lw_args_parse(&sel, 2, argv), -EINVAL);
	lw_args_free(&sel);
	assert_non_null(strstr(kernel_log_text(), told));
}

static const char *in(const char *unit)
{
	static const char *const of[][2] = {
		{ "none", "" }, { "ms", " ms" }, { "percent", " %" }, { "KiB", " KiB" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(of); i++)
		if (!strcmp(unit, of[i][0]))
			return of[i][1];
	fail_msg("no such unit: %s", unit);
	return NULL;
}

static const char *description(const char *name)
{
	const struct kernel_description *d;

	for (d = __start_kernel_descriptions; d < __stop_kernel_descriptions; d++)
		if (!strcmp(d->name, name))
			return d->text;
	fail_msg("no description of %s", name);
	return NULL;
}

/* As modinfo shows it. */
static void descriptions_have_range_and_default(void **state)
{
	assert_ptr_equal(__stop_kernel_descriptions, __start_kernel_descriptions + ARRAY_SIZE(rows));
	for (const struct row *row = rows; row < rows + ARRAY_SIZE(rows); row++) {
		char text[300];

		snprintf(text, sizeof(text), "%s, for new maps", row->text);
		if (!row->words)
			snprintf(text, sizeof(text), "%s, for new maps (%u-%u%s, default %u)",
				 row->text, row->least, row->most, in(row->unit), row->value);
		assert_string_equal(description(row->name), text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_is_a_parameter),
		cmocka_unit_test(numbers_have_limits),
		cmocka_unit_test(words_are_those_of_the_table),
		cmocka_unit_test(texts_are_these),
		cmocka_unit_test(unknown_argument_is_told_all_that_are_known),
		cmocka_unit_test(descriptions_have_range_and_default),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
