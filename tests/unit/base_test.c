// SPDX-License-Identifier: GPL-2.0
/* model/knee.h: where the base latency comes from, how it follows, and the noise. */
#include "bench.h"

static void base_is_the_first_started_not_the_luckiest(void **state)
{
	struct bench b = bench(true);

	start_at(&b, b.now);
	start_at(&b, b.now + 1);
	end_at(&b, b.now + 1, b.now + 2 * MS);
	end_at(&b, b.now, b.now + 6 * MS);
	close_window(&b);
	assert_int_equal(b.s.base_ns, 6 * MS);
}

/* What a path is set to when it is proven, and who may say otherwise afterwards. */
static void first_sample_is_the_base(void **state)
{
	struct lw_path_state s = { .lat_ns = 5 * MS, .base_ns = 3 * MS, .inflight = 9,
				   .first_counts = true };
	struct lw_path_state was = s;

	/* may later ones be faster or slower, and whatever was known before */
	lw_estimate_base(&s, 4 * MS, LW_OP_DATA, LW_VALIDATED_NEW);
	assert_int_equal(s.base_ns, 4 * MS);
	s = was;
	lw_estimate_base(&s, 6 * MS, LW_OP_DATA, LW_VALIDATED_NEW);
	assert_int_equal(s.base_ns, 6 * MS);
	/* Done only now, but started earlier. */
	s.load = s.load_met = s.knee = 9 * LW_IO;
	lw_estimate_base(&s, 8 * MS, LW_OP_DATA, LW_NOT_VALIDATED);
	assert_int_equal(s.base_ns, 8 * MS);
	/* The same once more: it counts once. */
	lw_estimate_base(&s, 8 * MS, LW_OP_DATA, LW_NOT_VALIDATED);
	assert_int_equal(s.base_ns, 5 * MS);
	/* An even earlier one hung for eight times the base: it says nothing of it. */
	s.lat_ns = 50 * MS;
	lw_estimate_base(&s, 40 * MS, LW_OP_DATA, LW_NOT_VALIDATED);
	assert_int_equal(s.base_ns, 5 * MS);
	/* not known: the latency */
	s = was;
	lw_estimate_base(&s, 0, LW_OP_DATA, LW_VALIDATED_NEW);
	assert_int_equal(s.base_ns, 5 * MS);
	/* After a stall the base is kept: the first sample since then has waited. */
	s = was;
	s.load = s.load_met = s.knee = 9 * LW_IO;
	lw_estimate_base(&s, 6 * MS, LW_OP_DATA, LW_VALIDATED_RESUMED);
	assert_int_equal(s.base_ns, 3 * MS);
	assert_int_equal(s.first_ns, 6 * MS);
	lw_estimate_base(&s, 6 * MS, LW_OP_DATA, LW_NOT_VALIDATED);
	assert_int_equal(s.base_ns, 3 * MS);
	/* unless there is none */
	s.base_ns = 0;
	lw_estimate_base(&s, 6 * MS, LW_OP_DATA, LW_VALIDATED_RESUMED);
	assert_int_equal(s.base_ns, 6 * MS);
}

static void base_follows_down_at_once(void **state)
{
	struct bench b = bench(true);

	traffic(&b, 50, 8, 12 * MS);
	probe(&b, 1 * MS);
	assert_int_equal(b.s.base_ns, 1 * MS);
}

/* A path at its knee. */
static struct lw_path_state loaded(u64 base_ns)
{
	return (struct lw_path_state){
		.knee = 16 * LW_IO,
		.load = 16 * LW_IO,
		.load_met = 16 * LW_IO,
		.ios = 16 * 1000 / 6,
		.base_ns = base_ns,
	};
}

static void base_rises_only_on_a_lightly_loaded_path(void **state)
{
	struct lw_path_state s = loaded(4 * MS);

	s.lat_ns = 20 * MS;
	assert_int_equal(lw_base_step(&s), 4 * MS);
	s.load_met = 8 * LW_IO + 1;	/* half of the knee, and a little */
	assert_int_equal(lw_base_step(&s), 4 * MS);
	/* a quarter of the way */
	s.load_met = 8 * LW_IO;
	assert_int_equal(lw_base_step(&s), 8 * MS);
	s.lat_ns = 5 * MS;
	assert_int_equal(lw_base_step(&s), 4 * MS + MS / 4);
	/* The least knee: it cannot fall, so that much load is no cause. */
	s.knee = LW_KNEE_LEAST;
	s.load_met = 9 * LW_KNEE_LEAST / 8;
	assert_int_equal(lw_base_step(&s), 4 * MS + MS / 4);
	s.load_met++;
	assert_int_equal(lw_base_step(&s), 4 * MS);
}

static void base_rises_if_throughput_follows_the_load(void **state)
{
	struct lw_path_state s = loaded(4 * MS);

	s.lat_ns = 6 * MS;
	s.trend.follows = true;
	lw_estimate_knee(&s, true, false);
	assert_int_equal(s.base_ns, 6 * MS);
	assert_int_equal(s.knee, 16 * LW_IO);
	assert_false(s.trend.follows);
	/* It has said so once; the next time it has to be seen again. */
	s.lat_ns = 9 * MS;
	lw_estimate_knee(&s, true, false);
	assert_int_equal(s.base_ns, 6 * MS);
	assert_true(s.knee < 16 * LW_IO);
	/* A flat latency is no reason to raise the base. */
	s = loaded(4 * MS);
	s.lat_ns = 4 * MS + MS / 8;
	s.trend.follows = true;
	lw_estimate_knee(&s, true, false);
	assert_int_equal(s.base_ns, 4 * MS);
}

static void base_does_not_rise_while_a_queue_runs_dry(void **state)
{
	struct bench b = bench(true);
	u64 loaded;

	traffic(&b, 5, 8, 2 * MS);
	assert_in_range(b.s.base_ns, 1990000, 2010000);
	/* Twenty at once, half a millisecond each; the load ends with the window. */
	for (int i = 0; i < 20; i++)
		start_at(&b, b.now + 10 * MS);
	for (int i = 0; i < 10; i++)
		end_at(&b, b.now + 10 * MS, b.now + 12 * MS + i * MS / 2);
	b.s.knee = 4 * LW_IO;
	loaded = b.now + 10 * MS;
	close_window(&b);
	assert_in_range(b.s.base_ns, 1990000, 2010000);
	/* The last ten find less and less beside them, but have waited for the others. */
	for (int i = 0; i < 10; i++)
		end_at(&b, loaded, b.now + i * MS / 2);
	b.s.knee = 20 * LW_IO;
	close_window(&b);
	assert_true(b.s.load < 6 * LW_IO);
	assert_in_range(b.s.base_ns, 1990000, 2010000);
}

static u32 noise(const struct lw_path_state *s)
{
	return s->noise_q16 >> 8;
}

/* Windows of a latency that goes up and down by so much of its mean, in 1/256. */
static void vary(struct lw_path_state *s, int windows, u64 by)
{
	for (int w = 0; w < windows; w++) {
		s->lat_ns = w % 2 ? (256 + by) << 12 : (256 - by) << 12;
		lw_estimate_noise(s, false);
	}
}

static void noise_is_the_mean_deviation(void **state)
{
	for (u64 by = 0; by <= 48; by += 12) {
		struct lw_path_state s = { 0 };

		/* The mean moves an eighth towards each window. */
		vary(&s, 300, by);
		assert_in_range(noise(&s), by - by / 8, by + by / 8 + 1);
		/* It is forgotten as it was learned. */
		vary(&s, 300, 0);
		assert_in_range(noise(&s), 0, 1);
	}
}

static void noise_has_a_limit(void **state)
{
	struct lw_path_state s = { 0 };

	vary(&s, 1000, 255);
	assert_in_range(noise(&s), LW_NOISE_MAX - 1, LW_NOISE_MAX);
	/* A single leap is a change and no noise: at most a sixteenth of the limit. */
	s = (struct lw_path_state){ .lat_ns = 1 };
	lw_estimate_noise(&s, false);
	s.lat_ns = LW_NS_MAX;
	lw_estimate_noise(&s, false);
	assert_in_range(noise(&s), 1, LW_NOISE_MAX / 16);
	/* A path that was just proven has not varied; what is known of the noise stays. */
	s.noise_q16 = 20 << 8;
	s.lat_ns = 7;
	lw_estimate_noise(&s, true);
	assert_int_equal(s.baseline_ns, 7);
	assert_in_range(noise(&s), 18, 20);
}

static void flat_is_what_noise_explains(void **state)
{
	struct lw_path_state s = { 0 };

	assert_int_equal(lw_flat(&s), LW_FLAT);
	s.noise_q16 = 8 << 8;
	assert_int_equal(lw_flat(&s), LW_FLAT);
	s.noise_q16 = 32 << 8;
	assert_int_equal(lw_flat(&s), LW_VERY_FLAT + 96);
	/* and never twice the base */
	s.noise_q16 = LW_NOISE_MAX << 8;
	assert_true(lw_flat(&s) < 512);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(base_is_the_first_started_not_the_luckiest),
		cmocka_unit_test(first_sample_is_the_base),
		cmocka_unit_test(base_follows_down_at_once),
		cmocka_unit_test(base_rises_only_on_a_lightly_loaded_path),
		cmocka_unit_test(base_rises_if_throughput_follows_the_load),
		cmocka_unit_test(base_does_not_rise_while_a_queue_runs_dry),
		cmocka_unit_test(noise_is_the_mean_deviation),
		cmocka_unit_test(noise_has_a_limit),
		cmocka_unit_test(flat_is_what_noise_explains),
	};

	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
