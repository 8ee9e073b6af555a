/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_UPSTREAM_UDP_H
#define DNS64D_IO_UPSTREAM_UDP_H

/*
 * upstream_udp: the UDP sockets towards upstreams (RFC 5452 section 9.2).
 *
 * For each upstream and ID space there is a set of connected sockets on random ports. The one
 * for new questions is drawn after each iteration that sent some, so batches stay full and
 * ports still vary. A used one is replaced: it gets no new questions and closes when those
 * on it are answered or given up.
 *
 * No question leaves by a port that has been open for longer than UPSTREAM_UDP_AGE_NS: before
 * messages go in that questions may come of, upstream_udp_renew sees to that, and a timer closes
 * what nobody used meanwhile. A set without sockets for that reason is asleep.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/list.h"
#include "base/netaddr.h"
#include "core/packet.h"
#include "core/txid.h"
#include "core/upstream.h"
#include "io/source.h"
#include "io/udp.h"

#define UPSTREAM_UDP_ACTIVE 8 /* sockets of a set */
#define UPSTREAM_UDP_DRAINING \
	(4 * UPSTREAM_UDP_ACTIVE) /* retired ones; with more, none is replaced */
/* most that are open at a time to one upstream */
#define UPSTREAM_UDP_SOCKETS (TXID_MAX_SPACES * (UPSTREAM_UDP_ACTIVE + UPSTREAM_UDP_DRAINING))
#define UPSTREAM_UDP_USES 4096             /* questions after which a socket is replaced */
#define UPSTREAM_UDP_AGE_NS 10000000000ULL /* and time */
#define UPSTREAM_UDP_EXPIRE_NS \
	(UPSTREAM_UDP_AGE_NS / 4)          /* how often it is looked for those that are too old */
#define UPSTREAM_UDP_RETRY_NS 250000000ULL /* before what could not be had is tried again */

struct upstream_udp_sock {
	struct source src;
	struct udp_out out;
	struct list drain; /* on forward.draining when retired */
	uint64_t opened_ns;
	uint32_t n_sent; /* questions */
	uint8_t upstream;
	uint8_t space;
	bool open;
};

struct upstream_udp_set {
	struct netaddr addr;                 /* whom the sockets are connected to */
	uint16_t slots[UPSTREAM_UDP_ACTIVE]; /* in forward.socks */
	unsigned n;
	unsigned n_draining;
	uint16_t in_use;   /* slot for the next questions, if there is any */
	bool asleep;       /* the last socket was too old: the next question opens one */
	uint64_t retry_ns; /* no new socket before; 0: whenever needed */
	struct list sent;  /* on forward.sent after questions, until the next is drawn */
	uint8_t upstream;
	uint8_t space;
};

struct upstream_udp {
	struct upstream_udp_sock *socks; /* owned: UPSTREAM_MAX_SOCKETS, by slot */
	struct upstream_udp_set sets[UPSTREAM_MAX][TXID_MAX_SPACES];
	struct list ready;
	struct list draining;
	struct list sent;
	uint64_t renew_ns; /* what is in use is young until then; 0: a set is asleep */
	unsigned n_active; /* sockets that may get questions */
	uint64_t failing;  /* a bit per upstream that has no socket, said so in the log */
	unsigned n_spaces;
};

struct shell;

MUST_USE int upstream_udp_init(struct shell *sh);
void upstream_udp_fini(struct shell *sh);

/*
 * upstream_udp_sync: look what upstreams and ID spaces the engine uses; open a first socket where
 * there is none, retire those of upstreams that have gone.
 */
void upstream_udp_sync(struct shell *sh);

/* upstream_udp_turn: read replies, a batch per socket. */
void upstream_udp_turn(struct shell *sh);

/* upstream_udp_question: queue the question in the send slot. */
void upstream_udp_question(struct shell *sh, const struct packet_out *send);

/* upstream_udp_draw: after a flush: draw the sockets for the next questions. */
void upstream_udp_draw(struct shell *sh);

/*
 * upstream_udp_renew: have a young socket in use for each set, from renew_ns on and before the
 * engine may have questions. upstream_udp_expire: retire those that are too old and in nobody's
 * way, all if nobody asks; every UPSTREAM_UDP_EXPIRE_NS while upstream_udp_is_awake.
 */
void upstream_udp_renew(struct shell *sh);
void upstream_udp_expire(struct shell *sh);
MUST_USE bool upstream_udp_is_awake(const struct shell *sh);

/* upstream_udp_beat: close drained sockets, try again what failed. upstream_udp_needs_beat: is
 * there any? */
void upstream_udp_beat(struct shell *sh);
MUST_USE bool upstream_udp_needs_beat(const struct shell *sh);

#endif
