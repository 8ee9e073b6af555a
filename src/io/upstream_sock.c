/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/upstream_sock.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "outbound/upstream.h"

int
upstream_socks_init(struct upstream_socks *t, struct engine *engine, struct event_base *base)
{
	t->engine = engine;
	t->base = base;
	t->n_active = 0;
	list_init(&t->ready);
	/* calloc's zeroed pages take no memory before a slot is used. */
	t->at = calloc(UPSTREAM_MAX_SOCKETS, sizeof(*t->at));
	return t->at == NULL ? -ENOMEM : 0;
}

void
upstream_socks_fini(struct upstream_socks *t)
{
	if (t->at == NULL)
		return;
	for (size_t i = 0; i < UPSTREAM_MAX_SOCKETS; i++)
		if (t->at[i].open) {
			fd_event_close(&t->at[i].src);
			close(t->at[i].out.fd);
		}
	free(t->at);
	t->at = NULL;
}

int
upstream_sock_open(
    struct upstream_socks *t, int fd, unsigned upstream, unsigned space, uint64_t now_ns)
{
	int slot = engine_socket_add(t->engine, upstream, space);
	struct upstream_sock *s;

	if (slot < 0) {
		close(fd);
		return -ENOSPC;
	}
	s = &t->at[slot];
	*s = (struct upstream_sock){ .opened_ns = now_ns,
		.upstream = (uint8_t)upstream,
		.space = (uint8_t)space,
		.open = true };
	list_init(&s->drain);
	udp_out_init(&s->out, fd, true);
	fd_event_open(&s->src, t->base, fd, EV_READ, &t->ready);
	if (fd_event_on(&s->src) == 0) {
		t->n_active++;
		return slot;
	}
	fd_event_close(&s->src);
	s->open = false;
	close(fd);
	engine_socket_del(t->engine, (unsigned)slot);
	return -ENOMEM;
}

void
upstream_sock_retire(struct upstream_socks *t, struct upstream_sock *s, struct list *draining)
{
	engine_socket_retire(t->engine, upstream_sock_slot(t, s));
	t->n_active--;
	list_push(draining, &s->drain);
}

void
upstream_sock_close(struct upstream_socks *t, struct upstream_sock *s)
{
	list_unlink(&s->drain);
	list_unlink(&s->out.refused);
	engine_socket_del(t->engine, upstream_sock_slot(t, s));
	fd_event_close(&s->src);
	close(s->out.fd);
	s->open = false;
}
