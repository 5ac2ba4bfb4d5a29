// SPDX-License-Identifier: GPL-2.0
/* model/bracket.h: base and knee, window by window. */
/*
 * promise steering/correction: A wrong base or knee corrects itself, also under a constant load:
 *   a base that is too high by dips, a base that is too low by the load that leaves | by:
 *   measured by `make sim LIST=recover` | check: yes; the list is only tried
 */
#include "bench.h"

static void base_is_the_first_started_not_the_luckiest(void **state)
{
	struct bench b = bench(true);

	start_at(&b, b.now);
	start_at(&b, b.now + 1);
	end_at(&b, b.now + 1, b.now + 2 * MS);
	end_at(&b, b.now, b.now + 6 * MS);
	close_window(&b);
	/* but no more than their mean */
	assert_in_range(b.s.capacity.base_ns, 4 * MS - 1, 4 * MS);
}

/* A path with stamps that has a history, under a load of eight. */
static struct lw_path_state known(u64 lat_ns, u64 base_ns)
{
	return (struct lw_path_state){
		.latency = { .lat_ns = lat_ns, .load = 8 * LW_IO },
		.capacity = { .base_ns = base_ns, .knee = 8 * LW_IO },
		.health.stamped = true, .counted.active_ns = 1000 * SEC,
	};
}

static void base_stays_between_latency_and_latency_by_load(void **state)
{
	struct lw_path_state s = known(8 * MS, 3 * MS);

	lw_estimate_base(&s.capacity, &s, 5 * MS);
	assert_int_equal(s.capacity.base_ns, 3 * MS);
	s.capacity.base_ns = 9 * MS;
	lw_estimate_base(&s.capacity, &s, 0);
	assert_int_equal(s.capacity.base_ns, 8 * MS);
	s.capacity.base_ns = MS / 2;
	lw_estimate_base(&s.capacity, &s, 0);
	assert_int_equal(s.capacity.base_ns, 1 * MS);
	/* those that end in a queue that empties found more than eight before them */
	s.capacity.base_ns = MS / 2;
	s.latency.means.sum[LW_DONE] = 80 * LW_IO;
	s.latency.means.sum[LW_GREW] = -11 * (s64)LW_IO;
	lw_estimate_base(&s.capacity, &s, 0);
	assert_int_equal(s.capacity.base_ns, MS / 2);
	s.latency.means.sum[LW_GREW] = -10 * (s64)LW_IO;
	lw_estimate_base(&s.capacity, &s, 0);
	assert_int_equal(s.capacity.base_ns, 1 * MS);
	/* of one I/O both are the latency */
	s.latency.load = LW_IO;
	lw_estimate_base(&s.capacity, &s, 0);
	assert_int_equal(s.capacity.base_ns, 8 * MS);
}

static void first_sample_is_the_base(void **state)
{
	struct lw_path_state s = known(8 * MS, 3 * MS);

	/* of a new path, or of a reinstated one, whatever was known before */
	s.capacity.fresh = true;
	lw_estimate_base(&s.capacity, &s, 5 * MS);
	assert_int_equal(s.capacity.base_ns, 5 * MS);
	lw_estimate_base(&s.capacity, &s, 60 * MS);
	assert_int_equal(s.capacity.base_ns, 8 * MS);
	lw_estimate_base(&s.capacity, &s, 0);
	assert_int_equal(s.capacity.base_ns, 8 * MS);
	s.capacity.fresh = false;
	s.capacity.base_ns = 0;
	lw_estimate_base(&s.capacity, &s, 2 * MS);
	assert_int_equal(s.capacity.base_ns, 2 * MS);
}

/* Without stamps sums that are not a latency or two long tell nothing: they began in the middle. */
static void fresh_sums_tell_nothing_without_stamps(void **state)
{
	struct lw_path_state s = known(3 * MS, 5 * MS);

	s.latency.forgot_ns = s.counted.active_ns - 10 * MS + 1;
	s.health.stamped = false;
	lw_estimate_base(&s.capacity, &s, 0);
	assert_int_equal(s.capacity.base_ns, 5 * MS);
	s.latency.forgot_ns--;
	lw_estimate_base(&s.capacity, &s, 0);
	assert_int_equal(s.capacity.base_ns, 3 * MS);
	s = known(3 * MS, 5 * MS);
	s.latency.forgot_ns = s.counted.active_ns;
	lw_estimate_base(&s.capacity, &s, 0);
	assert_int_equal(s.capacity.base_ns, 3 * MS);
}

static void base_follows_down_at_once(void **state)
{
	struct bench b = bench(true);

	traffic(&b, 50, 8, 12 * MS);
	probe(&b, 1 * MS);
	assert_int_equal(b.s.capacity.base_ns, 1 * MS);
}

/* One window of a path of 4 ms whose latency is so many 256ths of it. */
static u64 knee_after(u64 knee, u64 load, u64 inflation)
{
	struct lw_path_state s = known((4 * MS * inflation) >> 8, 4 * MS);
	const struct lw_means none = { 0 };

	s.capacity.knee = knee;
	s.latency.load = load;
	lw_estimate_knee(&s.capacity, &s, &none, WINDOW);
	assert_int_equal(s.capacity.queues, inflation > LW_FLAT);
	return s.capacity.knee;
}

static void knee_grows_where_latency_is_flat(void **state)
{
	/* twice as much, by a sixteenth if that may be noise, and by half an I/O at least */
	assert_int_equal(knee_after(8 * LW_IO, 8 * LW_IO, 256), 16 * LW_IO);
	assert_int_equal(knee_after(16 * LW_IO, 16 * LW_IO, LW_VERY_FLAT + 1), 17 * LW_IO);
	assert_int_equal(knee_after(16 * LW_IO, 16 * LW_IO, LW_FLAT), 17 * LW_IO);
	assert_int_equal(knee_after(2 * LW_IO, 2 * LW_IO, LW_FLAT), 5 * LW_IO / 2);
	/* What is in flight fits. */
	assert_int_equal(knee_after(16 * LW_IO, 40 * LW_IO, 256), 40 * LW_IO);
}

/* It is not what holds the load back. */
static void knee_stays_if_the_load_does_not_reach_it(void **state)
{
	assert_int_equal(knee_after(16 * LW_IO, 11 * LW_IO, 256), 16 * LW_IO);
	assert_int_equal(knee_after(16 * LW_IO, 12 * LW_IO, 256), 32 * LW_IO);
	/* The next I/O would exceed a small one. */
	assert_int_equal(knee_after(3 * LW_IO / 2, LW_IO, 256), 3 * LW_IO);
}

/* Half of the way to what makes the same throughput without a queue, and an eighth. */
static void knee_falls_to_what_the_path_can_do(void **state)
{
	assert_int_equal(knee_after(16 * LW_IO, 16 * LW_IO, 512), 25 * LW_IO / 2);
	/* up, too, where a queue is longer than the knee allows */
	assert_int_equal(knee_after(4 * LW_IO, 16 * LW_IO, 512), 13 * LW_IO / 2);
	/* and all of it above twice the base */
	assert_int_equal(knee_after(16 * LW_IO, 16 * LW_IO, 1024), 9 * LW_IO / 2);
	/* A knee that the load does not reach is not raised by a queue of others. */
	assert_int_equal(knee_after(16 * LW_IO, 8 * LW_IO, 307), (16 * LW_IO + 8 * LW_IO * 288 / 307) / 2);
}

static void knee_stays_between_its_limits(void **state)
{
	assert_int_equal(knee_after(LW_KNEE_MOST, LW_LOAD_LIMIT, 256), LW_KNEE_MOST);
	assert_int_equal(knee_after(LW_KNEE_LEAST, LW_IO, 256 * 1000), LW_KNEE_LEAST);
	assert_int_equal(knee_after(LW_KNEE_LEAST, LW_LOAD_LIMIT, 256 * 1000), LW_LOAD_LIMIT * 288 / 256000);
}

/* Windows of a latency that goes up and down by so much of its mean, in 1/256. */
static u64 noise_after(struct bench *b, int windows, u64 by)
{
	for (int w = 0; w < windows; w++)
		traffic(b, 1, 8, w % 2 ? (256 + by) << 12 : (256 - by) << 12);
	return b->s.latency.noise_q16 >> 8;
}

static void noise_is_the_mean_deviation(void **state)
{
	for (u64 by = 0; by <= 48; by += 12) {
		struct bench b = bench(true);

		/* The mean itself moves by a quarter of it. */
		assert_in_range(noise_after(&b, 300, by), by / 5, by + 1);
		/* It is forgotten as it was learned. */
		assert_in_range(noise_after(&b, 300, 0), 0, 1);
	}
}

static void refer_to(struct lw_path_state *s, u64 usual_q4, u32 writes_q16)
{
	u32 was = s->kinds.writes_q16;
	s64 by = lw_refer_to(&s->kinds, usual_q4, writes_q16);

	lw_base_lengthen(&s->capacity, by, -lw_writes_longer_ns(&s->kinds, was));
}

static void operations_differ_from_the_usual_mixture(void **state)
{
	struct lw_path_state s = {
		.kinds = { .size = { .usual_q4 = 1 << 4, .block_q4 = 10000 << 4 },
			   .writes_q16 = LW_WRITES_ALL / 2,
			   .write.longer_ns = 1 * MS, .other = { .weight = 256 } },
		.capacity = { .base_ns = 2 * MS, .dip.tested_ns = 2 * MS },
	};

	lw_op_learn(&s.kinds.other, 3 * MS, LW_OP_WEIGHT);
	assert_int_equal(lw_op_base(&s.kinds, LW_OP_DATA, s.capacity.base_ns), 2 * MS);
	assert_int_equal(lw_op_base(&s.kinds, LW_OP_READ, s.capacity.base_ns), 2 * MS - MS / 2);
	assert_int_equal(lw_op_base(&s.kinds, LW_OP_WRITE, s.capacity.base_ns), 2 * MS + MS / 2);
	/* Writes alone, and of 11 blocks: the base is theirs, and reads and flushes keep their own. */
	refer_to(&s, 11 << 4, LW_WRITES_ALL);
	assert_int_equal(s.capacity.base_ns, 2 * MS + MS / 2 + 100000);
	/* The base has moved by their length, not by their operation. */
	assert_int_equal(s.capacity.dip.tested_ns, 2 * MS + MS / 2);
	assert_int_equal(lw_op_base(&s.kinds, LW_OP_READ, s.capacity.base_ns), 2 * MS - MS / 2 + 100000);
	assert_in_range(lw_op_base(&s.kinds, LW_OP_OTHER, s.capacity.base_ns), 49 * MS / 10, 51 * MS / 10);
	/* It is never less than half of what it was, nor unknown. */
	s.capacity.base_ns = 1;
	refer_to(&s, 1 << 4, 0);
	assert_int_equal(s.capacity.base_ns, 1);
	assert_int_equal(lw_op_base(&s.kinds, LW_OP_READ, 0), 1);
}

/* Measured, and windows until it ends: those for the load to fall, and those that are measured. */
static void dip_of_mixed_lengths_is_short(void **state)
{
	const struct lw_latency l = { .load = 16 * LW_IO, .lat_ns = 2 * WINDOW };
	struct lw_capacity cap = { .base_ns = WINDOW, .knee = 8 * LW_IO, .dip = { .wait = 17, .pause = 16 } };

	lw_dip_start(&cap, &l, true, WINDOW);
	assert_int_equal(cap.dip.span, 8);
	assert_int_equal(cap.dip.left, 1 + 4 + 8);
	/* a small one */
	lw_dip_start(&cap, &l, false, WINDOW);
	assert_int_equal(cap.dip.span, LW_SCOUT_SPAN);
	cap.dip.wait = 17;
	lw_dip_start(&cap, &l, true, 4 * WINDOW);
	assert_int_equal(cap.dip.span, LW_SPAN_WINDOWS);
	cap.dip.wait = 17;
	lw_dip_start(&cap, &l, false, 4 * WINDOW);
	assert_int_equal(cap.dip.span, LW_DIP_MIXED);
	assert_int_equal(cap.dip.left, 1 + 1 + LW_DIP_MIXED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(base_is_the_first_started_not_the_luckiest),
		cmocka_unit_test(base_stays_between_latency_and_latency_by_load),
		cmocka_unit_test(first_sample_is_the_base),
		cmocka_unit_test(fresh_sums_tell_nothing_without_stamps),
		cmocka_unit_test(base_follows_down_at_once),
		cmocka_unit_test(knee_grows_where_latency_is_flat),
		cmocka_unit_test(knee_stays_if_the_load_does_not_reach_it),
		cmocka_unit_test(knee_falls_to_what_the_path_can_do),
		cmocka_unit_test(knee_stays_between_its_limits),
		cmocka_unit_test(noise_is_the_mean_deviation),
		cmocka_unit_test(operations_differ_from_the_usual_mixture),
		cmocka_unit_test(dip_of_mixed_lengths_is_short),
	};

	return cmocka_run_group_tests_name("bracket", tests, NULL, NULL);
}
