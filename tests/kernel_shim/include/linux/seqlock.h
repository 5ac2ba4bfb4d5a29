/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_SEQLOCK_H
#define SHIM_LINUX_SEQLOCK_H

#include <linux/types.h>

#include "simulated.h"

typedef struct {
	unsigned int sequence;
} seqcount_t;

#define SEQCNT_ZERO(name)	{ 0 }

static inline void seqcount_init(seqcount_t *s)
{
	s->sequence = 0;
}

static inline void write_seqcount_begin(seqcount_t *s)
{
	KERNEL_ASSERT(!(s->sequence & 1));
	s->sequence++;
}

static inline void write_seqcount_end(seqcount_t *s)
{
	KERNEL_ASSERT(s->sequence & 1);
	s->sequence++;
}

#define raw_write_seqcount_begin(s)	write_seqcount_begin(s)
#define raw_write_seqcount_end(s)	write_seqcount_end(s)

/* What happens while a reader is preempted, NULL: nothing. It may let time pass. */
extern void (*kernel_reader_waits)(void);

/* In one thread a reader within a write would wait for ever. */
static inline unsigned int read_seqcount_begin(const seqcount_t *s)
{
	if (kernel_reader_waits)
		kernel_reader_waits();
	KERNEL_ASSERT(!(s->sequence & 1));
	return s->sequence;
}

static inline bool read_seqcount_retry(const seqcount_t *s, unsigned int start)
{
	return s->sequence != start;
}

#endif
