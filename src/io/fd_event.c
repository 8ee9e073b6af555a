/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/fd_event.h"

#include <errno.h>

static void
fd_event_cb(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	fd_event_mark(arg);
}

void
fd_event_open(struct fd_event *s, struct event_base *base, int fd, short what, struct list *ready)
{
	list_init(&s->link);
	s->ready = ready;
	s->on = false;
	/* Fails only for combinations of flags that this file does not make. */
	(void)event_assign(&s->ev, base, fd, (short)(what | EV_PERSIST), fd_event_cb, s);
}

int
fd_event_on(struct fd_event *s)
{
	if (s->on)
		return 0;
	if (event_add(&s->ev, NULL) != 0)
		return -ENOMEM;
	s->on = true;
	return 0;
}

void
fd_event_off(struct fd_event *s)
{
	if (s->ready == NULL || !s->on)
		return;
	(void)event_del(&s->ev);
	s->on = false;
}

void
fd_event_close(struct fd_event *s)
{
	if (s->ready == NULL)
		return;
	fd_event_off(s);
	list_unlink(&s->link);
	s->ready = NULL;
}

void
fd_event_mark(struct fd_event *s)
{
	if (list_empty(&s->link))
		list_push(s->ready, &s->link);
}

struct fd_event *
fd_event_take(struct list *ready)
{
	struct list *link = list_pop(ready);

	return link == NULL ? NULL : LIST_OBJECT(link, struct fd_event, link);
}
