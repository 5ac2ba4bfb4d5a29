// SPDX-License-Identifier: GPL-2.0
/* model/means.h: quotients of fading sums. */
#include "unit.h"
#include "model/means.h"

/* Of @ios I/Os with so much latency, each of which found @load. */
static struct lw_means window(u64 ios, u64 lat_ns, u64 load)
{
	return (struct lw_means){ .sum = {
		[LW_HELD_NS] = ios * lat_ns,
		[LW_DONE] = ios << 8,
		[LW_STARTS] = ios << 8,
		[LW_SEEN] = ios * load,
		[LW_STAMPED_NS] = ios * lat_ns,
		[LW_STAMPED] = ios << 8,
	} };
}

static void means_are_quotients(void **state)
{
	struct lw_means m = window(10, 5 * MS, 3 * LW_IO);

	assert_int_equal(lw_means_little_ns(&m), 5 * MS);
	assert_int_equal(lw_means_stamped_ns(&m), 5 * MS);
	assert_int_equal(lw_means_load(&m), 3 * LW_IO);
	/* weighed by I/Os */
	lw_means_add(&m, &(struct lw_means){ .sum = { [LW_HELD_NS] = 30 * 9 * MS, [LW_DONE] = 30 << 8 } });
	assert_int_equal(lw_means_little_ns(&m), 8 * MS);
	assert_int_equal(lw_means_stamped_ns(&m), 5 * MS);
}

static void nothing_is_unknown(void **state)
{
	struct lw_means m = { 0 };

	assert_int_equal(lw_means_little_ns(&m), 0);
	assert_int_equal(lw_means_stamped_ns(&m), 0);
	assert_int_equal(lw_means_load(&m), LW_IO);	/* an I/O finds at least itself */
	assert_true(lw_means_steady(&m));
}

static void sums_fade(void **state)
{
	struct lw_means m = window(100, 1 * MS, 4 * LW_IO), w = window(100, 5 * MS, 8 * LW_IO);

	lw_means_fade(&m, 128);
	assert_int_equal(lw_means_little_ns(&m), 1 * MS);
	assert_int_equal(m.sum[LW_DONE], 50 << 8);
	lw_means_add(&m, &w);
	/* a third is old */
	assert_in_range(lw_means_little_ns(&m), 3600000, 3700000);
	lw_means_fade(&m, 256);
	lw_means_add(&m, &w);
	assert_memory_equal(&m, &w, sizeof(m));
}

static void load_that_grows_is_not_steady(void **state)
{
	struct lw_means m = window(80, 1 * MS, LW_IO);

	m.sum[LW_GREW] = 10 << 8;
	assert_true(lw_means_steady(&m));
	m.sum[LW_GREW]++;
	assert_false(lw_means_steady(&m));
	m.sum[LW_GREW] = -(11 << 8);
	assert_false(lw_means_steady(&m));
}

static void means_survive_extremes(void **state)
{
	static const s64 v[] = { INT64_MIN, -1, 0, 1, 256, 1LL << 46, INT64_MAX };
	struct lw_means m = { 0 };

	srand(1);
	for (int w = 0; w < 100000; w++) {
		struct lw_means of;

		for (int i = 0; i < LW_SUMS; i++)
			of.sum[i] = v[w % 2000 < 1000 ? 6 : rand() % 7];
		lw_means_fade(&m, w % 2000 < 1000 ? 1 : rand() % 257);
		lw_means_add(&m, &of);
		assert_true(lw_means_little_ns(&m) <= LW_NS_MAX);
		assert_true(lw_means_stamped_ns(&m) <= LW_NS_MAX);
		assert_in_range(lw_means_load(&m), LW_IO, LW_LOAD_LIMIT);
		lw_means_steady(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_are_quotients),
		cmocka_unit_test(nothing_is_unknown),
		cmocka_unit_test(sums_fade),
		cmocka_unit_test(load_that_grows_is_not_steady),
		cmocka_unit_test(means_survive_extremes),
	};

	return cmocka_run_group_tests_name("means", tests, NULL, NULL);
}
