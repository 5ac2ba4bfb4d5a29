"""Variants of the module, as texts to be replaced: (file in src/, old, new)."""

VARIANTS = {
    "as it is": [],
    "trend: none": [
        ("lw_trend.h", "return lw_trend_tells(t) && 4 * t->follow >= 3 * t->vary;", "return false;")],
    "nudge: none": [("lw_trend.h", "n->wanted = !n->rest;", "n->wanted = false;")],
    "bound: none": [("lw_knee.h", "if (bound > k->base_ns)", "if (0)")],
    "bases as measured": [("lw_knee.h", "	lw_bases_by_size(s);\n", "")],
    "base: first done": [
        ("sample.c", "if (stamp >= READ_ONCE(path->first_start_ns[c]))",
         "if (READ_ONCE(path->first_start_ns[c]) != U64_MAX)")],
    "slope: mean base": [("lw_knee.h", "if (s->load <= s->knee)", "if (1)")],
    "knee: load / rho": [
        ("lw_knee.h", "u64 k = lw_knee_seen(s);",
         "u64 k = div64_u64(s->load * LW_HEADROOM, div64_u64(s->mean_ns << 8, s->mean_base_ns));")],
    "knee: reopens": [("lw_knee.h", "#define LW_REOPEN	16", "#define LW_REOPEN	0")],
    "knee: one for all": [
        ("knees.c", "	if (known < LW_CLASSES && s->mean_base_ns)\n", "	if (0)\n")],
    "open: as any": [("knees.c", "m->open ? 2 * knee : knee", "knee")],
    "headroom 1.0": [("lw_knee.h", "#define LW_HEADROOM	288", "#define LW_HEADROOM	256")],
    "headroom 1.25": [("lw_knee.h", "#define LW_HEADROOM	288", "#define LW_HEADROOM	320")],
    "cost: x^4": [
        ("lw_math.h", "min_t(u32, (z4 * z4) >> 10, p->spill", "min_t(u32, z4, p->spill"),
        ("lw_math.h", "p->inv_knee, LW_LOAD_SPILL);", "p->inv_knee, 4 * LW_ONE);")],
    "cost: spill 8": [("lw_math.h", "#define LW_SPILL	20U", "#define LW_SPILL	8U")],
    "cost: spill 32": [("lw_math.h", "#define LW_SPILL	20U", "#define LW_SPILL	32U")],
    "tolerance 0": [("options.c", ".tolerance = 12", ".tolerance = 0")],
    "tolerance 25": [("options.c", ".tolerance = 12", ".tolerance = 25")],
    "window 10 ms": [("options.c", ".window_ms = 20", ".window_ms = 10")],
    "window 100 ms": [("options.c", ".window_ms = 20", ".window_ms = 100")],
}
