/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/source.h"

#include <errno.h>

static void
source_cb(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	source_mark(arg);
}

void
source_open(struct source *s, struct event_base *base, int fd, short what, struct list *ready)
{
	list_init(&s->link);
	s->ready = ready;
	s->on = false;
	/* Fails only for combinations of flags that this file does not make. */
	(void)event_assign(&s->ev, base, fd, (short)(what | EV_PERSIST), source_cb, s);
}

int
source_on(struct source *s)
{
	if (s->on)
		return 0;
	if (event_add(&s->ev, NULL) != 0)
		return -ENOMEM;
	s->on = true;
	return 0;
}

void
source_off(struct source *s)
{
	if (s->ready == NULL || !s->on)
		return;
	(void)event_del(&s->ev);
	s->on = false;
}

void
source_close(struct source *s)
{
	if (s->ready == NULL)
		return;
	source_off(s);
	list_unlink(&s->link);
	s->ready = NULL;
}

void
source_mark(struct source *s)
{
	if (list_empty(&s->link))
		list_push(s->ready, &s->link);
}

struct source *
source_take(struct list *ready)
{
	struct list *link = list_pop(ready);

	return link == NULL ? NULL : LIST_OBJECT(link, struct source, link);
}
