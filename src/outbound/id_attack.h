/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_OUTBOUND_ID_ATTACK_H
#define DNS64D_OUTBOUND_ID_ATTACK_H

/*
 * id_attack: what is done when somebody guesses the IDs of our questions (RULES D21).
 *
 * A forger who knows a port (SAD DNS and its like) sends replies with one ID after the other. A
 * datagram with an ID that is not in flight on its socket is a guess; a reply to a question that
 * was just answered is none, as its ID was the socket's, and only those who saw it know that. Nor
 * is one to a question that was given up, though its ID is another socket's by now
 * (outbound/txid).
 *
 * After ID_ATTACK_SOCKET guesses a socket is given up: nothing that comes by it is taken any more,
 * and its open questions are asked again (outbound/loss). So a port that was found out is worth
 * ID_ATTACK_SOCKET / 65,536. That is a sign. ID_ATTACK_UPSTREAM guesses within ID_ATTACK_WINDOW_NS
 * at all sockets to an upstream are one, too, or ID_ATTACK_EACH for each socket if there are many:
 * who does not know the ports meets the more of them. ID_ATTACK_REPLIES right replies allow one
 * more, as a reply may be so late that its ID is another question's. Who sends to any port needs
 * 130,000 datagrams a minute for a sign.
 *
 * After a sign questions to the upstream are guarded for ID_ATTACK_WARY_NS, however many guesses
 * follow that are no sign. A defence must not cost more than the attack, so TCP is used only while
 * it works:
 *
 *	state	   on: sign	sign, no TCP	TCP fails	ID_ATTACK_WARY_NS without a sign
 *	NONE	       BY_TCP	BY_PORTS	-		-
 *	BY_TCP	       -	BY_PORTS	BY_PORTS	NONE
 *	BY_PORTS       BY_TCP	-		-		NONE
 *
 * BY_TCP: questions that little but port and ID guards (no cookie, and 0x20 with fewer than
 * ID_ATTACK_LETTERS letters) go over TCP. After ID_ATTACK_SLOWER times UDP's measured time they go
 * over UDP too, and the first reply counts. BY_PORTS: each question goes over UDP by a port of its
 * own (io/upstream_set), which is closed before it can be found out.
 *
 * TCP fails when a connection cannot be made, or when it was too slow, mute or closed for
 * ID_ATTACK_VAIN questions; ID_ATTACK_GOOD_EACH that it answered in time make up for one. So with
 * TCP that answers three of four the mean question takes twice as long, and TCP that is worse is
 * left. For ID_ATTACK_NO_TCP_NS after that a sign is one without TCP; then TCP is tried again.
 *
 * What chance that leaves a forger of 100,000 datagrams a second, for a name he has asked for all
 * the while, 8 ports open (tests/engine/check_forgers plays it and adds it up):
 *	little guarded, port known	32 guesses, then TCP: 32 / 2^16 = 0.05 % in an attack
 *	little guarded, port unknown	16 datagrams meet a port, 2 of them the right one: 0.003 %
 *	20 letters, port known		6 * 10^7 in 10 minutes: / 2^(16 + 20) = 0.09 %
 *	20 letters, port unknown	/ 2^(32 + 20): 10^-8
 *	a cookie too			nothing: / 2^64 more
 *	15 guesses a minute, so as not to be noticed: 900 / 2^16 = 1.4 % in an hour, port known
 *	no TCP, little guarded, a port of its own for each question, open for 20 ms: 2,000 datagrams
 *	meet it with 1 / 2^32 each, as many as RFC 5452 section 7 has for ports that are all in use
 * Each loop asks for itself, so with n loops that ask for one name at a time it is n times as much:
 * that is the birthday factor that stays (CVE-2020-25686), and equal questions of one loop meet
 * upstream once.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "outbound/lookup.h"
#include "outbound/upstream.h"

#define ID_ATTACK_SOCKET 32   /* guesses at one socket, and it is given up */
#define ID_ATTACK_UPSTREAM 16 /* guesses at all of them, or */
#define ID_ATTACK_EACH 2      /* for each of them, if that is more, within */
#define ID_ATTACK_WINDOW_NS 60000000000ULL
#define ID_ATTACK_REPLIES 1024
#define ID_ATTACK_WARY_NS 60000000000ULL
#define ID_ATTACK_SLOWER 4          /* times the measured time over UDP: that is slow */
#define ID_ATTACK_LEAST_NS 1000000U /* below that TCP is never slow */
#define ID_ATTACK_VAIN 8
#define ID_ATTACK_GOOD_EACH 3
#define ID_ATTACK_NO_TCP_NS 60000000000ULL
#define ID_ATTACK_LETTERS 20

/* id_attack_given_up: was socket S given up? */
MUST_USE static inline bool
id_attack_given_up(const struct upstream_socket *s)
{
	return s->n_guesses >= ID_ATTACK_SOCKET;
}

/* id_attack_note: a datagram on the UDP socket in SLOT had an ID that is not in flight there. */
void id_attack_note(struct lookups *ls, unsigned slot, uint64_t now_ns);

/*
 * id_attack_may_tcp: may L's question be confirmed by TCP, or sent by it? Not if there was none
 * once, nor if it is signed, which nobody can forge, nor a probe, which asks for a sign of life
 * only.
 */
MUST_USE static inline bool
id_attack_may_tcp(const struct lookup *l)
{
	return !l->here.no_tcp && !l->stream.vain && !l->probe.is && l->message.bytes == NULL;
}

/* id_attack_by_tcp: L's question is to be confirmed by TCP, or sent by it, if TCP can be had. */
static inline void
id_attack_by_tcp(struct lookup *l)
{
	lookup_plan(l, LOOKUP_NEEDS_STREAM);
	l->here.suspect = LOOKUP_SUSPECT_GUESS;
}

/*
 * id_attack_leaves_udp: L asked by a socket that was given up: is it to ask over TCP from now on?
 * Not if that does not work.
 */
MUST_USE bool id_attack_leaves_udp(struct lookups *ls, struct lookup *l, uint64_t now_ns);

/*
 * id_attack_beware: L's question is about to go to an upstream whose suspicion has a state: let it
 * go over TCP if that is BY_TCP still and there is little else to guess than port and ID.
 */
void id_attack_beware(struct lookups *ls, struct lookup *l, uint64_t now_ns);

/* id_attack_needs_ports: is each question to UP to leave by a port of its own? */
MUST_USE static inline bool
id_attack_needs_ports(const struct upstream *up, uint64_t now_ns)
{
	return UNLIKELY(up->suspicion.state == SUSPICION_BY_PORTS) &&
	    up->suspicion.until_ns > now_ns;
}

/*
 * id_attack_wait_ns: how long a question that goes to UP over TCP on a suspicion waits for the
 * reply before it goes over UDP too.
 */
MUST_USE uint64_t id_attack_wait_ns(const struct upstream *up);

/* id_attack_on_no_tcp: a connection to upstream U could not be made. */
void id_attack_on_no_tcp(struct lookups *ls, unsigned u, uint64_t now_ns);

/* id_attack_on_vain: a question to U that went over TCP on a suspicion had no reply in time. */
void id_attack_on_vain(struct lookups *ls, unsigned u, uint64_t now_ns);

/* id_attack_on_tcp_reply: the reply to attempt A, which went over TCP, came. */
void id_attack_on_tcp_reply(struct lookups *ls, const struct attempt *a, uint64_t now_ns);

#endif
