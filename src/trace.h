/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints; docs/tracing.md explains the fields. Numbers that stand for names are user ABI. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM dm_latency_weighted

#if !defined(_TRACE_DM_LATENCY_WEIGHTED_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_DM_LATENCY_WEIGHTED_H

#include <linux/tracepoint.h>

#include "model/shown.h"
#include "selector.h"

/* In trace.c; call them only if the event is on. */
void lw_trace_window(const struct lw_device *path);
void lw_trace_probe(struct lw_selector *sel, unsigned int index, size_t nr_bytes);
void lw_trace_chosen(struct lw_selector *sel, struct lw_choice choice, unsigned int own,
		     unsigned int index, size_t nr_bytes);
void lw_trace_state(const struct lw_path_info *m, unsigned int was, unsigned int is);

/* The state in dmsetup status. */
#define lw_state_text(s)						\
	__print_symbolic(s, { 0, "new" }, { 1, "active" },		\
			 { 2, "probing" }, { 3, "ramping" }, { 4, "failed" })

/* enum lw_reason in trace.c */
#define lw_reason_text(r)						\
	__print_symbolic(r, { 0, "cost" }, { 1, "probe" }, { 2, "run" },	\
			 { 3, "full" }, { 4, "avoid" }, { 5, "backoff" },	\
			 { 6, "stalled" }, { 7, "suspected" }, { 8, "policy" },	\
			 { 9, "observed" })

/* lw_trace_flags() */
#define lw_flags_text(f)						\
	__print_flags(f, "|", { 1, "validated" }, { 2, "stalled" },	\
		      { 4, "stamped" })

/* A path's window was closed, with these estimates. */
TRACE_EVENT(lw_window,
	TP_PROTO(dev_t dev, const struct lw_path_state *s, unsigned int flags),
	TP_ARGS(dev, s, flags),

	TP_STRUCT__entry(
		__field(dev_t,	dev)
		__field(u32,	flags)
		__field(u32,	inflight)
		__field(u32,	noise_percent)
		__field(u32,	block_cost)
		__field(u64,	elapsed_us)
		__field(u64,	done)
		__field(u64,	latency_us)
		__field(u64,	base_us)
		__field(u64,	knee)
		__field(u64,	load)
		__field(u64,	rate)
		__field(u64,	outlier_us)
	),

	TP_fast_assign(
		__entry->dev = dev;
		__entry->flags = flags;
		__entry->inflight = s->w.inflight;
		__entry->noise_percent = lw_path_noise_percent(s);
		__entry->block_cost = lw_path_block_milli(s);
		__entry->elapsed_us = s->w.elapsed_ns / NSEC_PER_USEC;
		__entry->done = s->w.done;
		__entry->latency_us = lw_path_lat(s) / NSEC_PER_USEC;
		__entry->base_us = lw_path_base_lat(s) / NSEC_PER_USEC;
		__entry->knee = lw_load_ios(s, s->capacity.knee);
		__entry->load = lw_load_ios(s, s->latency.load);
		__entry->rate = div64_u64(s->w.done * NSEC_PER_SEC, max_t(u64, s->w.elapsed_ns, 1));
		__entry->outlier_us = lw_outliers_ns(&s->capacity.outliers) / NSEC_PER_USEC;
	),

	TP_printk("dev=%d:%d latency_us=%llu base_us=%llu noise_percent=%u knee=%llu load=%llu rate=%llu block_cost=%u inflight=%u done=%llu elapsed_us=%llu flags=%s outlier_us=%llu",
		  MAJOR(__entry->dev), MINOR(__entry->dev),
		  __entry->latency_us, __entry->base_us,
		  __entry->noise_percent, __entry->knee, __entry->load,
		  __entry->rate, __entry->block_cost, __entry->inflight,
		  __entry->done, __entry->elapsed_us,
		  lw_flags_text(__entry->flags), __entry->outlier_us)
);

/* The state that dmsetup status shows for a path has changed. */
TRACE_EVENT(lw_state,
	TP_PROTO(dev_t map, dev_t dev, unsigned int was, unsigned int is),
	TP_ARGS(map, dev, was, is),

	TP_STRUCT__entry(
		__field(dev_t,	map)
		__field(dev_t,	dev)
		__field(u32,	was)
		__field(u32,	is)
	),

	TP_fast_assign(
		__entry->map = map;
		__entry->dev = dev;
		__entry->was = was;
		__entry->is = is;
	),

	TP_printk("map=%d:%d dev=%d:%d was=%s is=%s",
		  MAJOR(__entry->map), MINOR(__entry->map),
		  MAJOR(__entry->dev), MINOR(__entry->dev),
		  lw_state_text(__entry->was), lw_state_text(__entry->is))
);

/* A path was chosen for an I/O. If its queue is full, dm asks again for the same I/O. */
TRACE_EVENT(lw_choose,
	TP_PROTO(dev_t map, dev_t dev, size_t bytes, u64 cost_us, u32 inflight,
		 unsigned int reason),
	TP_ARGS(map, dev, bytes, cost_us, inflight, reason),

	TP_STRUCT__entry(
		__field(dev_t,	map)
		__field(dev_t,	dev)
		__field(u64,	bytes)
		__field(u64,	cost_us)
		__field(u32,	inflight)
		__field(u32,	reason)
	),

	TP_fast_assign(
		__entry->map = map;
		__entry->dev = dev;
		__entry->bytes = bytes;
		__entry->cost_us = cost_us;
		__entry->inflight = inflight;
		__entry->reason = reason;
	),

	TP_printk("map=%d:%d dev=%d:%d bytes=%llu reason=%s cost_us=%llu inflight=%u",
		  MAJOR(__entry->map), MINOR(__entry->map),
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->bytes,
		  lw_reason_text(__entry->reason), __entry->cost_us,
		  __entry->inflight)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
