/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_GUESS_H
#define DNS64D_CORE_GUESS_H

/*
 * guess: what is done when somebody guesses the IDs of our questions (RULES D21).
 *
 * A forger who knows a port (SAD DNS and its like) sends replies with one ID after the other. A
 * datagram with an ID that is not in flight on its socket is a guess; a reply to a question that
 * was just answered is none, as its ID was the socket's, and only those who saw it know that. Nor
 * is one to a question that was given up, though its ID is another socket's by now (core/overdue).
 *
 * After GUESS_SOCKET guesses a socket is given up: nothing that comes by it is taken any more, and
 * its open questions go over TCP. So a port that was found out is worth GUESS_SOCKET / 65,536.
 * Guesses at all sockets to an upstream count together, too, less one for GUESS_LEAK_NS and one for
 * GUESS_REPLIES right replies, as a reply may be so late that its ID is another question's. After
 * GUESS_UPSTREAM of them, or with a socket that was given up, the upstream is "wary" for
 * GUESS_WARY_NS: questions that little but port and ID guards (no cookie, and 0x20 with fewer than
 * GUESS_LETTERS letters) go over TCP. Where TCP is not to be had they go over UDP, and after a
 * connection that could not be made those of the next GUESS_NO_TCP_NS try none: else who guesses
 * could have each question wait for a connection in vain.
 *
 * What chance that leaves a forger of 100,000 datagrams a second, for a name he has asked for all
 * the while, 8 ports open (tests/core/check_forgers plays it):
 *	little guarded, port known	64 guesses, then TCP: 64 / 2^16 = 0.1 % in an attack
 *	little guarded, port unknown	64 datagrams meet a port, 8 of them the right one: 0.01 %
 *	20 letters, port known		6 * 10^7 in 10 minutes: / 2^(16 + 20) = 0.09 %
 *	20 letters, port unknown	/ 2^(32 + 20): 10^-8
 *	a cookie too			nothing: / 2^64 more
 *	one guess in ten seconds, so as not to be noticed: 360 / 2^16 = 0.5 % in an hour, port known
 *	no TCP, little guarded, port known	32 / 2^16 = 0.05 % for each question
 * Each loop asks for itself, so with n loops that ask for one name at a time it is n times as much:
 * that is the birthday factor that stays (CVE-2020-25686), and equal questions of one loop meet
 * upstream once.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/lookup.h"
#include "core/upstream.h"

#define GUESS_SOCKET 32
#define GUESS_UPSTREAM 64
#define GUESS_LEAK_NS 10000000000ULL
#define GUESS_REPLIES 1024
#define GUESS_WARY_NS 60000000000ULL
#define GUESS_NO_TCP_NS 10000000000ULL
#define GUESS_LETTERS 20

/* guess_given_up: was socket S given up? */
MUST_USE static inline bool
guess_given_up(const struct upstream_socket *s)
{
	return s->n_guesses >= GUESS_SOCKET;
}

/* guess_note: a datagram on the UDP socket in SLOT had an ID that is not in flight there. */
void guess_note(struct lookups *ls, unsigned slot, uint64_t now_ns);

/*
 * guess_move: the UDP socket in SLOT was given up: ask what is open on it again, over TCP, and send
 * no new questions by it. Does nothing the second time.
 */
void guess_move(struct lookups *ls, unsigned slot, uint64_t now_ns);

/*
 * guess_may_tcp: may L's question be confirmed by TCP, or sent by it? Not if there was none once,
 * nor if it is signed, which nobody can forge, nor a probe, which asks for a sign of life only.
 */
MUST_USE static inline bool
guess_may_tcp(const struct lookup *l)
{
	return !l->no_tcp && !l->tcp_vain && !l->probe && l->message == NULL;
}

/* guess_by_tcp: L's question is to be confirmed by TCP, or sent by it, if TCP can be had. */
static inline void
guess_by_tcp(struct lookup *l)
{
	l->tcp_only = true;
	l->suspect = LOOKUP_SUSPECT_GUESS;
}

/*
 * guess_beware: L's question is about to go to an upstream that is wary: let it go over TCP if
 * there is little else to guess than port and ID.
 */
void guess_beware(struct lookups *ls, struct lookup *l, uint64_t now_ns);

#endif
