// SPDX-License-Identifier: GPL-2.0
/*
 * The bytes behind the test disks: pages that come into being when they are
 * first written. Disks that share a store are paths to one device.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "compat.h"
#include "lw_testdisk.h"

struct lwt_store *lwt_store_create(void)
{
	struct lwt_store *store = kzalloc(sizeof(*store), GFP_KERNEL);

	if (store)
		xa_init_flags(&store->pages, XA_FLAGS_LOCK_IRQ);
	return store;
}

void lwt_store_destroy(struct lwt_store *store)
{
	struct page *page;
	unsigned long index;

	xa_for_each(&store->pages, index, page)
		__free_page(page);
	xa_destroy(&store->pages);
	kfree(store);
}

/* Adds the page; if another CPU was faster, returns that one's page. */
static struct page *lwt_store_add(struct lwt_store *store, unsigned long index)
{
	struct page *page = alloc_page(GFP_ATOMIC | __GFP_ZERO);
	unsigned long flags;
	void *present;

	if (!page)
		return NULL;
	xa_lock_irqsave(&store->pages, flags);
	present = __xa_cmpxchg(&store->pages, index, NULL, page, GFP_ATOMIC);
	xa_unlock_irqrestore(&store->pages, flags);
	if (!present)
		return page;
	__free_page(page);
	return xa_is_err(present) ? NULL : present;
}

static bool lwt_store_write(struct lwt_store *store, loff_t pos,
			    const void *from, unsigned int len)
{
	struct page *page = xa_load(&store->pages, pos >> PAGE_SHIFT);

	if (!page)
		page = lwt_store_add(store, pos >> PAGE_SHIFT);
	if (!page)
		return false;
	memcpy(page_address(page) + offset_in_page(pos), from, len);
	return true;
}

static void lwt_store_read(struct lwt_store *store, loff_t pos, void *to,
			   unsigned int len)
{
	struct page *page = xa_load(&store->pages, pos >> PAGE_SHIFT);

	if (page)
		memcpy(to, page_address(page) + offset_in_page(pos), len);
	else
		memset(to, 0, len);
}

/* Copies one segment, which may lie across two pages of the store. */
static bool lwt_store_segment(struct lwt_store *store, bool write, loff_t pos,
			      struct bio_vec *bvec)
{
	void *mapped = bvec_kmap_local(bvec);
	unsigned int done = 0;
	bool ok = true;

	while (ok && done < bvec->bv_len) {
		unsigned int room = PAGE_SIZE - offset_in_page(pos + done);
		unsigned int len = min(bvec->bv_len - done, room);

		if (write)
			ok = lwt_store_write(store, pos + done, mapped + done,
					     len);
		else
			lwt_store_read(store, pos + done, mapped + done, len);
		done += len;
	}
	lwt_kunmap(mapped);
	return ok;
}

static void lwt_store_discard(struct lwt_store *store, loff_t pos, loff_t end)
{
	while (pos < end) {
		struct page *page = xa_load(&store->pages, pos >> PAGE_SHIFT);
		unsigned int room = PAGE_SIZE - offset_in_page(pos);
		unsigned int len = min_t(loff_t, room, end - pos);

		if (page)
			memset(page_address(page) + offset_in_page(pos), 0,
			       len);
		pos += len;
	}
}

/**
 * lwt_store_transfer - carry out a request's effect on the data
 * @store: the data
 * @rq: read, write, flush or discard
 *
 * Called from queue_rq, so it must not sleep.
 *
 * Return: BLK_STS_IOERR when there is no memory for what was written.
 */
blk_status_t lwt_store_transfer(struct lwt_store *store, struct request *rq)
{
	loff_t pos = (loff_t)blk_rq_pos(rq) << SECTOR_SHIFT;
	struct req_iterator iter;
	struct bio_vec bvec;

	switch (req_op(rq)) {
	case REQ_OP_READ:
	case REQ_OP_WRITE:
		rq_for_each_segment(bvec, rq, iter) {
			if (!lwt_store_segment(store, op_is_write(req_op(rq)),
					       pos, &bvec))
				return BLK_STS_IOERR;
			pos += bvec.bv_len;
		}
		return BLK_STS_OK;
	case REQ_OP_DISCARD:
		lwt_store_discard(store, pos, pos + blk_rq_bytes(rq));
		return BLK_STS_OK;
	case REQ_OP_FLUSH:
		return BLK_STS_OK;
	default:
		return BLK_STS_NOTSUPP;
	}
}
