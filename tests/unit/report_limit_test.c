// SPDX-License-Identifier: GPL-2.0
/* model/report.h: how many reports are made in a period. */
#include "unit.h"
#include "model/report.h"

static void so_many_reports_in_a_period(void **state)
{
	struct lw_report_limit limit = { 0 };
	u64 now = 5 * SEC;

	for (unsigned int i = 0; i < 10; i++, now += SEC) {
		assert_true(lw_report_room(&limit, 10, 60 * SEC, now));
		limit.made++;
	}
	/* Who asks in vain uses nothing up, nor does a caller whose clock is behind. */
	for (unsigned int i = 0; i < 100; i++)
		assert_false(lw_report_room(&limit, 10, 60 * SEC, now));
	assert_false(lw_report_room(&limit, 10, 60 * SEC, 4 * SEC));
	assert_false(lw_report_room(&limit, 10, 60 * SEC, 65 * SEC - 1));
	assert_true(lw_report_room(&limit, 10, 60 * SEC, 65 * SEC));
	assert_int_equal(limit.made, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(so_many_reports_in_a_period),
	};

	return cmocka_run_group_tests_name("report limit", tests, NULL, NULL);
}
