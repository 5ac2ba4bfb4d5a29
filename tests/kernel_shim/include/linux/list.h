/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_LIST_H
#define SIM_LINUX_LIST_H

#include <linux/types.h>

#define LIST_HEAD_INIT(name)	{ &(name), &(name) }
#define LIST_HEAD(name)		struct list_head name = LIST_HEAD_INIT(name)

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head->prev = head;
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

static inline void __list_insert(struct list_head *node, struct list_head *prev,
				 struct list_head *next)
{
	node->prev = prev;
	node->next = next;
	prev->next = next->prev = node;
}

static inline void list_add(struct list_head *node, struct list_head *head)
{
	__list_insert(node, head, head->next);
}

static inline void list_add_tail(struct list_head *node, struct list_head *head)
{
	__list_insert(node, head->prev, head);
}

/* What is deleted must not be used again: a null pointer shows who does. */
static inline void list_del(struct list_head *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	node->next = node->prev = NULL;
}

static inline void list_del_init(struct list_head *node)
{
	list_del(node);
	INIT_LIST_HEAD(node);
}

#define list_entry(ptr, type, member)	container_of(ptr, type, member)
#define list_first_entry(head, type, member)				\
	list_entry((head)->next, type, member)
#define list_first_entry_or_null(head, type, member)			\
	(list_empty(head) ? NULL : list_first_entry(head, type, member))
#define list_for_each_entry(pos, head, member)				\
	for (pos = list_entry((head)->next, typeof(*pos), member);	\
	     &pos->member != (head);					\
	     pos = list_entry(pos->member.next, typeof(*pos), member))
#define list_for_each_entry_safe(pos, after, head, member)		\
	for (pos = list_entry((head)->next, typeof(*pos), member),	\
	     after = list_entry(pos->member.next, typeof(*pos), member); \
	     &pos->member != (head);					\
	     pos = after,						\
	     after = list_entry(after->member.next, typeof(*after), member))

#define HLIST_HEAD_INIT		{ NULL }
#define INIT_HLIST_HEAD(head)	((head)->first = NULL)

static inline bool hlist_unhashed(const struct hlist_node *node)
{
	return !node->pprev;
}

static inline void hlist_add_head(struct hlist_node *node,
				  struct hlist_head *head)
{
	node->next = head->first;
	node->pprev = &head->first;
	if (node->next)
		node->next->pprev = &node->next;
	head->first = node;
}

static inline void hlist_del_init(struct hlist_node *node)
{
	if (hlist_unhashed(node))
		return;
	*node->pprev = node->next;
	if (node->next)
		node->next->pprev = node->pprev;
	node->next = NULL;
	node->pprev = NULL;
}

#define hlist_del(node)	hlist_del_init(node)

#define __hlist_entry(ptr, type, member) ({				\
	struct hlist_node *__node = (ptr);				\
	__node ? container_of(__node, type, member) : NULL; })
#define hlist_for_each_entry(pos, head, member)				\
	for (pos = __hlist_entry((head)->first, typeof(*pos), member); pos; \
	     pos = __hlist_entry(pos->member.next, typeof(*pos), member))

#endif
