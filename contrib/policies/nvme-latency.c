// SPDX-License-Identifier: GPL-2.0
/*
 * The latency policy that was proposed for NVMe's own multipath: each path gets I/Os in runs, as
 * long as its part of the sum of all inverse latencies. On each CPU by itself, a mean of 15 s goes
 * into a moving average of weight 1/8. Here the latencies are those that the module measures for
 * all CPUs. For short trials: window_ms=50.
 */
#include <lw_policy.h>

const volatile __u32 window_ms = 15000;

#define CPUS	256	/* a power of two; more share their state */
#define SECOND	1000000000ULL

static struct state {
	__u64 due_ns;				/* when the weights are made anew */
	__u64 average_ns[LW_POLICY_PATHS];
	__u64 inverse[LW_POLICY_PATHS];
	__u32 weight[LW_POLICY_PATHS];
	__u32 credit[LW_POLICY_PATHS];		/* I/Os left in this run */
	__u32 usable[LW_POLICY_PATHS];
	__u32 current;
} states[CPUS];

/*
 * What was computed stands in the state and is read again: the verifier follows each value that it
 * knows, and there would be too many.
 */
static inline __attribute__((always_inline)) void weigh(volatile struct state *s,
							struct lw_policy *io)
{
	__u64 sum = 1;

#pragma unroll
	for (int i = 0; i < LW_POLICY_PATHS; i++) {
		__u64 now_ns = i < io->nr ? io->path[i].latency_ns : 0;
		__u64 was_ns = s->average_ns[i];

		s->average_ns[i] = was_ns ? (7 * was_ns + now_ns) / 8 : now_ns;
		s->inverse[i] = s->average_ns[i] ? SECOND / s->average_ns[i] : 0;
	}
#pragma unroll
	for (int i = 0; i < LW_POLICY_PATHS; i++)
		sum += s->inverse[i];
#pragma unroll
	for (int i = 0; i < LW_POLICY_PATHS; i++)
		s->weight[i] = 64 * s->inverse[i] / sum;
}

LW_POLICY_PROGRAM(nvme_latency)
{
	volatile struct state *s = &states[io->cpu % CPUS];
	__u64 now_ns = lw_policy_now_ns();
	__u32 at = s->current % LW_POLICY_PATHS;

	if (now_ns >= s->due_ns) {
		s->due_ns = now_ns + window_ms * 1000000ULL;
		weigh(s, io);
	}
#pragma unroll
	for (int i = 0; i < LW_POLICY_PATHS; i++)
		s->usable[i] = i < io->nr && io->path[i].state == LW_POLICY_USABLE;
	/* Twice round at most: who is passed over has credit the next time. */
	for (int i = 0; i < 2 * LW_POLICY_PATHS; i++) {
		if (s->usable[at]) {
			if (s->credit[at]) {
				s->credit[at]--;
				s->current = at;
				io->choice = at;
				return;
			}
			s->credit[at] = s->weight[at] ? s->weight[at] : 1;
		}
		at = (at + 1) % LW_POLICY_PATHS;
	}
}

char policy_license[] LW_POLICY_SECTION("license") = "GPL";
