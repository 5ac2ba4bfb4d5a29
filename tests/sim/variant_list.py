"""Variants of the module, as texts to be replaced: (file in src/, old, new)."""

VARIANTS = {
    "as it is": [],
    "trend: none": [
        ("model/trend.h", "t->follows = dl > 0 ? 4 * dr >= 3 * dl : 4 * dr <= 3 * dl;", "t->follows = false;")],
    "trend: raw spans": [("model/constants.h", "#define LW_TREND_SHIFT		2", "#define LW_TREND_SHIFT		0")],
    "dip: none": [("knees.c", "if (lw_dip_wanted(&path->state))", "if (0)")],
    "noise: not known": [
        ("model/knee.h", "	return max_t(u64, LW_FLAT, LW_VERY_FLAT + ((LW_NOISE_FLAT * s->noise_q16) >> 8));", "	return LW_FLAT;")],
    "base: as measured": [
        ("model/knee.h", "s->base_ns = first_ns ? lw_op_usual(s, first_op, first_ns) : s->lat_ns;",
         "s->base_ns = s->lat_ns;")],
    "base: load of one window": [
        ("model/estimate.h", "	s->load_met = max(s->load_met, s->load);\n", "	s->load_met = s->load;\n")],
    "latency: Little's law alone": [
        ("model/estimate.h", "return stamped && little <= stamped + margin ? stamped : little;", "return stamped ? little : little + margin;")],
    "latency: stamps alone": [
        ("model/estimate.h", "return stamped && little <= stamped + margin ? stamped : little;", "return stamped ? stamped : little + 0 * margin;")],
    "probes: one window is enough": [("model/constants.h", "#define LW_PROBE_SOON		4U", "#define LW_PROBE_SOON		1U")],
    "base: first done": [
        ("io.c", "if (stamp >= READ_ONCE(path->first_stamp_ns))",
         "if (READ_ONCE(path->first_stamp_ns) != U64_MAX)")],
    "base: no bound": [("model/knee.h", "		s->base_ns = lw_base_bound(s);\n", "")],
    "outliers: none": [
        ("model/outlier.h", "	return div64_u64(min(often_ns,", "	return 0 * div64_u64(min(often_ns,")],
    "outliers: those that the base has, too": [("model/outlier.h", "min(often_ns, o->above_ns)", "often_ns")],
    "outliers: in a queue, too": [("publish.c", "return s->base_ns && !s->queues ?", "return s->base_ns ?")],
    "outliers: the worst event, too": [("model/outlier.h", "o->excess_ns - min(o->worst_ns, o->excess_ns)", "o->excess_ns")],
    "outliers: each window an event": [("model/outlier.h", "excess_ns + (same ? o->event_ns : 0)", "excess_ns")],
    "pause: ends with a window": [("io.c", "	cmpxchg(&m->use, LW_PAUSED, LW_USE);\n", "")],
    "slope: base": [("model/knee.h", "if (s->load <= s->knee)", "if (1)")],
    "knee: load / inflation": [
        ("model/knee.h", "u64 k = lw_knee_seen(s);",
         "u64 k = div64_u64(s->load * LW_HEADROOM, div64_u64(s->lat_ns << 8, s->base_ns));")],
    "knee: grows evenly": [("model/knee.h", "if (inflation < LW_VERY_FLAT)", "if (0)")],
    "knee: reopens": [("model/constants.h", "#define LW_REOPEN		4", "#define LW_REOPEN		0")],
    "knees: not made equal": [("knees.c", "	if (least != LW_TICKS_AVOID)\n", "	if (0)\n")],
    "headroom 1.0": [("model/constants.h", "#define LW_HEADROOM		288", "#define LW_HEADROOM		256")],
    "headroom 1.25": [("model/constants.h", "#define LW_HEADROOM		288", "#define LW_HEADROOM		320")],
    "size: costs nothing": [
        ("model/knee.h", "		s->block_cost += ((s64)cost - s->block_cost) / 4;", "		s->block_cost += 0 * cost;")],
    "size: adds no latency": [
        ("model/size.h", "	return (s64)(blocks_q4 - z->usual_q4) * (s64)z->block_q4 / 256;", "	return 0;"),
        ("publish.c", "	m->block_mean = probing->usual_q4 ?", "	m->block_mean = 0 ?")],
    "size: not that of the I/O at hand": [
        ("publish.c", "	m->block_mean = probing->usual_q4 ?", "	m->block_mean = 0 ?")],
    "stall: starts anew": [("model/stall.h", "	s->resumes = true;", "	s->resumes = false;")],
    "stall: none of the machine": [
        ("model/estimate.h", "busy_ns > max(LW_LATE_WINDOWS * window_ns, LW_LATE_NS) && held_ns", "0 && held_ns")],
    "stall: a first sample counts after it": [("model/estimate.h", "s->first_counts = !resumes;", "s->first_counts = true;")],
    "nodes: idle ones stay": [("window.c", "		if (!*lat || !was.count)\n", "		if (1)\n")],
    "forgetting: none": [
        ("model/size.h", "z->with -= z->with >> LW_FORGET_SHIFT;", "z->with -= 0;"),
        ("window.c", "*lat = lw_ewma(*lat, lw_samples_mean(&is), LW_FORGET_SHIFT);", "*lat = *lat + 0;")],
    "tags: not known": [("publish.c", "	if (!queue_is_mq(q))\n", "	if (1)\n")],
    "probes: none around": [("model/constants.h", "#define LW_PROBE_AROUND		64U", "#define LW_PROBE_AROUND		100000U")],
    "knee gain: none": [
        ("model/constants.h", "#define LW_KNEE_GAIN_MAX	(8 * LW_ONE)", "#define LW_KNEE_GAIN_MAX	LW_ONE")],
    "suspicion: none": [("model/constants.h", "#define LW_SUSPECT		4U", "#define LW_SUSPECT		100U")],
    "backoff: none": [("model/backoff.h", "	if (f->count)\n", "	if (0)\n")],
    "cost: x^4": [
        ("model/math.h", "min_t(u32, (x4 * x4) >> 10, most)", "min_t(u32, x4, most)"),
        ("model/math.h", "min(x, LW_OVERLOAD_RATIO_MAX), x2", "min(x, 4 * LW_ONE), x2")],
    "cost: max_penalty 8": [("model/constants.h", "#define LW_PENALTY		20U", "#define LW_PENALTY		8U")],
    "cost: max_penalty 32": [("model/constants.h", "#define LW_PENALTY		20U", "#define LW_PENALTY		32U")],
    "tolerance: not more by the error of the base": [
        ("publish.c", "READ_ONCE(sel->config.tolerance), error);", "READ_ONCE(sel->config.tolerance), 0);")],
    "tolerance 0": [("options.c", ".tolerance = 12", ".tolerance = 0")],
    "tolerance 25": [("options.c", ".tolerance = 12", ".tolerance = 25")],
    "window 10 ms": [("options.c", ".window_ms = 20", ".window_ms = 10")],
    "window 100 ms": [("options.c", ".window_ms = 20", ".window_ms = 100")],
}
