// SPDX-License-Identifier: GPL-2.0
/*
 * Bugs: definitions in place of the module's own (tests/lib/definitions.py), which the fuzzers have
 * to find. test_fuzz.py says which one finds each.
 */

/* planted: limit_not_checked */
int lw_option_parse(const struct lw_option *o, const char *text, unsigned int *value)
{
	struct lw_option unlimited = *o;

	if (!o->words)
		unlimited.max = UINT_MAX;
	return lw_option_parse_as_it_is(&unlimited, text, value);
}

/* planted: cost_overflows */
static inline u32 lw_overload(u32 x, u32 most)
{
	return U32_MAX - LW_ONE;
}

/* planted: path_starves */
static inline unsigned int lw_probe_period_ms(u64 lat_ns, u64 inflight,
					      unsigned int min_ms,
					      unsigned int max_ms)
{
	return lw_probe_period_ms_as_it_is(lat_ns, inflight, min_ms, 10 * max_ms);
}

/* planted: path_rests_for_ever */
static inline bool lw_backoff_active(const struct lw_backoff *f, u64 now_ns)
{
	return f->back_ns;
}

/* planted: clock_of_traffic_stands */
static inline void lw_estimate_load(struct lw_window *w, struct lw_counted *n,
				    const struct lw_counters *counters,
				    struct lw_class_window *classes, u64 idle_ns,
				    u64 window_ns, u64 now_ns, u64 lat_ns)
{
	u64 was = n->active_ns;

	lw_estimate_load_as_it_is(w, n, counters, classes, idle_ns, window_ns, now_ns, lat_ns);
	n->active_ns = was | 1;
}

/* planted: window_stops */
static bool lw_window_close(struct lw_selector *sel, u64 now_ns)
{
	return lw_window_close_as_it_is(sel, now_ns) && now_ns % 64;
}

/* planted: only_path_stalls */
struct dm_path *lw_select_path(struct path_selector *ps, size_t nr_bytes)
{
	struct dm_path *chosen = lw_select_path_as_it_is(ps, nr_bytes);

	return chosen && lw_member_of(chosen)->use == LW_STALLED ? NULL : chosen;
}

/* planted: reinstatement_is_lost */
int lw_reinstate_path(struct path_selector *ps, struct dm_path *dm_path)
{
	struct lw_path_info *m = lw_member_of(dm_path);

	lw_reinstate_path_as_it_is(ps, dm_path);
	if (m->use == LW_BACKOFF)
		m->use = LW_FAILED;
	return 0;
}

/* planted: work_stays_in_flight */
int lw_start_io(struct path_selector *ps, struct dm_path *dm_path,
		size_t nr_bytes)
{
	atomic64_add(lw_flight(lw_blocks(nr_bytes)), &lw_member_of(dm_path)->path->line.work);
	return lw_start_io_as_it_is(ps, dm_path, nr_bytes);
}

/* planted: sums_fade_below_nothing */
static inline void lw_means_fade(struct lw_means *m, u32 part)
{
	lw_means_fade_as_it_is(m, 2 * part);
}

/* planted: suspicion_lasts */
static inline bool lw_suspect_clear(u64 *since_ns, u32 score, u64 active_ns)
{
	if (score && *since_ns && active_ns - *since_ns < 2 * LW_SUSPECT_NS)
		return false;
	return lw_suspect_clear_as_it_is(since_ns, score, active_ns);
}

/* planted: second_end_counts */
static bool lw_device_leave(struct lw_device *path, u64 flight, u64 now)
{
	lw_device_leave_as_it_is(path, flight, now);
	return true;
}

/* planted: report_is_forgotten */
static inline void lw_report_made(struct lw_report *r)
{
}

/* planted: share_is_missing */
static inline u32 lw_weight(u32 ticks, u32 best, u64 sum)
{
	return lw_weight_as_it_is(ticks, best, sum - lw_weight_part(best, best));
}
