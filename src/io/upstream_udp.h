/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_UPSTREAM_UDP_H
#define DNS64D_IO_UPSTREAM_UDP_H

/*
 * upstream_udp: UDP sockets towards upstreams, on random ports (RFC 5452 section 9.2).
 *
 * Each upstream and ID space has a set of connected sockets, io/upstream_set. After each iteration
 * that sent questions, the socket for the next ones is drawn from the set, so batches stay full and
 * ports still vary.
 *
 * No question leaves by a port that has been open for longer than UPSTREAM_SET_AGE_NS.
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
#include "io/upstream_set.h"
#include "outbound/txid.h"
#include "outbound/upstream.h"

#define UPSTREAM_UDP_EXPIRE_NS (UPSTREAM_SET_AGE_NS / 4) /* between upstream_udp_expire calls */

#define UPSTREAM_UDP_BUSY 20000 /* questions a second of a loop that is busy (RULES D21) */
#define UPSTREAM_UDP_PACE_NS 100000000ULL /* its questions are counted for so long at least */

/* How fast a loop asks. */
struct upstream_pace {
	uint64_t since_ns;
	uint64_t n; /* questions since then */
	bool busy;  /* more than UPSTREAM_UDP_BUSY a second, when that was last looked at */
};

/* All sockets of one loop towards upstreams. */
struct upstream_udp {
	struct upstream_socks socks;
	struct upstream_set sets[UPSTREAM_MAX][TXID_MAX_SPACES];
	struct list sent;    /* sets that have sent questions since their last draw */
	uint64_t renew_ns;   /* until then each socket in use is young; 0: a set is asleep */
	unsigned n_draining; /* retired sockets */
	uint64_t failing;    /* bit u: upstream number u has no socket, and the log says so */
	unsigned n_spaces;   /* ID spaces that the engine uses, as last seen */
	unsigned share;      /* sockets that each set may have */
	struct upstream_pace pace;
};

/* upstream_udp_set_of: the set that S belongs to. */
MUST_USE static inline struct upstream_set *
upstream_udp_set_of(struct upstream_udp *udp, const struct upstream_sock *s)
{
	return &udp->sets[s->upstream][s->space];
}

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
 * upstream_udp_unsent: take the questions of sh->tx that did not leave off and tell the engine of
 * each, and of an upstream that there is no way to once for each socket. Returns whether there were
 * any: the engine may have something to send. Call it after each udp_tx_flush.
 */
bool upstream_udp_unsent(struct shell *sh);

/*
 * upstream_udp_refused: take the sockets of sh->tx that were refused off, have the next questions
 * leave by others, and tell the engine. Returns whether there were any, as upstream_udp_unsent.
 * Call it after that, though not while the engine is being drained.
 */
bool upstream_udp_refused(struct shell *sh);

/*
 * upstream_udp_spoilt: the engine takes nothing any more that comes by the socket in SLOT: replace
 * it. It is closed after the batch that is being read.
 */
void upstream_udp_spoilt(struct shell *sh, unsigned slot);

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
