/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_OUTBOUND_ANTISPOOF_H
#define DNS64D_OUTBOUND_ANTISPOOF_H

/*
 * antispoof: a forged reply must guess more than the port and the ID (RULES D21).
 *
 * Case randomization ("0x20"): the letters of a question over UDP are in random case, and a true
 * reply repeats that case. A reply that is right in everything but the case is a near miss (RULES
 * D21): the same question goes over TCP at once. If TCP confirms three near misses in a row, the
 * upstream does not preserve case, and its guard is off for an hour. Without TCP, three near misses
 * that agree, each on another socket and with another ID, count as the reply: nobody guesses that
 * often. The guard of an upstream with a long record of right replies goes off later.
 *
 * Cookies (RFC 7873) do the same for upstreams that support them. Our client cookie is drawn for
 * each upstream and comes back with the upstream's server cookie; every later question over UDP
 * carries both. A reply with a wrong client cookie is a near miss too, and so is a reply without a
 * cookie from an upstream that has given one before.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns/build.h"
#include "dns/msg.h"
#include "outbound/lookup.h"

#define ANTISPOOF_AGREE 3   /* near misses that agree and so count as the reply */
#define ANTISPOOF_AT_MOST 8 /* near misses without TCP, in all: some share a socket */

/*
 * antispoof_cookie: put the cookie for an attempt of L into OPT, if the attempt is to carry one.
 * The bytes stay in the table of upstreams; OPT borrows them.
 */
void antispoof_cookie(struct lookups *ls, struct lookup *l, struct build_opt *opt, uint64_t now_ns);

/*
 * antispoof_cookie_right: does reply M carry the cookie that it must (RFC 7873 section 5.3)? If so,
 * a new server cookie of the upstream is stored.
 */
MUST_USE bool antispoof_cookie_right(
    struct lookups *ls, const struct lookup *l, const struct msg *m);

/*
 * antispoof_mix: randomize the case of QNAME, the name (L->qname_len bytes) in the question of an
 * attempt of L, if the attempt goes over UDP.
 */
void antispoof_mix(struct lookups *ls, struct lookup *l, uint8_t *qname, uint64_t now_ns);

/*
 * antispoof_name: compare NAME, a name of L->qname_len bytes from a reply, with the name that L
 * asked for. ANTISPOOF_SUSPECT_CASE: the names are equal except for the case that L sent. Never
 * ANTISPOOF_SUSPECT_COOKIE or _EDNS, which are outbound/match's. What was sent is known by a keyed
 * hash of 64 bits.
 */
enum antispoof_match {
	ANTISPOOF_SAME,
	ANTISPOOF_SUSPECT_CASE,
	ANTISPOOF_SUSPECT_COOKIE,
	ANTISPOOF_SUSPECT_EDNS,
	ANTISPOOF_OTHER
};
MUST_USE enum antispoof_match antispoof_name(
    const struct lookups *ls, const struct lookup *l, const uint8_t *name);

/* antispoof_count: count a near miss by MATCH, what is wrong with it. */
void antispoof_count(struct stats *s, enum antispoof_match match);

/*
 * antispoof_unmix: restore lower case in M, a reply to L: in the question and where the reply
 * repeats its spelling, that is in owner names, and in front of a DNAME's target in the CNAME
 * synthesized from it (RFC 6672 section 3.1). The bytes of M are then in LS until the next call.
 */
void antispoof_unmix(struct lookups *ls, const struct lookup *l, struct msg *m);

/*
 * antispoof_right: tell the guards that reply M to L, as it came, satisfied them. True: a further
 * right reply still changes what is known of this upstream.
 */
MUST_USE bool antispoof_right(struct lookups *ls, const struct lookup *l, const struct msg *m);

/*
 * antispoof_stop: handle a near miss: reply M to L (NULL if it was malformed) is right in
 * everything but SUSPECT. STOPPED: the caller asks the same upstream again; that attempt goes over
 * TCP or, if there is no TCP, from another port, until three near misses agree. AGREED: M is the
 * reply. HOPELESS: no three of ANTISPOOF_AT_MOST agree.
 */
enum antispoof_stopped { ANTISPOOF_STOPPED, ANTISPOOF_AGREED, ANTISPOOF_HOPELESS };
MUST_USE enum antispoof_stopped antispoof_stop(struct lookups *ls, struct lookup *l,
    enum lookup_suspect suspect, const struct msg *m, uint64_t now_ns);

/*
 * antispoof_confirm: compare M, L's reply over TCP, with the near miss that was stopped, and tell
 * the guard whether they agree.
 */
void antispoof_confirm(struct lookups *ls, struct lookup *l, const struct msg *m, uint64_t now_ns);

/*
 * antispoof_without_tcp: no TCP connection could be had, or it gave no reply in time. True: L used
 * TCP on a suspicion only, and goes over UDP again; outbound/id_attack counts it.
 */
MUST_USE bool antispoof_without_tcp(struct lookups *ls, struct lookup *l, uint64_t now_ns);

/* antispoof_forget: forget the near misses of L: it goes to another upstream. */
void antispoof_forget(struct lookup *l);

#endif
