/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The constants by which paths are estimated and chosen, each with its reason. Limits of
 * arithmetic stand where the arithmetic is.
 */
#ifndef LW_CONSTANTS_H
#define LW_CONSTANTS_H

/* Choice (model/math.h): the largest penalty of an overloaded path, in latencies. */
#define LW_PENALTY		20U	/* default; 32 does as well, 8 loses 0.5 % */
#define LW_PENALTY_MOST		1000U	/* largest value of the tunable */

/*
 * Base and knee (model/knee.h), ratios in 1/256. Latency is flat, so the knee is not reached, up
 * to LW_FLAT times the base and what the path's noise explains. The headroom above the
 * bandwidth-delay product keeps the path from running dry.
 */
#define LW_FLAT			305	/* 1.19; 1.3 loses 0.6 % where paths are noisy */
#define LW_VERY_FLAT		272	/* 1.06 */
#define LW_NOISE_FLAT		3	/* mean deviations above LW_VERY_FLAT */
#define LW_HEADROOM		288	/* 1.125; 1.0 does as well, 1.25 loses 0.4 % */
#define LW_REOPEN		4	/* windows at a known knee before it is tried again */
#define LW_NOISE_SHIFT		4	/* average the deviation over 16 windows */
#define LW_NOISE_MAX		64	/* more than a quarter is a change, not noise */
#define LW_USUAL_SHIFT		3	/* average the usual latency over 8 windows */

/* Knee of a path that is idle while others work (model/knee_gain.h). */
#define LW_KNEE_GAIN_MAX	(8 * LW_ONE)
#define LW_KNEE_GAIN_IDLE	(LW_ONE / 8)	/* shorter idle times are chance */

/* Does throughput follow the load (model/trend.h)? Ratios in Q10. */
#define LW_SPAN_WINDOWS		16	/* most windows in a span */
#define LW_TREND_SHIFT		2	/* average over four spans; over two, swings hide a cap */
#define LW_TREND_LEAST		6	/* windows between comparisons, so that averages differ */
#define LW_TREND_MOVE		256	/* compare once the load has changed by a quarter */
#define LW_TREND_LEAP		1024	/* a load that doubled may have passed the knee */
#define LW_TREND_JUMP		384	/* throughput changed by itself: the path did */
#define LW_DIP_FIRST		16U	/* windows before the first dip */
#define LW_DIP_MOST		4096U	/* most windows between dips: 80 s with a queue */
#define LW_DIP_GROWS		16U	/* times as many windows before each next one */
#define LW_DIP_FAR_NS		100000000ULL	/* latency at which a dip takes too long */

/* What an I/O's size costs (model/size.h, model/usual.h). */
#define LW_SIZE_MEMORY		4	/* average over 16 windows; 8 and 32 do as well */
#define LW_SIZE_SPREAD		16	/* smaller differences, 4 blocks, are noise */
#define LW_SIZE_ERROR_NS	300000000LL	/* error of a second; 0.3 to 1 s do as well */
#define LW_SIZE_WEIGHT		2048	/* 128 I/Os of a class have full weight */
#define LW_SIZE_OLD_NS		300000000ULL	/* the queue may differ later */

/* What a node, or I/Os of a length, once found of a path, and then go elsewhere. */
#define LW_FORGET_SHIFT		8	/* average over 256 windows; 128 to 1024 do as well */

/* What hangs since before a reinstatement (model/hung.h). */
#define LW_HUNG_SPAN_NS		1000000000ULL	/* SCSI waits for 30 s; 0.3 to 3 s do as well */
#define LW_HUNG_EARLY_NS	100000ULL	/* by which a stamp may be early; 50 to 200 us do */
#define LW_HUNG_LATENCIES	32	/* in a span, whose ends are inexact; 16 to 64 do as well */

/* By how much operations differ (model/operation.h, model/usual.h). */
#define LW_OP_MEMORY		3	/* average over 8 windows; 4 and 16 do as well */
#define LW_OP_WEIGHT		64	/* most weight of a window; 16 to 512 do as well */
#define LW_OP_LONGEST		17000000000LL	/* 17 s, so that sums fit into 63 bits */
#define LW_OP_LENGTH		4	/* part of the base that length may explain; 2 and 8 lose */
#define LW_OP_MISSED		64U	/* probes take a 64th of an operation's time */

/* Stalls and probes (model/stall.h, model/probe.h). */
#define LW_LATE_WINDOWS		4ULL	/* lengths of a window after which one is late, */
#define LW_LATE_NS		100000000ULL	/* but no less: timers are coarse */
#define LW_STALL_TIMEOUT_NS	1000000000ULL	/* of an unmeasured path */
#define LW_PROBE_SOON		4U	/* windows to judge a path by: the first may be a pause */
#define LW_PROBE_AROUND		64U	/* I/Os in flight: one more that may hang is 1/64 */

/* I/Os that take many times as long as on an idle path (model/outlier.h). */
#define LW_OUTLIER_SHIFT	3	/* 8 times the base; 4 and 16 do nearly as well */
#define LW_OUTLIER_MOST_SHIFT	8	/* 256 times at most; 64 and 1024 do nearly as well */
#define LW_OUTLIER_MEMORY	7	/* average over 128 windows; 64 and 256 do as well */

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
