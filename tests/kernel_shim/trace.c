// SPDX-License-Identifier: GPL-2.0
/* The one file here that knows the module's own structs. */
#include "trace.h"

#include "selector.h"

static const char *use_name(int use)
{
	switch (use) {
	case LW_USE:
		return "use";
	case LW_FULL:
		return "full";
	case LW_AVOID:
		return "avoid";
	case LW_BACKOFF:
		return "backoff";
	case LW_PAUSED:
	case LW_STALLED:
		return "stalled";
	default:
		return "failed";
	}
}

/* Times in us; knees, loads and rates in 256ths of an I/O. */
void trace_path(FILE *out, struct dm_path *path, unsigned int index)
{
	struct lw_path_info *m = lw_member_of(path);
	const struct lw_path_state *s = &m->path->state;
	unsigned int c;

	fprintf(out, "%.3f ms path %u %s knee=%llu published=%u load=%llu blocks=%u cost=%u base=%llu lat=%llu inflight=%llu weight=%u probe=%#x%s%s",
		world_now_ns / 1e6, index, use_name(m->use), s->capacity.knee, m->compared.knee,
		s->latency.load, lw_flight_blocks(atomic64_read(&m->path->line.work)),
		s->capacity.block_cost, s->capacity.base_ns / NSEC_PER_USEC, s->latency.lat_ns / NSEC_PER_USEC, s->w.inflight,
		m->shown.weight,
		m->probe, s->health.validated ? " proven" : "", s->health.stalled ? " stalled" : "");
	if (s->w.writes_known)
		fprintf(out, " writes=%.2f longer=%lld", s->kinds.writes_q16 / 65536.0,
			s->kinds.write.longer_ns / (s64)NSEC_PER_USEC);
	for (c = 0; c < LW_CLASSES; c++)
		if (s->latency.cls[c].lat_ns)
			fprintf(out, " class%u: lat=%llu", c,
				s->latency.cls[c].lat_ns / NSEC_PER_USEC);
	fprintf(out, " hung=%llu old=%llu dip=%u wait=%u/%u flat=%u gain=%u out=%llu usual=%llu b=%llu\n",
		s->health.hung.ios, s->health.old, s->capacity.dip.left, s->capacity.dip.wait, s->capacity.dip.pause, s->capacity.dip.flat, m->compared.gain,
		lw_outliers_ns(&s->capacity.outliers) / NSEC_PER_USEC, s->kinds.size.usual_q4, s->kinds.size.block_q4 >> 4);
}
