/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NATIVE_LINUX_SEQLOCK_H
#define NATIVE_LINUX_SEQLOCK_H

#include_next <linux/seqlock.h>

static inline void native_seq_begin(seqcount_t *s)
{
	WRITE_ONCE(s->sequence, s->sequence + 1);
	smp_wmb();
}

static inline void native_seq_end(seqcount_t *s)
{
	smp_wmb();
	WRITE_ONCE(s->sequence, s->sequence + 1);
}

static inline unsigned int native_seq_read(const seqcount_t *s)
{
	unsigned int sequence;

	while ((sequence = smp_load_acquire(&s->sequence)) & 1)
		native_relax();
	return sequence;
}

static inline bool native_seq_retry(const seqcount_t *s, unsigned int start)
{
	smp_rmb();
	return READ_ONCE(s->sequence) != start;
}

#define write_seqcount_begin(s)		native_seq_begin(s)
#define write_seqcount_end(s)		native_seq_end(s)
#define read_seqcount_begin(s)		native_seq_read(s)
#define read_seqcount_retry(s, start)	native_seq_retry(s, start)

#endif
