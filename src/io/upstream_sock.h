/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_UPSTREAM_SOCK_H
#define DNS64D_IO_UPSTREAM_SOCK_H

/*
 * upstream_sock: the UDP sockets towards upstreams of one loop, each with a slot of the engine.
 *
 * A socket is used, then "retired": it gets no new questions, but replies to its open ones are
 * taken. Which socket is used when is io/upstream_udp's. One thread.
 */

#include <stdbool.h>
#include <stdint.h>

#include <event2/event.h>

#include "base/attr.h"
#include "base/list.h"
#include "engine/engine.h"
#include "io/fd_event.h"
#include "io/udp.h"

/* One socket. */
struct upstream_sock {
	struct fd_event src;
	struct udp_out out;
	struct list drain; /* on a list of its set's when retired */
	uint64_t opened_ns;
	uint32_t n_sent; /* questions sent by it */
	uint8_t upstream;
	uint8_t space;
	bool open; /* false: this slot is free */
};

/* All sockets of one loop. */
struct upstream_socks {
	struct upstream_sock *at; /* owned: UPSTREAM_MAX_SOCKETS of them, by slot */
	struct engine *engine;    /* borrowed */
	struct event_base *base;  /* borrowed */
	struct list ready;        /* upstream_sock.src of those with replies to read */
	unsigned n_active;        /* sockets that are not retired */
};

/*
 * upstream_socks_init: prepare an empty table, whose sockets are ENGINE's and are watched by BASE;
 * both are borrowed. Returns 0 or -ENOMEM.
 */
MUST_USE int upstream_socks_init(
    struct upstream_socks *t, struct engine *engine, struct event_base *base);

/* upstream_socks_fini: close every socket and free the memory. T may be zeroed still. */
void upstream_socks_fini(struct upstream_socks *t);

/*
 * upstream_sock_open: watch FD, a socket connected to the engine's UPSTREAM, for questions of
 * SPACE, and tell the engine of it. FD is T's now, closed on failure. Returns its slot, or -errno:
 * -ENOSPC when all slots are taken.
 */
MUST_USE int upstream_sock_open(
    struct upstream_socks *t, int fd, unsigned upstream, unsigned space, uint64_t now_ns);

/* upstream_sock_slot: the slot of S. */
MUST_USE static inline unsigned
upstream_sock_slot(const struct upstream_socks *t, const struct upstream_sock *s)
{
	return (unsigned)(s - t->at);
}

/* upstream_sock_retire: no new questions leave by S, which goes on the list DRAINING. */
void upstream_sock_retire(struct upstream_socks *t, struct upstream_sock *s, struct list *draining);

/* upstream_sock_is_retired: is S open and retired? */
MUST_USE static inline bool
upstream_sock_is_retired(const struct upstream_sock *s)
{
	return s->open && !list_empty(&s->drain);
}

/* upstream_sock_idle: has S, which is retired, no open question left? Then it may be closed. */
MUST_USE static inline bool
upstream_sock_idle(const struct upstream_socks *t, const struct upstream_sock *s)
{
	return s->out.n == 0 && !engine_socket_busy(t->engine, upstream_sock_slot(t, s));
}

/*
 * upstream_sock_close: close S, which is retired and has nothing to be sent. What is open on it
 * gets no reply any more.
 */
void upstream_sock_close(struct upstream_socks *t, struct upstream_sock *s);

#endif
