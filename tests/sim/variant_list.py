"""Variants of the module, as texts to be replaced: (file in src/, old, new)."""

VARIANTS = {
    "as it is": [],
    "base: any": [
        ("model/bracket.h", "	cap->base_ns = clamp_t(u64, cap->base_ns, least, l->lat_ns);",
         "	cap->base_ns = min(cap->base_ns, l->lat_ns + 0 * least);")],
    "base: as measured": [
        ("model/bracket.h", "		cap->base_ns = first_ns ? first_ns : l->lat_ns;", "		cap->base_ns = l->lat_ns + 0 * first_ns;")],
    "base: first done": [
        ("eligibility.c", "	if (stamp && stamp < READ_ONCE(path->first_stamp_ns)) {",
         "	if (stamp && READ_ONCE(path->first_stamp_ns) == U64_MAX) {")],
    "base: fresh sums, too": [("model/bracket.h", "	return s->counted.active_ns - s->latency.forgot_ns < 2 * s->capacity.base_ns;", "	return false;")],
    "trend: none": [("model/bracket.h", "	cap->base_ns = max(cap->base_ns, least);\n", "	least = 0;\n")],
    "trend: no part of a queue": [("model/trend.h", "	if (rho >= LW_TREND_FOLLOWS || !even)", "	if (rho || !even)")],
    "trend: spans tell nothing of the base": [
        ("model/bracket.h", "		cap->base_ns = min(cap->base_ns, max(cap->dip.lat_ns, least));\n", "")],
    "dip: none": [("knees.c", "		if (lw_dip_wanted(&path->state.capacity, &path->state.latency))", "		if (0)")],
    "dip: scouts alone": [
        ("model/bracket.h", "	return d->wait > d->pause || d->flat >", "	return d->flat >"),
        ("model/bracket.h", "	d->scouts = d->wait <= d->pause;", "	d->scouts = true;")],
    "dip: no scouts": [
        ("model/bracket.h", "	return d->wait > d->pause || d->flat >", "	return d->wait > d->pause && U32_MAX >")],
    "latency: Little's law alone": [
        ("model/bracket.h", "	return stamped && !little ?", "	return stamped && !lw_means_little_ns(m) ?")],
    "latency: stamps alone": [
        ("model/bracket.h", "	return stamped && !little ?", "	return stamped ?")],
    "latency: steady or not": [("model/means.h", "	return 8 * abs(m->sum[LW_GREW]) <= m->sum[LW_DONE];", "	return true;")],
    "latency: sums fade by windows": [
        ("model/estimate.h", "div64_u64((256 >> (s->w.ewma_shift + (s->health.stamped ? 0 : 2))) * done, load)", "(256 >> s->w.ewma_shift) + 0 * done")],
    "latency: no probe is believed at once": [("model/estimate.h", "lw_probe_tells(s, w) ? 256 : ", "")],
    "outliers: none": [
        ("model/outlier.h", "	return div64_u64(min(often_ns,", "	return 0 * div64_u64(min(often_ns,")],
    "outliers: those that the base has, too": [("model/outlier.h", "min(often_ns, o->above_ns)", "often_ns")],
    "outliers: in a queue, too": [
        ("publish.c", "if (!s->capacity.base_ns || (s->capacity.queues && !s->health.stalled))", "if (!s->capacity.base_ns)")],
    "outliers: the worst event, too": [("model/outlier.h", "o->excess_ns - min(o->worst_ns, o->excess_ns)", "o->excess_ns")],
    "outliers: each window an event": [("model/outlier.h", "excess_ns + (same ? o->event_ns : 0)", "excess_ns")],
    "pause: ends with a window": [("io.c", "	cmpxchg(&m->use, LW_PAUSED, LW_USE);\n", "")],
    "knee: two at least": [("model/math.h", "#define LW_KNEE_LEAST	LW_IO", "#define LW_KNEE_LEAST	(2 * LW_IO)")],
    "knee: grows evenly": [("model/bracket.h", "(inflation <= LW_VERY_FLAT ? knee :", "(0 ? 0 :")],
    "knees: not made equal": [("knees.c", "	if (least != LW_TICKS_AVOID)\n", "	if (0)\n")],
    "headroom 1.0": [("model/constants.h", "#define LW_HEADROOM		288", "#define LW_HEADROOM		256")],
    "headroom 1.25": [("model/constants.h", "#define LW_HEADROOM		288", "#define LW_HEADROOM		320")],
    "size: costs nothing": [
        ("model/bracket.h", "	cap->block_cost = lw_block_cost(&s->kinds.size, div64_u64(cap->base_ns << 8, cap->knee));\n", "")],
    "size: adds no latency": [
        ("model/size.h", "	return (s64)(blocks_q4 - z->usual_q4) * (s64)z->block_q4 / 256;", "	return 0;"),
        ("publish.c", "	c->block_mean = usual_q4 ?", "	c->block_mean = 0 ?")],
    "size: not that of the I/O at hand": [
        ("publish.c", "	c->block_mean = usual_q4 ?", "	c->block_mean = 0 ?")],
    "size: few lengths are sure": [("model/size.h", "spread = z->spread + z->weight;", "spread = z->spread;")],
    "size: load counts I/Os": [
        ("model/data_window.h", "	u64 load = LW_IO + ((data->in_flight_q4 * s->capacity.block_cost) >> 12);",
         "	u64 load = lw_usual_load(s);")],
    "stall: starts anew": [("model/stall.h", "	s->health.resumes = true;", "	s->health.resumes = false;")],
    "stall: none of the machine": [
        ("model/estimate.h", "busy_ns > LW_LATE_LATENCIES * lat_ns && held_ns", "0 && held_ns")],
    "stall: nothing is lost": [("model/estimate.h", "	if (resumes && h->stamped && h->stall_ios)", "	if (0)")],
    "stall: no retry": [("model/stall.h", "	h->retry = h->no_completion_ns &&", "	h->retry = 0 &&")],
    "nodes: none": [("publish.c", "	if (!own || nr_node_ids == 1)\n", "	if (1)\n")],
    "nodes: idle ones stay": [("steps.c", "		if (path->nodes.elsewhere & BIT_ULL(node % 64))", "		if (0)")],
    "tags: not known": [("publish.c", "	if (!queue_is_mq(q))\n", "	if (1)\n")],
    "probes: one window is enough": [("model/constants.h", "#define LW_PROBE_SOON		4U", "#define LW_PROBE_SOON		1U")],
    "knee gain: none": [
        ("model/constants.h", "#define LW_KNEE_GAIN_MAX	(8 * LW_ONE)", "#define LW_KNEE_GAIN_MAX	LW_ONE")],
    "suspicion: none": [("model/constants.h", "#define LW_SUSPECT		4U", "#define LW_SUSPECT		100U")],
    "backoff: none": [("model/backoff.h", "	if (f->count)\n", "	if (0)\n")],
    "cost: x^4": [
        ("model/math.h", "min_t(u32, (x4 * x4) >> 10, most)", "min_t(u32, x4, most)"),
        ("model/math.h", "min(x, LW_OVERLOAD_RATIO_MAX), x2", "min(x, 4 * LW_ONE), x2")],
    "cost: max_penalty 8": [("option_defs.h", "max_penalty, 1, 1000, 20", "max_penalty, 1, 1000, 8")],
    "cost: max_penalty 32": [("option_defs.h", "max_penalty, 1, 1000, 20", "max_penalty, 1, 1000, 32")],
    "cost: overload by blocks, too": [
        ("model/math.h", "	x = min(x, lw_ratio((ios + 1) * LW_IO, p->inv_ios, LW_RATIO_MAX));\n", "")],
    "cost: overload of an idle path": [
        ("model/math.h", "	u32 x = inflight ? lw_ratio(inflight + own, p->inv_knee, LW_RATIO_MAX) : 0;",
         "	u32 x = lw_ratio(inflight + own, p->inv_knee, LW_RATIO_MAX);"),
        ("select.c", "	if (!flight) {", "	if (false) {")],
    "cost: no spread": [
        ("model/math.h", "lw_ratio(inflight, p->inv_most, LW_RATIO_MAX)) >> 2;", "lw_ratio(inflight, p->inv_most, LW_RATIO_MAX)) >> 30;")],
    "tolerance 0": [("option_defs.h", "tolerance, 0, 100, 12", "tolerance, 0, 100, 0")],
    "tolerance 25": [("option_defs.h", "tolerance, 0, 100, 12", "tolerance, 0, 100, 25")],
    "window 10 ms": [("option_defs.h", "window_ms, 5, 1000, 20", "window_ms, 5, 1000, 10")],
    "window 100 ms": [("option_defs.h", "window_ms, 5, 1000, 20", "window_ms, 5, 1000, 100")],
}
