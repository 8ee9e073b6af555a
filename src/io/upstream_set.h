/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_UPSTREAM_SET_H
#define DNS64D_IO_UPSTREAM_SET_H

/*
 * upstream_set: the UDP sockets to one upstream for one ID space; a part of upstream_udp. Each has
 * a slot of the engine. It is used, then "retired": it gets no new questions, but replies to its
 * open ones are taken.
 *
 * Questions leave by the socket in use. It is drawn anew from the others after each iteration that
 * sent some. A socket that has sent UPSTREAM_SET_USES questions, or is UPSTREAM_SET_AGE_NS old, is
 * replaced by one on another port before the next question leaves: the old one is retired, and
 * closes when its open questions are answered or given up. If none can be opened it is used on.
 * UPSTREAM_SET_USES_BUSY counts instead in a loop that is busy, and while many retired sockets wait
 * for their replies. While somebody guesses IDs and TCP does not work (outbound/id_attack) each
 * question has a socket of its own in a loop that is not busy, up to half of the retired sockets
 * that there may be. How many sockets a set has is the setting outgoing-ports; with 0 each question
 * has a socket of its own.
 *
 * A set has no more than its share of the engine's slots. Retired sockets beyond that are closed,
 * the oldest first, and what is open on them gets no reply any more.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/list.h"
#include "base/netaddr.h"
#include "io/fd_event.h"
#include "io/udp.h"

#define UPSTREAM_SET_PORTS 64              /* sockets of a set at most */
#define UPSTREAM_SET_DRAINING 128          /* retired sockets of a set at most */
#define UPSTREAM_SET_USES 64               /* questions that retire a socket, */
#define UPSTREAM_SET_USES_BUSY 512         /* and where ports and system calls are scarce */
#define UPSTREAM_SET_AGE_NS 2000000000ULL  /* age that retires a socket */
#define UPSTREAM_SET_RETRY_NS 250000000ULL /* pause after a socket could not be opened */
#define UPSTREAM_SET_FRESH_NS 100000000ULL /* between sockets that a set opens for refused ones */

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
	struct upstream_sock *at; /* owned: UPSTREAM_MAX_SOCKETS of them, by the engine's slots */
	struct list ready;        /* upstream_sock.src of those with replies to read */
	unsigned n_active;        /* sockets that are not retired */
};

/* The sockets of one upstream and ID space. */
struct upstream_set {
	struct netaddr addr;                /* the upstream's, which the sockets are connected to */
	uint16_t slots[UPSTREAM_SET_PORTS]; /* of those in use, n of them */
	unsigned n;
	struct list draining; /* retired sockets that are still open, the oldest first */
	unsigned n_draining;
	uint16_t in_use;    /* slot for the next questions; valid when n > 0 */
	uint16_t port;      /* of the socket that was opened last; 0: none was */
	bool asleep;        /* the last socket became too old: the next question opens one */
	uint64_t retry_ns;  /* no socket is opened before this time; 0: whenever needed */
	uint64_t fresh_ns;  /* no socket is opened for a refused one before this time */
	struct udp_way way; /* what its sockets know of the way to the upstream */
	struct list sent;   /* on upstream_udp.sent from a question until the next draw */
	uint8_t upstream;
	uint8_t space;
};

/* upstream_sock_slot: the slot of S. */
MUST_USE static inline unsigned
upstream_sock_slot(const struct upstream_socks *t, const struct upstream_sock *s)
{
	return (unsigned)(s - t->at);
}

/* upstream_sock_is_retired: is S open and retired? */
MUST_USE static inline bool
upstream_sock_is_retired(const struct upstream_sock *s)
{
	return s->open && !list_empty(&s->drain);
}

struct shell;

/* upstream_set_init: prepare the zeroed SET, for this number of an upstream and SPACE. */
void upstream_set_init(struct upstream_set *set, uint8_t upstream, uint8_t space);

/*
 * upstream_set_most: how many sockets to one upstream can be open at a time, with PORTS as the
 * setting outgoing-ports.
 */
MUST_USE unsigned upstream_set_most(unsigned ports);

/* upstream_set_sync: SET is for the upstream at ADDR from now on; NULL: for none. */
void upstream_set_sync(struct shell *sh, struct upstream_set *set, const struct netaddr *addr);

/*
 * upstream_set_dodge: have the next questions of SET, which has a socket, leave by another port
 * than that of the socket in use, which was refused: a fresh one, or, as ICMP must not have us open
 * ports without end, another of the set.
 */
void upstream_set_dodge(struct shell *sh, struct upstream_set *set);

/*
 * upstream_set_drop: retire the socket in SLOT, one of SET's that are in use, and open another for
 * the next questions. If there is none, the next ones leave by those that are left.
 */
void upstream_set_drop(struct shell *sh, struct upstream_set *set, uint16_t slot);

/* upstream_set_sent: a question was queued on S of SET. If S is used up now it is replaced. */
void upstream_set_sent(struct shell *sh, struct upstream_set *set, const struct upstream_sock *s);

/* upstream_set_draw: draw the socket for the next questions of SET. */
void upstream_set_draw(struct shell *sh, struct upstream_set *set);

/* upstream_set_renew: replace the socket in use of SET if it is too old; wake SET if it is asleep.
 */
void upstream_set_renew(struct shell *sh, struct upstream_set *set);

/* upstream_set_expire: retire sockets of SET that are too old; without any left it is asleep. */
void upstream_set_expire(struct shell *sh, struct upstream_set *set);

/* upstream_set_end: close S, which is retired, if nothing is to be sent by it nor waited for. */
void upstream_set_end(struct shell *sh, struct upstream_sock *s);

/* upstream_set_close_drained: close the retired sockets of SET that have no open questions. */
void upstream_set_close_drained(struct shell *sh, struct upstream_set *set);

#endif
