/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_UPSTREAM_UDP_H
#define DNS64D_IO_UPSTREAM_UDP_H

/*
 * upstream_udp: UDP sockets towards upstreams, on random ports (RFC 5452 section 9.2).
 *
 * Each upstream and ID space has a set of connected sockets. After each iteration that sent
 * questions, the socket for the next ones is drawn at random from the set, so batches stay full and
 * ports still vary. A socket that has sent UPSTREAM_UDP_USES questions is "retired": it gets no new
 * questions, and closes when its open ones are answered or given up.
 *
 * No question leaves by a port that has been open for longer than UPSTREAM_UDP_AGE_NS.
 * upstream_udp_renew replaces old sockets before the engine gets messages that may lead to
 * questions; upstream_udp_expire, called by a timer, closes old sockets that nobody uses. A set
 * that lost all its sockets this way is "asleep" until the next question.
 *
 * When ICMP refused a socket, the engine asks again at once, and by another port. One thread.
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

#define UPSTREAM_UDP_ACTIVE 8                            /* sockets of a set */
#define UPSTREAM_UDP_DRAINING (4 * UPSTREAM_UDP_ACTIVE)  /* retired sockets of a set at most */
#define UPSTREAM_UDP_USES 4096                           /* questions that retire a socket */
#define UPSTREAM_UDP_AGE_NS 10000000000ULL               /* age that retires a socket */
#define UPSTREAM_UDP_EXPIRE_NS (UPSTREAM_UDP_AGE_NS / 4) /* between upstream_udp_expire calls */
#define UPSTREAM_UDP_RETRY_NS 250000000ULL /* pause after a socket could not be opened */
#define UPSTREAM_UDP_FRESH_NS 100000000ULL /* between sockets that a set opens for refused ones */

/* Sockets that one upstream can have open at a time. */
#define UPSTREAM_UDP_SOCKETS (TXID_MAX_SPACES * (UPSTREAM_UDP_ACTIVE + UPSTREAM_UDP_DRAINING))

/* One socket. */
struct upstream_udp_sock {
	struct source src;
	struct udp_out out;
	struct list drain; /* on upstream_udp.draining when retired */
	uint64_t opened_ns;
	uint32_t n_sent; /* questions sent by it */
	uint8_t upstream;
	uint8_t space;
	bool open; /* false: this slot is free */
};

/* The sockets of one upstream and ID space. */
struct upstream_udp_set {
	struct netaddr addr; /* the upstream's, which the sockets are connected to */
	uint16_t slots[UPSTREAM_UDP_ACTIVE]; /* indices in upstream_udp.socks, n of them */
	unsigned n;
	unsigned n_draining; /* retired sockets that are still open */
	uint16_t in_use;     /* slot for the next questions; valid when n > 0 */
	bool asleep;         /* the last socket became too old: the next question opens one */
	uint64_t retry_ns;   /* no socket is opened before this time; 0: whenever needed */
	uint64_t fresh_ns;   /* no socket is opened for a refused one before this time */
	struct list sent;    /* on upstream_udp.sent from a question until the next draw */
	uint8_t upstream;
	uint8_t space;
};

/* All sockets of one loop towards upstreams. */
struct upstream_udp {
	struct upstream_udp_sock *socks; /* owned: UPSTREAM_MAX_SOCKETS of them, by slot */
	struct upstream_udp_set sets[UPSTREAM_MAX][TXID_MAX_SPACES];
	struct list ready;    /* upstream_udp_sock.src of those with replies to read */
	struct list draining; /* retired sockets */
	struct list sent;     /* sets that have sent questions since their last draw */
	uint64_t renew_ns;    /* until then each socket in use is young; 0: a set is asleep */
	unsigned n_active;    /* sockets that are not retired */
	uint64_t failing;     /* bit u: upstream number u has no socket, and the log says so */
	unsigned n_spaces;    /* ID spaces that the engine uses, as last seen */
};

struct shell;

/* upstream_udp_init: prepare empty sets in the zeroed SH. Returns 0 or -ENOMEM. */
MUST_USE int upstream_udp_init(struct shell *sh);

/* upstream_udp_fini: close every socket and free the memory. Also after a failed init. */
void upstream_udp_fini(struct shell *sh);

/*
 * upstream_udp_sync: follow the engine's upstreams and ID spaces: open a first socket for each set
 * that has none, and retire the sockets of upstreams that were removed.
 */
void upstream_udp_sync(struct shell *sh);

/* upstream_udp_turn: hand one batch of replies of each readable socket to the engine. */
void upstream_udp_turn(struct shell *sh);

/*
 * upstream_udp_refused: take the sockets on sh->tx.refused off, have the next questions leave by
 * others, and tell the engine. Returns whether there were any: the engine may have something to
 * send. Call it after each udp_tx_flush.
 */
bool upstream_udp_refused(struct shell *sh);

/*
 * upstream_udp_question: queue the question SEND, whose bytes are in udp_tx_slot(&sh->tx), on the
 * socket in the slot SEND->sock. Does nothing if that socket is closed.
 */
void upstream_udp_question(struct shell *sh, const struct packet_out *send);

/*
 * upstream_udp_draw: for each set that has sent questions, draw the socket for the next ones; a
 * socket that is used up is replaced. Call it after all questions have been flushed.
 */
void upstream_udp_draw(struct shell *sh);

/*
 * upstream_udp_renew: replace sockets in use that are too old, and wake sets that are asleep. Call
 * it when now_ns has reached renew_ns, before the engine gets anything that may lead to a question.
 */
void upstream_udp_renew(struct shell *sh);

/*
 * upstream_udp_expire: retire sockets that are too old, and close retired ones without open
 * questions. Call it every UPSTREAM_UDP_EXPIRE_NS while upstream_udp_is_awake.
 */
void upstream_udp_expire(struct shell *sh);

/* upstream_udp_is_awake: is there any socket that is not retired? */
MUST_USE bool upstream_udp_is_awake(const struct shell *sh);

/*
 * upstream_udp_beat: close retired sockets without open questions, and try again to open sockets
 * that could not be opened. Call it now and then while upstream_udp_needs_beat.
 */
void upstream_udp_beat(struct shell *sh);

/* upstream_udp_needs_beat: is anything waiting for upstream_udp_beat? */
MUST_USE bool upstream_udp_needs_beat(const struct shell *sh);

#endif
