/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_LIST_H
#define DNS64D_BASE_LIST_H

/*
 * list: intrusive, doubly linked, circular lists.
 *
 * A struct list is either a list's head or the link inside an object. A link that is on no list
 * points to itself, so unlinking it twice is harmless, and list_empty tells whether it is on one.
 * Nothing here allocates or fails.
 */

#include <stdbool.h>
#include <stddef.h>

struct list {
	struct list *next;
	struct list *prev;
};

/* LIST_OBJECT: the object of TYPE whose field MEMBER is the link that LINK points to. */
#define LIST_OBJECT(link, type, member) ((type *)(void *)((char *)(link)-offsetof(type, member)))

/* list_init: make L an empty list, or a link that is on no list. */
static inline void
list_init(struct list *l)
{
	l->next = l;
	l->prev = l;
}

/* list_empty: true for a head without links, and for a link on no list. */
static inline bool
list_empty(const struct list *l)
{
	return l->next == l;
}

/* list_push: append LINK, which is on no list, to the list HEAD. */
static inline void
list_push(struct list *head, struct list *link)
{
	link->prev = head->prev;
	link->next = head;
	head->prev->next = link;
	head->prev = link;
}

/* list_unlink: take LINK off the list that it is on, if any. */
static inline void
list_unlink(struct list *link)
{
	link->prev->next = link->next;
	link->next->prev = link->prev;
	list_init(link);
}

/* list_pop: unlink the first link of the list HEAD and return it; NULL if the list is empty. */
static inline struct list *
list_pop(struct list *head)
{
	struct list *link = head->next;

	if (link == head)
		return NULL;
	list_unlink(link);
	return link;
}

/* list_move: append all links of FROM to TO; FROM is empty afterwards. */
static inline void
list_move(struct list *to, struct list *from)
{
	if (list_empty(from))
		return;
	from->next->prev = to->prev;
	to->prev->next = from->next;
	from->prev->next = to;
	to->prev = from->prev;
	list_init(from);
}

#endif
