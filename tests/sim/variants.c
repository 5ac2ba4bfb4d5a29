// SPDX-License-Identifier: GPL-2.0
/*
 * Variants of the module: definitions in place of its own (tests/lib/definitions.py). What each
 * is worth: "make sim-variants". Variants that are options are in variant_list.py.
 */

/* variant: base: any */
static inline void lw_estimate_base(struct lw_capacity *cap, const struct lw_path_state *s,
				    u64 first_ns)
{
	u64 was = cap->fresh || !cap->base_ns ? first_ns ?: s->latency.lat_ns : cap->base_ns;

	lw_estimate_base_as_it_is(cap, s, first_ns);
	cap->base_ns = min(cap->base_ns, was);
}

/* variant: base: as measured */
static inline void lw_estimate_base(struct lw_capacity *cap, const struct lw_path_state *s,
				    u64 first_ns)
{
	lw_estimate_base_as_it_is(cap, s, 0);
}

/* variant: base: first done */
void lw_device_note_first(struct lw_device *path, u64 stamp, u64 now)
{
	if (!stamp || READ_ONCE(path->first_stamp_ns) == U64_MAX)
		lw_device_note_first_as_it_is(path, stamp, now);
}

/* variant: base: fresh sums, too */
static inline bool lw_too_fresh(const struct lw_path_state *s)
{
	return false;
}

/* variant: trend: none */
static inline u64 lw_trend_add(struct lw_trend *t, const struct lw_means *w, unsigned int windows,
			       bool even, struct lw_means *of)
{
	lw_trend_add_as_it_is(t, w, windows, even, of);
	return 0;
}

/* variant: trend: no part of a queue */
#define LW_TREND_FOLLOWS 1

/* variant: trend: spans tell nothing of the base */

/* variant: dip: none */
static inline bool lw_dip_wanted(const struct lw_capacity *cap, const struct lw_latency *l)
{
	return false;
}

/* variant: dip: scouts alone */
static inline bool lw_dip_wanted(const struct lw_capacity *cap, const struct lw_latency *l)
{
	return lw_dip_wanted_as_it_is(cap, l) &&
	       cap->dip.flat > lw_scout_pause(&cap->dip, cap->base_ns);
}

static inline void lw_dip_start(struct lw_capacity *cap, const struct lw_latency *l, bool even,
				u64 window_ns)
{
	unsigned int was = cap->dip.wait;

	cap->dip.wait = 0;
	lw_dip_start_as_it_is(cap, l, even, window_ns);
	cap->dip.wait = was;
}

/* variant: dip: no scouts */
static inline unsigned int lw_scout_pause(const struct lw_dip *d, u64 base_ns)
{
	return U32_MAX;
}

/* variant: latency: Little's law alone */
static inline u64 lw_mean_lat_ns(const struct lw_path_state *s, const struct lw_means *m)
{
	return lw_means_little_ns(m) ?: lw_means_stamped_ns(m);
}

/* variant: latency: stamps alone */
static inline u64 lw_mean_lat_ns(const struct lw_path_state *s, const struct lw_means *m)
{
	return lw_means_stamped_ns(m) ?: lw_means_little_ns(m);
}

/* variant: latency: steady or not */
static inline bool lw_means_steady(const struct lw_means *m)
{
	return true;
}

/* variant: latency: sums fade by windows */

/* variant: latency: no probe is believed at once */
static inline bool lw_probe_tells(const struct lw_path_state *s, const struct lw_means *w)
{
	return false;
}

/* variant: outliers: none */
static inline u64 lw_outliers_ns(const struct lw_outliers *o)
{
	return 0;
}

/* variant: outliers: frequent ones, too */
static inline u64 lw_outliers_ns(const struct lw_outliers *o)
{
	struct lw_outliers all = *o;

	all.number = 0;
	return lw_outliers_ns_as_it_is(&all);
}

/* variant: outliers: part of the latency */
static inline bool lw_outliers_apart(const struct lw_path_state *s)
{
	return false;
}

/* variant: outliers: apart although the path may have become slow */
static inline bool lw_outliers_are_apart(const struct lw_outliers *o,
					 const struct lw_outlier_ends *ends, u64 ended,
					 u64 base_ns)
{
	return lw_outliers_ns(o);
}

/* variant: outliers: none in a queue */
static u32 lw_outlier_base(const struct lw_path_state *s, u64 usual_q4)
{
	return s->capacity.queues && !s->health.stalled ? U32_MAX : lw_outlier_base_as_it_is(s, usual_q4);
}

/* variant: outliers: the worst event, too */
static inline u64 lw_outliers_ns(const struct lw_outliers *o)
{
	struct lw_outliers all = *o;

	all.worst_ns = 0;
	return lw_outliers_ns_as_it_is(&all);
}

/* variant: outliers: each window an event */
static inline void lw_outliers_add(struct lw_outliers *o, u64 ended,
				   const struct lw_outlier_ends *ends, u64 base_ns,
				   u64 lat_ns, bool same)
{
	lw_outliers_add_as_it_is(o, ended, ends, base_ns, lat_ns, false);
}

/* variant: pause: ends with a window */
static noinline void lw_resume(struct lw_path_info *m)
{
}

/* variant: knee: two at least */
#define LW_KNEE_LEAST	(2 * LW_IO)

/* variant: knee: grows evenly */
#define LW_VERY_FLAT	0

/* variant: knees: not made equal */
static void lw_equal_knees(struct lw_selector *sel, const u32 *ticks, u32 least)
{
}

/* variant: headroom 1.0 */
#define LW_HEADROOM	256

/* variant: headroom 1.25 */
#define LW_HEADROOM	320

/* variant: size: costs nothing */
static inline u32 lw_block_cost(const struct lw_size_latency *z, u64 io_ns)
{
	return 0;
}

/* variant: size: adds no latency */
static inline s64 lw_size_longer_ns(const struct lw_size_latency *z, u64 blocks_q4)
{
	return 0;
}

static void lw_publish_compared(struct lw_path_info *m, const struct lw_path_state *s,
				u64 usual_q4)
{
	lw_publish_compared_as_it_is(m, s, usual_q4);
	m->compared.block_mean = 0;
}

/* variant: size: not that of the I/O at hand */
static void lw_publish_compared(struct lw_path_info *m, const struct lw_path_state *s,
				u64 usual_q4)
{
	lw_publish_compared_as_it_is(m, s, usual_q4);
	m->compared.block_mean = 0;
}

/* variant: size: few lengths are sure */
static inline u64 lw_size_slope(const struct lw_size_sums *z)
{
	struct lw_size_sums sure = *z;

	sure.weight = 0;
	return lw_size_slope_as_it_is(&sure);
}

/* variant: size: load counts I/Os */
static inline struct lw_means lw_window_means(const struct lw_path_state *s,
					      const struct lw_data_window *data)
{
	struct lw_means means = lw_window_means_as_it_is(s, data);

	means.sum[LW_SEEN] = means.sum[LW_SEEN_IOS];
	return means;
}

/* variant: stall: starts anew */
static inline void lw_path_pause(struct lw_path_state *s)
{
	lw_path_pause_as_it_is(s);
	s->health.resumes = false;
}

/* variant: stall: none of the machine */
static inline bool lw_stood_still(const struct lw_window *w, u64 busy_ns, u64 lat_ns)
{
	return false;
}

/* variant: stall: nothing is lost */
static inline enum lw_validation lw_estimate_validity(struct lw_path_state *s)
{
	s->health.stall_ios = 0;
	return lw_estimate_validity_as_it_is(s);
}

/* variant: stall: no retry */
static inline void lw_stall_retry(struct lw_health *h)
{
	h->retry = false;
}

/* variant: nodes: none */
static u64 lw_device_base(const struct lw_device *path, unsigned int node, u64 usual_q4)
{
	const struct lw_path_state *s = &path->state;

	return s->latency.lat_ns ? lw_comparable_base(s, usual_q4) : lw_path_lat(s);
}

/* variant: nodes: idle ones stay */
static void lw_estimate_nodes(struct lw_device *path)
{
	path->nodes.elsewhere = 0;
	lw_estimate_nodes_as_it_is(path);
}

/* variant: tags: not known */
static u32 lw_queue_tags(struct request_queue *q)
{
	return U32_MAX;
}

/* variant: probes: one window is enough */
#define LW_PROBE_SOON	1U

/* variant: knee gain: none */
#define LW_KNEE_GAIN_MAX	LW_ONE

/* variant: suspicion: none */
#define LW_SUSPECT	100U

/* variant: backoff: none */
static inline bool lw_backoff_reinstated(struct lw_backoff *f, u64 now_ns)
{
	f->back_ns = now_ns;
	return false;
}

/* variant: cost: x^4 */
static inline u32 lw_overload(u32 x, u32 most)
{
	u32 part = min(x, 4 * LW_ONE), x2 = (part * part) >> 10, x4 = (x2 * x2) >> 10;

	return x > LW_ONE / 2 ? min_t(u32, x4, most) : 0;
}

/* variant: cost: overload by blocks, too */
static inline u64 lw_cost(const struct lw_published *p, u32 inflight, u32 own, u32 ios)
{
	struct lw_published all = *p;

	all.inv_ios = U32_MAX;
	return lw_cost_as_it_is(&all, inflight, own, ios);
}

/* variant: cost: overload of an idle path */

/* variant: cost: no spread */
static inline u64 lw_cost_spread(const struct lw_published *p, u32 inflight)
{
	return lw_cost_spread_as_it_is(p, inflight) >> 28;
}
