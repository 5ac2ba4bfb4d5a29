/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The constants by which paths are estimated and chosen, each with its reason. Limits of
 * arithmetic stand where the arithmetic is.
 */
#ifndef LW_CONSTANTS_H
#define LW_CONSTANTS_H

/*
 * Base and knee (model/bracket.h), ratios in 1/256. Latency is flat, so the knee is not reached, up
 * to LW_FLAT times the base. The headroom above the bandwidth-delay product keeps the path from
 * running dry.
 */
#define LW_FLAT			305	/* 1.19 */
#define LW_VERY_FLAT		272	/* 1.06 */
#define LW_LEAP			512	/* 2; above it knees follow at once, no dip digs */
#define LW_HEADROOM		288	/* 1.125 */
#define LW_LITTLE_ENDS		16	/* times the load have to end for Little's law */
#define LW_NOISE_SHIFT		4	/* average the deviation over 16 windows */
#define LW_USUAL_SHIFT		3	/* average the usual length over 8 windows */

/* Knee of a path that is idle while others work (model/knee_gain.h). */
#define LW_KNEE_GAIN_MAX	(8 * LW_ONE)
#define LW_KNEE_GAIN_IDLE	(LW_ONE / 8)	/* shorter idle times are chance */

/* Does throughput follow the load (model/trend.h)? */
#define LW_SPAN_WINDOWS		6U	/* least windows in a span */
#define LW_SPAN_LATENCIES	4	/* and least latencies */
#define LW_SPAN_MIXED		128U	/* least I/Os of several lengths; 64 and 512 lose */
#define LW_TREND_FOLLOWS	820	/* 0.8 of the throughput: the path was partly idle; Q10 */

/* Dips vary a load that is constant (model/trend.h): deep ones where there may be a queue, */
#define LW_SLACK		276	/* 1.08 of the base: less is no queue worth a dip; 1/256 */
#define LW_DIP_FIRST		16U	/* windows before the first dip */
#define LW_DIP_MOST		1024U	/* most windows between dips: 20 s with a queue */
#define LW_DIP_GROWS		16U	/* times as many windows before each next one */
#define LW_DIP_MIXED		3U	/* least windows of it, of several lengths; 2 and 4 lose */
/* and small ones where latency seems flat. */
#define LW_SCOUT_SOON		32U	/* windows before a small dip, if the base has moved */
#define LW_SCOUT_AGAIN		128U	/* if the last one told nothing */
#define LW_SCOUT_RARE		1024U	/* if that confirmed the base */
#define LW_SCOUT_SPAN		2U	/* windows of it that are measured; 1 and 3 lose */
#define LW_DIP_FAR_NS		100000000ULL	/* latency at which a dip takes too long */

/* What an I/O's size costs (model/size.h). */
#define LW_SIZE_MEMORY		6U	/* average over 64 windows, */
#define LW_SIZE_DOUBT		4U	/* over 16 while they contradict the slope: */
#define LW_SIZE_FAR_OFF		4U	/* four times that, or a quarter; 2 loses under few I/Os */

/* Latency by node (steps.c). */
#define LW_NODE_SHIFT		2	/* average over four windows */
#define LW_NODE_FORGET		8	/* and over 256 while the node uses other paths alone, */
#define LW_NODE_AWAY		16U	/* after so many the next sample replaces it */

/* I/Os that are taken for lost (model/hung.h). */
#define LW_HUNG_SPAN_NS		1000000000ULL	/* SCSI waits for 30 s; 0.3 to 3 s do as well */
#define LW_HUNG_EARLY_NS	100000ULL	/* by which a stamp may be early; 50 to 200 us do */
#define LW_HUNG_LATENCIES	32	/* in a span, whose ends are inexact; 16 to 64 do as well */

/* By how much operations differ (model/operation.h). */
#define LW_OP_MEMORY		3	/* average over 8 windows; 4 and 16 do as well */
#define LW_OP_WEIGHT		64	/* most weight of a window; 16 to 512 do as well */
#define LW_OP_LONGEST		17000000000LL	/* 17 s, so that sums fit into 63 bits */
#define LW_OP_LENGTH		4	/* part of the base that length may explain; 2 and 8 lose */
#define LW_OP_MISSED		64U	/* probes take a 64th of an operation's time */

/* Stalls and probes (model/stall.h, model/probe.h). */
#define LW_LATE_WINDOWS		2ULL	/* lengths of a window after which one is late */
#define LW_LATE_MOST		3U	/* halts with no window on time between them */
#define LW_LATE_LATENCIES	16	/* and latencies: a slow path recovers as soon by itself */
#define LW_STALL_TIMEOUT_NS	1000000000ULL	/* of an unmeasured path */
#define LW_RECENT_SHIFT		3U	/* 8 windows: recent I/Os of a path, to tell the unused */
#define LW_PROBE_USED		4U	/* a path in use gets a fourth of an unused one's probes */
#define LW_PROBE_SOON		4U	/* windows to judge a path by: the first may be a pause */
#define LW_RETRY_BESIDE		8U	/* I/Os in flight elsewhere: one that hangs is an eighth */
#define LW_UNSTARTED		4U	/* vain selects, or refusals; migrations make one */
#define LW_RETRY_NS		200000000ULL	/* of a stall, before one more I/O; doubles */

/* I/Os that take many times as long as usual (model/outlier.h). */
#define LW_OUTLIER_SHIFT	3	/* 8 times the base; 4 and 16 do nearly as well */
#define LW_OUTLIER_MOST_SHIFT	8	/* 256 times at most; 64 and 1024 do nearly as well */
#define LW_OUTLIER_MEMORY	7	/* average over 128 windows; 64 and 256 do as well */
#define LW_OUTLIER_MATTERS	8U	/* by an eighth of the base; 4 and 16 do as well */
#define LW_OUTLIER_RARE		6U	/* a sixth of the I/Os at most; 4 and 8 lose */

/* Longer windows of selectors with few I/Os (model/quiet.h). */
#define LW_QUIET_MS		100U	/* a hang is noticed 0.12 s later than by 20 ms */
#define LW_QUIET_ENDS		32U	/* most I/Os in a usual window */

/* Slow paths (model/slow.h): at twice the latency or more, */
#define LW_SLOW_STAYS		384	/* and still slow at 1.5; 1/256 */
#define LW_SLOW_LEAST_NS	100000ULL	/* more than it by this at least */
#define LW_SLOW_LOOKS		6U	/* with completions: each halves what one late I/O adds */
#define LW_SLOW_SHOWN_NS	1000000000ULL	/* until the state says so */

/* Paths that fail soon after they were reinstated (model/backoff.h). */
#define LW_BACKOFF_SOON_NS	300000000ULL
#define LW_BACKOFF_FIRST_NS	25000000ULL	/* a little more than a default window */
#define LW_BACKOFF_LONGEST_NS	10000000000ULL	/* as long without failure reduces the count */
#define LW_BACKOFF_MOST		10	/* 25 ms * 2^9 > 10 s */

/* Paths that are suddenly too fast (model/suspect.h). */
#define LW_SUSPECT_FASTER	4U	/* times as fast as any I/O before */
#define LW_SUSPECT_NS		1000000000ULL	/* of suspicion, and of learning a path */
#define LW_SUSPECT		4U	/* net number of suspicious completions */
#define LW_SUSPECT_MAX		16U

#endif
